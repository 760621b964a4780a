"""The next state, while the effects of an action are written to it one after another."""

from __future__ import annotations

from collections.abc import Iterable

from plangauge.worlds.virtualhome.scene import State, bits
from plangauge.worlds.virtualhome.view import NEXT_TO, View


class Draft(View):
    """A state that can still be changed; ``before`` is the one that the action is done in."""

    __slots__ = ("before", "fresh")

    def __init__(self, before: View) -> None:
        self.fresh = dict(before.cells)
        super().__init__(before.household, self.fresh)
        self.before = before

    def state(self) -> State:
        """Return the state as it is now; the draft must not be changed any more."""
        return State(self.fresh)

    def put(self, cell: int, value: int) -> None:
        """Give a cell a value."""
        if value == self.base[cell]:
            self.fresh.pop(cell, None)
        else:
            self.fresh[cell] = value

    def link(self, relation: int, source: int, target: int) -> None:
        """Let one thing stand in a relation to another."""
        there, back = self.scene.targets(relation, source), self.scene.sources(relation, target)
        self.put(there, self.cell(there) | 1 << target)
        self.put(back, self.cell(back) | 1 << source)

    def unlink(self, relation: int, source: int, target: int) -> None:
        """End that one thing stands in a relation to another."""
        there, back = self.scene.targets(relation, source), self.scene.sources(relation, target)
        self.put(there, self.cell(there) & ~(1 << target))
        self.put(back, self.cell(back) & ~(1 << source))

    def leave(self, relation: int, thing: int) -> None:
        """End a relation of a thing to all others."""
        self._clear(self.scene.targets(relation, thing), self.scene.sources(relation, 0), thing)

    def part(self, relations: Iterable[int], thing: int) -> None:
        """End some relations of a thing to all others, and of all others to it."""
        for relation in relations:
            self.leave(relation, thing)
            self._clear(self.scene.sources(relation, thing), self.scene.targets(relation, 0), thing)

    def meet(self, things: int) -> None:
        """Let the character and some things be next to each other."""
        character = self.household.character
        there, back = self.scene.targets(NEXT_TO, 0), self.scene.sources(NEXT_TO, 0)
        self.put(there + character, self.cell(there + character) | things)
        self.put(back + character, self.cell(back + character) | things)
        for thing in bits(things):
            self.put(there + thing, self.cell(there + thing) | 1 << character)
            self.put(back + thing, self.cell(back + thing) | 1 << character)

    def change(self, thing: int, end: int, start: int) -> None:
        """End some states of a thing, then start others."""
        cell = self.scene.states + thing
        self.put(cell, self.cell(cell) & ~end | start)

    def remember(self, thing: int, relation: int, place: int) -> None:
        """Note how a thing stood to what when it was taken."""
        self.put(self.scene.origins + thing, relation * self.scene.size + place + 1)

    def forget(self, thing: int) -> None:
        """Forget where a thing was taken from."""
        self.put(self.scene.origins + thing, 0)

    def _clear(self, cell: int, others: int, thing: int) -> None:
        """Empty a cell of a thing, and take the thing out of the cells of what was in it.

        ``others`` is the first of these cells.
        """
        gone = self.cell(cell)
        if gone:
            self.put(cell, 0)
            for other in bits(gone):
                self.put(others + other, self.cell(others + other) & ~(1 << thing))
