"""The goals of VirtualHome problems in temporal logic, evaluated on what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from plangauge.errors import ParseError, Unsupported
from plangauge.goals import Goal, progress
from plangauge.model import Action
from plangauge.temporal import Formula, Moment, parse_formula, shortest_prefix, simple_goals
from plangauge.worlds.base import Problem
from plangauge.worlds.virtualhome import State
from plangauge.worlds.virtualhome.predicates import PREDICATES
from plangauge.worlds.virtualhome.rules import RULES


@dataclass(frozen=True)
class Wanted:
    """A formula; ``goals`` are the simple goals that it comes down to, if it does."""

    formula: Formula
    goals: tuple[Goal, ...]


@lru_cache(maxsize=512)
def wanted(problem: Problem[State]) -> Wanted | None:
    """Return the formula of a problem; None where it has none, or none that can be read."""
    if problem.formula is None:
        return None
    try:
        formula = parse_formula(problem.formula, RULES, spelt, spelt_object)
    except ParseError:
        return None
    try:
        goals = simple_goals(formula, list(problem.world.objects))
    except Unsupported:
        goals = ()
    return Wanted(formula, goals)


def judged(
    problem: Problem[State], final: State, done: Sequence[tuple[State, Action]]
) -> tuple[bool | None, float | None]:
    """Return whether the formula of a problem is satisfied, and how far a run gets, in [0, 1].

    ``done`` are the executed actions, each with the state before it; ``final`` is the last state.
    Both are None where there is nothing to judge by.
    """
    asked, world = wanted(problem), problem.world
    if asked is None:
        return None, None
    taken = [(state, frozenset((action,))) for state, action in done]
    moments = [
        Moment(partial(world.holds, state), step) for state, step in [*taken, (final, frozenset())]
    ]
    satisfied = shortest_prefix(asked.formula, moments, list(world.objects)) is not None
    if not asked.goals:
        return satisfied, None
    actions = [action for _, action in done]
    holds = partial(world.holds, final)
    return satisfied, progress(asked.goals, actions, holds).share


def spelt(name: str) -> str:
    """Return the predicate or action that a name in a formula means.

    >>> spelt("ONTOP"), spelt("OPEN"), spelt("WATCH")
    ('ontop', 'open', 'WATCH')
    """
    return name.lower() if name.lower() in PREDICATES else name.upper()


def spelt_object(name: str) -> str:
    """Return the object that a name in a formula means.

    >>> spelt_object("coffee_cup.1000")
    'coffee_cup_1000'
    """
    return "_".join(name.rsplit(".", 1))
