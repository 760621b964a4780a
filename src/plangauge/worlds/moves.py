"""Steps of one simple action, prepared: what they test and change is one function of the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, mul, sub
from typing import Any, NamedTuple, TypeAlias

from plangauge.pddl.quantities import SIGNS, Number, Values, divided, simple
from plangauge.worlds.numbers import Change, PlainTest, Test

Advance: TypeAlias = Callable[[Values], "Values | None"]
"""The values after a step; None where one of its comparisons is false."""

_GIGANTIC = 1 << 60


def _assigned(_old: Number, new: Number) -> Number:
    return new


_NEW: dict[str, Callable[[Number, Number], Number]] = {
    "increase": add, "decrease": sub, "assign": _assigned, "scale-up": mul, "scale-down": divided,
}  # fmt: skip


class Move(NamedTuple):
    """What a step of one simple action needs and changes."""

    depends: int
    true: int
    kept: int
    add: int
    advance: Advance | None
    """None where it neither compares nor changes numbers."""


def advance(tests: Sequence[PlainTest | Test], changes: Sequence[Change]) -> Advance | None:
    """Return the function for these tests and changes of different terms; None for none of either.

    The terms that are changed must have a value in every state. The function raises `Undefined` and
    `TooLong` as expressions do.

    >>> step = advance([PlainTest(0, ">=", 2)], [Change(0, "decrease", 2, frozenset())])
    >>> step((3,)), step((1,))
    ((1,), None)
    """
    if not tests and not changes:
        return None
    plain = [(t.slot, SIGNS[t.sign], t.right) for t in tests if isinstance(t, PlainTest)]
    others = [test for test in tests if not isinstance(test, PlainTest)]
    fixed = [(c.slot, _NEW[c.kind], c.amount) for c in changes if not callable(c.amount)]
    computed = [(c.slot, _NEW[c.kind], c.amount) for c in changes if callable(c.amount)]

    def step(values: Values) -> Values | None:
        old: Any = values  # what is changed has a value
        for slot, holds, right in plain:
            if not holds(old[slot], right):
                return None
        for test in others:
            if not test(values):
                return None
        after = [*old]
        for slot, new, amount in fixed:
            value = after[slot] = new(old[slot], amount)
            if value.__class__ is not int or not -_GIGANTIC < value < _GIGANTIC:
                after[slot] = simple(value)
        for slot, new, amount_of in computed:
            after[slot] = simple(new(old[slot], amount_of(values)))
        return tuple(after)

    return step
