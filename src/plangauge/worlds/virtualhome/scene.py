"""Relations and states as sets of bits: the scene, and what a state has otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

STATES = (
    *("closed", "open", "on", "off", "sitting", "dirty", "clean", "lying"),
    *("plugged_in", "plugged_out"),
)
"""The predicates of one thing that actions can change."""
RELATIONS = (
    *("ontop", "inside", "between", "next_to", "facing", "holds_rh", "holds_lh", "sits_on"),
)
"""The predicates of two things."""

STATE = {name: 1 << number for number, name in enumerate(STATES)}
"""State → its bit."""
RELATION = {name: number for number, name in enumerate(RELATIONS)}
"""Relation → its number."""

_WAYS = len(RELATIONS)
_CELLS_OF_EACH = 2 * _WAYS + 2

Relation = tuple[int, int, int]
"""The number of a relation, and those of the things that it goes from and to."""
Cells = Mapping[int, int]
"""Cell → its value."""


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def lowest(mask: int) -> int:
    """Return the position of the lowest set bit; there must be one."""
    return (mask & -mask).bit_length() - 1


class Scene:
    """The relations and states that all states of a household are told apart from.

    Things are numbers below ``size``. The cells are, for each thing: the things that it stands in
    each relation to; those that stand in each relation to it; its states (all these are sets of
    bits); and where it was taken from. A state of the world is a sparse vector over them.

    >>> scene = Scene(2, [(RELATION["inside"], 0, 1)])
    >>> scene.cells[scene.targets(RELATION["inside"], 0)]
    2
    """

    __slots__ = ("cells", "origins", "size", "states")

    def __init__(
        self, size: int, relations: Iterable[Relation] = (), states: Cells | None = None
    ) -> None:
        self.size = size
        self.states = 2 * _WAYS * size
        """The cell of the states of the first thing."""
        self.origins = self.states + size
        """The cell of where the first thing was taken from."""
        self.cells: tuple[int, ...] = (0,) * (_CELLS_OF_EACH * size)
        self.cells = self._with(self.difference(relations, states))

    def __reduce__(self) -> tuple[object, ...]:
        return _scene, (self.size, self.cells)

    def targets(self, relation: int, thing: int) -> int:
        """Return the cell of what a thing stands in a relation to."""
        return relation * self.size + thing

    def sources(self, relation: int, thing: int) -> int:
        """Return the cell of what stands in a relation to a thing."""
        return (_WAYS + relation) * self.size + thing

    def difference(
        self, relations: Iterable[Relation], states: Cells | None = None
    ) -> dict[int, int]:
        """Return the cells that differ where these relations hold beside those of the scene.

        ``states`` are the states of the things whose states are not those of the scene.
        """
        cells = {self.states + thing: value for thing, value in (states or {}).items()}
        for relation, source, target in relations:
            there, back = self.targets(relation, source), self.sources(relation, target)
            cells[there] = cells.get(there, self.cells[there]) | 1 << target
            cells[back] = cells.get(back, self.cells[back]) | 1 << source
        return {cell: value for cell, value in cells.items() if value != self.cells[cell]}

    def altered(self, cells: Cells) -> Scene:
        """Return a scene in which some cells have other values."""
        return _scene(self.size, self._with(cells))

    def _with(self, cells: Cells) -> tuple[int, ...]:
        values = list(self.cells)
        for cell, value in cells.items():
            values[cell] = value
        return tuple(values)


def _scene(size: int, cells: tuple[int, ...]) -> Scene:
    scene = Scene(size)
    scene.cells = cells
    return scene


class State:
    """A state of a household: the cells whose value is not that of the scene.

    It means something only together with its household; two of the same are equal where the same
    facts are true.
    """

    __slots__ = ("__weakref__", "_hash", "cells")

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.cells == other.cells

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.cells.items()))
        return self._hash

    def __reduce__(self) -> tuple[type[State], tuple[Cells]]:
        return State, (self.cells,)
