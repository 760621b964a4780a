"""Conditions without variables as bit masks over a table of facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from plangauge.core.conditions import AllOf, AnyOf, Condition, Count, Is, Not
from plangauge.core.model import Fact


class Masks(NamedTuple):
    """A conjunction: bits that must be set, bits that must not, and disjunctions.

    >>> Masks(0b01, 0b10).hold(0b101), Masks(0b01, 0b10).hold(0b111)
    (True, False)
    """

    true: int = 0
    false: int = 0
    some: tuple[Disjunction, ...] = ()

    def hold(self, state: int) -> bool:
        """Return whether the condition is satisfied in a state."""
        if state & self.true != self.true or state & self.false:
            return False
        return not self.some or all(either.hold(state) for either in self.some)

    def touched(self) -> int:
        """Return the bits that the condition depends on."""
        bits = self.true | self.false
        for either in self.some:
            bits |= either.touched()
        return bits


class Disjunction(NamedTuple):
    """A disjunction: bits of which one must be set, or one not be, or a conjunction hold.

    >>> Disjunction(0b01, 0b10).hold(0b10), Disjunction(0b01, 0b10).hold(0b00)
    (False, True)
    """

    true: int = 0
    false: int = 0
    parts: tuple[Masks, ...] = ()

    def hold(self, state: int) -> bool:
        """Return whether the condition is satisfied in a state."""
        if state & self.true or state & self.false != self.false:
            return True
        return bool(self.parts) and any(part.hold(state) for part in self.parts)

    def touched(self) -> int:
        """Return the bits that the condition depends on."""
        bits = self.true | self.false
        for part in self.parts:
            bits |= part.touched()
        return bits


def to_masks(condition: Condition, bit: Callable[[Fact], int]) -> Masks:
    """Compile a condition in negation normal form; ``bit`` gives the mask of a fact."""
    if isinstance(condition, AnyOf):
        return Masks(some=(Disjunction(*_compiled(condition.conditions, bit)),))
    parts = condition.conditions if isinstance(condition, AllOf) else (condition,)
    true, false, rest = _compiled(parts, bit)
    some: list[Disjunction] = []
    for masks in rest:
        true, false = true | masks.true, false | masks.false
        some += masks.some
    return Masks(true, false, tuple(some))


def _compiled(
    parts: Iterable[Condition], bit: Callable[[Fact], int]
) -> tuple[int, int, tuple[Masks, ...]]:
    """Return the masks of the positive and of the negative literals, and all other parts."""
    true = false = 0
    rest: list[Masks] = []
    for part in parts:
        if isinstance(part, Is):
            true |= bit(part.fact)
        elif isinstance(part, Not):
            assert isinstance(part.condition, Is)
            false |= bit(part.condition.fact)
        else:
            assert not isinstance(part, Count), "PDDL has no counting conditions"
            rest.append(to_masks(part, bit))
    return true, false, tuple(rest)
