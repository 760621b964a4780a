"""Conditions without variables as bit masks over a table of facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from plangauge.conditions import All, Condition, Is, Not
from plangauge.model import Fact


class Masks(NamedTuple):
    """A conjunction: bits that must be set, bits that must not, and disjunctions.

    >>> Masks(0b01, 0b10).hold(0b101), Masks(0b01, 0b10).hold(0b111)
    (True, False)
    """

    true: int = 0
    false: int = 0
    some: tuple[tuple[Masks, ...], ...] = ()

    def hold(self, state: int) -> bool:
        """Return whether the condition is satisfied in a state."""
        if state & self.true != self.true or state & self.false:
            return False
        return not self.some or all(any(m.hold(state) for m in masks) for masks in self.some)

    def touched(self) -> int:
        """Return the bits that the condition depends on."""
        bits = self.true | self.false
        for masks in self.some:
            for mask in masks:
                bits |= mask.touched()
        return bits


def to_masks(condition: Condition, bit: Callable[[Fact], int]) -> Masks:
    """Compile a condition in negation normal form; ``bit`` gives the mask of a fact."""
    if isinstance(condition, Is):
        return Masks(true=bit(condition.fact))
    if isinstance(condition, Not):
        assert isinstance(condition.condition, Is)
        return Masks(false=bit(condition.condition.fact))
    parts = [to_masks(part, bit) for part in condition.conditions]
    if not isinstance(condition, All):
        return Masks(some=(tuple(parts),))
    true = false = 0
    for part in parts:
        true |= part.true
        false |= part.false
    return Masks(true, false, tuple(masks for part in parts for masks in part.some))
