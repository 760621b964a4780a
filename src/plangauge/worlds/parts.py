"""States with numbers, and ground actions as they are executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from plangauge.pddl.ground import Operator
from plangauge.pddl.quantities import SIGNS, Number, Undefined, Values, simple
from plangauge.worlds.numbers import NEW_VALUES, Change, PlainTest, Test, value_of

NumericState: TypeAlias = tuple[int, Values]
"""The changeable facts as bits, and the values of the changeable function terms."""


class Part(NamedTuple):
    """A ground action, or the start or end of one, with what its conditions compare."""

    operator: Operator
    tests: tuple[tuple[int, Test], ...]
    """The bits of the comparisons that it depends on, and their tests."""
    changes: Mapping[int, Change]
    """The bits of its updates, and what they do."""
    mask: int
    """The bits of all its updates."""
    depends: int
    """The facts that its applicability or effect depends on."""
    read: frozenset[int]
    """The places of the numbers that it depends on."""
    derived: bool
    """Whether it depends on derived facts."""


class Outcome(NamedTuple):
    """What a part changes in a state."""

    add: int
    delete: int
    numbers: Mapping[int, tuple[bool, Number]]


GIGANTIC = 1 << 60
"""Smaller whole numbers need no `simple`."""

Others: TypeAlias = Callable[[Values], "list[Number | None]"]


class Move(NamedTuple):
    """What a step of one simple action needs and changes."""

    depends: int
    true: int
    kept: int
    add: int
    tests: Sequence[tuple[int, Callable[[Any, Any], bool], Number]] = ()
    """Places, and how their values must compare with which constants."""
    sums: Sequence[tuple[int, Number]] = ()
    """Places, and the constants that are added to their values."""
    others: Others | None = None
    """The values after all other updates; raises `Undefined` where another comparison is false."""


STUCK = Move(0, 1, 0, 0)
"""Takes place in no state: the masks never agree."""


def with_numbers(
    facts: tuple[int, int, int, int], tests: Sequence[PlainTest | Test], changes: Sequence[Change]
) -> Move:
    """Return a move with these tests, and these changes of different terms.

    The terms that are changed must have a value in every state. `Move.others` raises `Undefined`
    and `NumberTooLong` as expressions do.

    >>> tests, changes = [PlainTest(0, ">=", 2)], [Change(0, "decrease", 2, frozenset())]
    >>> with_numbers((0, 0, -1, 0), tests, changes)[4:]
    (((0, <built-in function ge>, 2),), ((0, -2),), None)
    """
    plain = tuple((t.slot, SIGNS[t.sign], t.right) for t in tests if isinstance(t, PlainTest))
    computed_tests = [test for test in tests if not isinstance(test, PlainTest)]
    sums: list[tuple[int, Number]] = []
    computed: list[Change] = []
    for change in changes:
        if callable(change.amount) or change.kind not in ("increase", "decrease"):
            computed.append(change)
        else:
            sums.append((change.slot, NEW_VALUES[change.kind](0, change.amount)))
    new = [(change.slot, NEW_VALUES[change.kind], change.amount) for change in computed]

    def others(values: Values) -> list[Number | None]:
        for test in computed_tests:
            if not test(values):
                raise Undefined
        after = [*values]
        for slot, made, amount in new:
            after[slot] = simple(made(values[slot], value_of(amount, values)))
        return after

    return Move(*facts, plain, tuple(sums), others if computed_tests or computed else None)
