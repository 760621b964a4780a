"""What must not happen at one time: no action may change what another depends on."""

from __future__ import annotations

from typing import NamedTuple

from plangauge.worlds.numeric import NumericWorld
from plangauge.worlds.parts import Outcome, Part


class Footprint(NamedTuple):
    """What an event of a happening depends on and changes."""

    of: int
    """The index of the action; below zero, of a timed literal."""
    part: Part
    outcome: Outcome


class HappeningFootprint:
    """What the parts of a happening depend on and change together."""

    def __init__(self) -> None:
        self._depends = self._add = self._delete = 0
        self._read = set[int]()
        self._numbers: dict[int, bool] = {}

    def add(self, each: Footprint) -> bool:
        """Add a part; return whether it interferes with any before."""
        part, (add, delete, numbers) = each.part, each.outcome
        clash = part.depends & (self._add | self._delete) or self._depends & (add | delete)
        clash = clash or add & self._delete or delete & self._add
        found = bool(clash) or not part.read.isdisjoint(self._numbers)
        found = found or not self._read.isdisjoint(numbers)
        for slot, (adds, _) in numbers.items():
            together = adds and self._numbers.get(slot, True)
            found = found or (slot in self._numbers and not together)
            self._numbers[slot] = together
        self._depends |= part.depends
        self._add |= add
        self._delete |= delete
        self._read |= part.read
        return found


def interfering(world: NumericWorld, one: Footprint, other: Footprint) -> str:
    """Return the fact or term on which two parts interfere; empty if they do not."""
    a, b = one.outcome, other.outcome
    changed, also = a.add | a.delete, b.add | b.delete
    facts = one.part.depends & also | other.part.depends & changed
    facts |= a.add & b.delete | a.delete & b.add
    if facts:
        return str(next(world.facts_of(facts)))
    slots = one.part.read & b.numbers.keys() | other.part.read & a.numbers.keys()
    both = a.numbers.keys() & b.numbers.keys()
    slots |= {slot for slot in both if not (a.numbers[slot][0] and b.numbers[slot][0])}
    return str(world.term(min(slots))) if slots else ""
