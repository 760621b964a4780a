"""States with numbers, and ground actions as they are executed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from plangauge.pddl.ground import Operator
from plangauge.pddl.quantities import Number, Values
from plangauge.worlds.numbers import Change, Test

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
