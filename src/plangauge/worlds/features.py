"""What problems use beyond classical PDDL, where only some of it is supported."""

from __future__ import annotations

from typing import Any

from plangauge.core.errors import Unsupported
from plangauge.pddl.features import DURATIONS, OF_SCHEDULES, TIMED, refusal
from plangauge.worlds.base import Problem


def features_of(problem: Problem[Any]) -> tuple[str, ...]:
    """Return what a problem uses beyond classical PDDL; nothing for worlds that are not PDDL."""
    instance = getattr(problem.world, "instance", None)
    return getattr(instance, "features", ())


def has_time(problem: Problem[Any]) -> bool:
    """Return whether a plan for a problem needs times: for durative actions or timed literals."""
    return not {DURATIONS, TIMED}.isdisjoint(features_of(problem))


def of_schedules(problem: Problem[Any]) -> tuple[str, ...]:
    """Return why the plans of a problem can be judged only as a whole; nothing where they need not.

    These are durative actions, timed literals and trajectory constraints. Numbers and preferences
    are no obstacle: the state after a step says whether the goal holds.
    """
    return tuple(name for name in features_of(problem) if name in OF_SCHEDULES)


def require_classical_problem(problem: Problem[Any], what: str, hint: str = "") -> None:
    """Raise `Unsupported` for a problem with numbers, time, preferences or constraints."""
    if found := features_of(problem):
        raise Unsupported(f"{problem.name}: {refusal(what, found)}{hint}")


def require_steps(
    problem: Problem[Any], what: str, hint: str = "; use validate for whole plans"
) -> None:
    """Raise `Unsupported` for a problem whose plans cannot be judged step by step."""
    if found := of_schedules(problem):
        raise Unsupported(f"{problem.name}: {refusal(what, found)}{hint}")
