"""A world of which only some predicates are told."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic

from plangauge.conditions import Condition
from plangauge.model import Action, Fact
from plangauge.worlds.base import Effect, Problem, S, Violation, World


class Shown(Generic[S]):
    """The same world, its facts being those of some predicates.

    What things are, which never changes, can thus be left out of the states that are asked for.
    Conditions may still be about all predicates.

    >>> from plangauge.worlds.pddl import read_problem
    >>> problem = read_problem("(define (domain d) (:predicates (p) (q)))",
    ...                        "(define (problem x) (:domain d) (:init (p) (q)) (:goal (p)))")
    >>> world = Shown(problem.world, ["p"])
    >>> sorted(map(str, world.facts(problem.initial))), [*world.predicates]
    (['(p)'], ['p'])
    """

    def __init__(self, world: World[S], asked: Collection[str]) -> None:
        self.whole = world
        self.asked = frozenset(asked)

    @property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter types."""
        return self.whole.schemas

    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter names."""
        return self.whole.parameters

    @property
    def objects(self) -> Mapping[str, str]:
        """Object → type."""
        return self.whole.objects

    @cached_property
    def predicates(self) -> Mapping[str, tuple[str, ...]]:
        """Predicate → types of its arguments, of those that are told."""
        told = self.whole.predicates.items()
        return {name: types for name, types in told if name in self.asked}

    @cached_property
    def static(self) -> frozenset[Fact]:
        """The facts that hold in every state, of those that are told."""
        return self._told(self.whole.static)

    def canonical(self, action: Action) -> Action:
        """Return the action spelt as this world spells it; itself where that changes nothing."""
        return self.whole.canonical(action)

    def is_a(self, obj: str, type_: str) -> bool:
        """Return whether a known object can stand where a parameter type is asked for."""
        return self.whole.is_a(obj, type_)

    def successor(self, state: S, action: Action) -> S | None:
        """Return the state after the action; None where the action is not applicable."""
        return self.whole.successor(state, action)

    def violations(self, state: S, action: Action) -> Sequence[Violation]:
        """Return what keeps the action from being applicable, in the order it is declared."""
        return self.whole.violations(state, action)

    def preconditions(self, action: Action) -> Sequence[Condition]:
        """Return what the action needs, in the order it is declared."""
        return self.whole.preconditions(action)

    def effect(self, state: S, action: Action) -> Effect:
        """Return what the action would change in this state, of what is told."""
        found = self.whole.effect(state, action)
        return Effect(self._told(found.add), self._told(found.delete), found.cost)

    def reads(self, action: Action) -> Container[Fact]:
        """Return the changeable facts that its applicability or its effect can depend on."""
        return self.whole.reads(action)

    def applicable(self, state: S) -> Iterable[Action]:
        """Return the applicable actions, each once, always in the same order."""
        return self.whole.applicable(state)

    def holds(self, state: S, condition: Condition) -> bool:
        """Return whether the condition is satisfied in the state."""
        return self.whole.holds(state, condition)

    def facts(self, state: S) -> frozenset[Fact]:
        """Return every fact that is true, of those that are told."""
        return self._told(self.whole.facts(state))

    def _told(self, facts: Iterable[Fact]) -> frozenset[Fact]:
        return frozenset(fact for fact in facts if fact.predicate in self.asked)


def shown(problem: Problem[S], asked: Collection[str]) -> Problem[S]:
    """Return the problem with only these predicates told."""
    world = Shown(problem.world, asked)
    return Problem(world, problem.initial, problem.goals, problem.name, problem.formula)


def whole(problem: Problem[S]) -> Problem[S]:
    """Return the problem with all predicates told."""
    world = problem.world
    if not isinstance(world, Shown):
        return problem
    return Problem(world.whole, problem.initial, problem.goals, problem.name, problem.formula)
