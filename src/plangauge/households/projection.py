"""A world seen through some of its predicates only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic

from plangauge.core.model import Action, Fact
from plangauge.worlds.base import Effect, Problem, S, World

_SHARED = frozenset(name for name in dir(World) if not name.startswith("_")) | {"compatible"}
"""What a projection has from the world itself, but for what is defined here."""


class Projection(Generic[S]):
    """The same world, its facts being those of some predicates.

    What things are, which never changes, can thus be left out of the states that are asked for.
    Conditions may still be about all predicates.

    >>> from plangauge.worlds.pddl import read_problem
    >>> problem = read_problem("(define (domain d) (:predicates (p) (q)))",
    ...                        "(define (problem x) (:domain d) (:init (p) (q)) (:goal (p)))")
    >>> world = Projection(problem.world, ["p"])
    >>> sorted(map(str, world.facts(problem.initial))), [*world.predicates]
    (['(p)'], ['p'])
    """

    def __init__(self, world: World[S], asked: Collection[str]) -> None:
        self.whole = world
        self.asked = frozenset(asked)

    def __getattr__(self, name: str) -> Any:
        if name not in _SHARED:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.whole, name)

    @cached_property
    def predicates(self) -> Mapping[str, tuple[str, ...]]:
        """Predicate → types of its arguments, of those that are asked for."""
        types = self.whole.predicates.items()
        return {name: of for name, of in types if name in self.asked}

    @cached_property
    def static(self) -> frozenset[Fact]:
        """The facts that hold in every state, of those that are asked for."""
        return self._projected(self.whole.static)

    def effect(self, state: S, action: Action) -> Effect:
        """Return what the action would change in this state, of what is asked for."""
        found = self.whole.effect(state, action)
        return Effect(self._projected(found.add), self._projected(found.delete), found.cost)

    def facts(self, state: S) -> frozenset[Fact]:
        """Return every fact that is true, of those that are asked for."""
        return self._projected(self.whole.facts(state))

    def _projected(self, facts: Iterable[Fact]) -> frozenset[Fact]:
        return frozenset(fact for fact in facts if fact.predicate in self.asked)


def project_problem(problem: Problem[S], asked: Collection[str]) -> Problem[S]:
    """Return the problem with only these predicates; itself where none are given."""
    world: Any = Projection(problem.world, asked)
    return replace(problem, world=world) if asked else problem


def whole(problem: Problem[S]) -> Problem[S]:
    """Return the problem with all predicates."""
    world: Any = problem.world
    return replace(problem, world=world.whole) if isinstance(world, Projection) else problem
