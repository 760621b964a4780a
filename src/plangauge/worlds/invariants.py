"""What must hold while actions are going on, tested only when something changes that matters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from plangauge.core.conditions import Condition, facts_in
from plangauge.pddl.facts import positions
from plangauge.worlds.numeric import NumericWorld
from plangauge.worlds.parts import NumericState
from plangauge.worlds.ready import RunningAction

Holder: TypeAlias = tuple[int, str | None]
"""The index of an action, and for a preference its name."""


class Invariants:
    """The conditions wanted until the end of some action, each with the actions that want it.

    A condition is due when it is first wanted, and whenever a fact or number that it depends on
    has changed; so many overlapping actions cost no more than what changes.
    """

    def __init__(self, world: NumericWorld) -> None:
        self._world = world
        self._holders: dict[Condition, dict[Holder, None]] = {}
        self._watching: dict[tuple[str, int], dict[Condition, None]] = {}
        self._always: dict[Condition, None] = {}
        self._due: dict[Condition, None] = {}

    def begin(self, index: int, active: RunningAction) -> None:
        """Want the conditions of an action from now on."""
        for condition, holder in _wanted(index, active):
            holders = self._holders.get(condition)
            if holders is None:
                holders = self._holders[condition] = {}
                for place in self._places(condition):
                    place[condition] = None
            holders[holder] = None
            self._due[condition] = None

    def end(self, index: int, active: RunningAction) -> None:
        """Want the conditions of an action no longer."""
        for condition, holder in _wanted(index, active):
            self.drop(condition, holder)

    def drop(self, condition: Condition, holder: Holder) -> None:
        """Forget that an action wants a condition."""
        holders = self._holders.get(condition, {})
        holders.pop(holder, None)
        if condition in self._holders and not holders:
            del self._holders[condition]
            self._due.pop(condition, None)
            for place in self._places(condition):
                place.pop(condition, None)

    def changed(self, facts: int, slots: Iterable[int]) -> None:
        """Note which facts, as bits, and which numbers have changed."""
        if self._watching:
            for bit in positions(facts):
                self._due |= self._watching.get(("fact", bit), {})
            for slot in slots:
                self._due |= self._watching.get(("number", slot), {})

    def broken(self, state: NumericState) -> list[tuple[Condition, list[Holder]]]:
        """Return the conditions that do not hold in a state, each with those that want it."""
        due, self._due = {**self._always, **self._due}, {}
        test = self._world.test
        return [
            (condition, list(self._holders[condition]))
            for condition in due
            if not test(condition)(state)
        ]

    def _places(self, condition: Condition) -> Iterator[dict[Condition, None]]:
        """Yield where a condition is looked up when something changes."""
        derived = self._world.instance.domain.derived
        if any(fact.predicate in derived for fact in facts_in(condition)):
            yield self._always
            return
        depends, read = self._world.footprint(condition)
        for bit in positions(depends):
            yield self._watching.setdefault(("fact", bit), {})
        for slot in read:
            yield self._watching.setdefault(("number", slot), {})


def _wanted(index: int, active: RunningAction) -> Iterator[tuple[Condition, Holder]]:
    for condition in active.invariants:
        yield condition, (index, None)
    for wish in active.wishes:
        yield wish.condition, (index, wish.name)
