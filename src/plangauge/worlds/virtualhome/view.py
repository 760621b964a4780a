"""What can be asked of a state: relations, states, and what follows from them."""

from __future__ import annotations

from plangauge.worlds.virtualhome.household import Household
from plangauge.worlds.virtualhome.scene import RELATION, Cells, lowest

ONTOP, INSIDE, NEXT_TO = RELATION["ontop"], RELATION["inside"], RELATION["next_to"]
FACING = RELATION["facing"]
HANDS = (RELATION["holds_rh"], RELATION["holds_lh"])


class View:
    """A state together with its household, for asking about things by their numbers.

    Sets of things are sets of bits.
    """

    __slots__ = ("base", "cells", "household", "scene")

    def __init__(self, household: Household, cells: Cells) -> None:
        self.household = household
        self.scene = household.scene
        self.base = self.scene.cells
        self.cells = cells

    def cell(self, cell: int) -> int:
        """Return the value of a cell."""
        value = self.cells.get(cell)
        return self.base[cell] if value is None else value

    def targets(self, relation: int, thing: int) -> int:
        """Return what a thing stands in a relation to."""
        return self.cell(self.scene.targets(relation, thing))

    def sources(self, relation: int, thing: int) -> int:
        """Return what stands in a relation to a thing."""
        return self.cell(self.scene.sources(relation, thing))

    def related(self, relation: int, source: int, target: int) -> bool:
        """Return whether one thing stands in a relation to another."""
        return self.targets(relation, source) >> target & 1 == 1

    def states(self, thing: int) -> int:
        """Return the states of a thing, as a set of bits of `STATE`."""
        return self.cell(self.scene.states + thing)

    def origin(self, thing: int) -> tuple[int, int] | None:
        """Return in which relation a thing stood to what when it was taken, if to anything."""
        code = self.cell(self.scene.origins + thing)
        return divmod(code - 1, self.scene.size) if code else None

    def held(self) -> int:
        """Return what the character holds."""
        character = self.household.character
        return self.targets(HANDS[0], character) | self.targets(HANDS[1], character)

    def room_of(self, thing: int) -> int | None:
        """Return the room that a thing is or is in; None where there is none.

        Of several places the room with the lowest number counts; a single place is followed to
        where it is itself.
        """
        rooms = self.household.rooms
        if rooms >> thing & 1:
            return thing
        places = self.targets(INSIDE, thing)
        if places & (places - 1):
            places &= rooms
        seen = 0
        while places:
            place = lowest(places)
            if rooms >> place & 1:
                return place
            if seen >> place & 1:
                return None
            seen |= 1 << place
            places = self.targets(INSIDE, place)
        return None
