"""What actions need, said once: as a quick test of numbers and as conditions on facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from plangauge.conditions import FALSE, TRUE, All, Condition, Is, Not, Some
from plangauge.model import Fact, Fault
from plangauge.worlds.virtualhome.household import Household
from plangauge.worlds.virtualhome.predicates import PREDICATES, Origin
from plangauge.worlds.virtualhome.view import View

ME = -1
"""Stands for the character in place of an argument, which is meant by its index."""

Test: TypeAlias = Callable[[View, Sequence[int]], bool]
"""Whether a need is met in a state, for arguments given by their numbers."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate is true of some arguments."""

    predicate: str
    slots: tuple[int, ...]

    def test(self) -> Test:
        """Return the test of it."""
        test = PREDICATES[self.predicate].test
        match self.slots:
            case (0,):
                return lambda view, args: test(view, args[0])
            case (1,):
                return lambda view, args: test(view, args[1])
            case (_,):
                return lambda view, _: test(view, view.household.character)
        first, second = self.slots
        return lambda view, args: test(view, _at(first, view, args), _at(second, view, args))

    def condition(self, household: Household, args: Sequence[int]) -> Condition:
        """Return what must be true of the facts."""
        numbers = [household.character if slot == ME else args[slot] for slot in self.slots]
        return Is(Fact(self.predicate, tuple(map(household.name, numbers))))


@dataclass(frozen=True, slots=True)
class Kind:
    """An argument is of one of some kinds; decided by the household, whatever the state."""

    kinds: frozenset[str]
    slot: int

    def test(self) -> Test:
        """Return the test of it."""

        def test(view: View, args: Sequence[int]) -> bool:
            thing = view.household.things[args[self.slot]]
            return thing is not None and thing.kind in self.kinds

        return test

    def condition(self, household: Household, args: Sequence[int]) -> Condition:
        """Return a condition that always or never holds."""
        thing = household.things[args[self.slot]]
        return TRUE if thing is not None and thing.kind in self.kinds else FALSE


@dataclass(frozen=True, slots=True)
class Same:
    """Both arguments are the same thing."""

    def test(self) -> Test:
        """Return the test of it."""
        return lambda _, args: args[0] == args[1]

    def condition(self, household: Household, args: Sequence[int]) -> Condition:
        """Return an equality."""
        return Is(Fact("=", tuple(map(household.name, args))))


@dataclass(frozen=True, slots=True)
class No:
    """The need is not met."""

    need: Need

    def test(self) -> Test:
        """Return the test of it."""
        test = self.need.test()
        return lambda view, args: not test(view, args)

    def condition(self, household: Household, args: Sequence[int]) -> Condition:
        """Return the negated condition."""
        condition = self.need.condition(household, args)
        if condition in (TRUE, FALSE):
            return FALSE if condition == TRUE else TRUE
        return Not(condition)


@dataclass(frozen=True, slots=True)
class Both:
    """Two needs are met."""

    needs: tuple[Need, Need]

    def test(self) -> Test:
        """Return the test of it."""
        one, other = (need.test() for need in self.needs)
        return lambda view, args: one(view, args) and other(view, args)

    def condition(self, household: Household, args: Sequence[int]) -> Condition:
        """Return the conjunction, without what always holds."""
        found = [need.condition(household, args) for need in self.needs]
        if FALSE in found:
            return FALSE
        parts = tuple(part for part in found if part != TRUE)
        return parts[0] if len(parts) == 1 else All(parts)


@dataclass(frozen=True, slots=True)
class Either:
    """One of some needs is met."""

    needs: tuple[Need, ...]

    def test(self) -> Test:
        """Return the test of it."""
        one, *others = [need.test() for need in self.needs]
        if len(others) == 1:
            (other,) = others
            return lambda view, args: one(view, args) or other(view, args)
        return lambda view, args: any(test(view, args) for test in (one, *others))

    def condition(self, household: Household, args: Sequence[int]) -> Condition:
        """Return the disjunction, without what never holds."""
        found = [need.condition(household, args) for need in self.needs]
        if TRUE in found:
            return TRUE
        parts = tuple(part for part in found if part != FALSE)
        return parts[0] if len(parts) == 1 else Some(parts)


Need: TypeAlias = Atom | Kind | Same | No | Both | Either


@dataclass(frozen=True, slots=True)
class Check:
    """A need of an action with a name; ``fault`` is what the world calls it if it is not met.

    It is ``static`` if no action can ever make it met.
    """

    name: str
    need: Need
    fault: Fault | None = None
    static: bool = False


def reads(need: Need) -> Iterator[str]:
    """Yield the predicates of the state that the truth of a need depends on, and its own."""
    match need:
        case Atom(predicate, _):
            if PREDICATES[predicate].origin is not Origin.HOUSEHOLD:
                yield predicate
            yield from PREDICATES[predicate].reads
        case No(inner):
            yield from reads(inner)
        case Both(needs) | Either(needs):
            for inner in needs:
                yield from reads(inner)


def concerns_second(need: Need) -> bool:
    """Return whether the truth of a need depends on the second argument."""
    match need:
        case Atom(_, slots):
            return 1 in slots
        case Kind(_, slot):
            return slot == 1
        case No(inner):
            return concerns_second(inner)
        case Both(needs) | Either(needs):
            return any(map(concerns_second, needs))
    return True


def _at(slot: int, view: View, args: Sequence[int]) -> int:
    return view.household.character if slot == ME else args[slot]
