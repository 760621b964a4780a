"""Reference plans: found once, executed by our own world, and kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from plangauge.errors import PlannerError
from plangauge.model import Action, Plan
from plangauge.planners.base import PLANNERS, Answer, Limits, Pddl, Reference, verified
from plangauge.planners.cache import default_cache, key_of
from plangauge.workers import in_parallel

_FORMAT = 1
_LIMITS = Limits()


def solve(
    pddl: Pddl, planner: str = "auto", limits: Limits = _LIMITS, references: int = 1
) -> Reference:
    """Return a plan that a planner of `PLANNERS` finds, with up to ``references - 1`` others.

    A result is kept in ``$PLANGAUGE_CACHE`` (or the user's folder for caches) under the hash of
    both texts, the planner, its version and ``references``, and found there the next time,
    whatever the limits are. Kept or fresh, its plans are executed by our own world before they are
    returned. Fewer plans than asked for are returned where the planner finds no more.

    Raises `PlannerError` where there is no plan (its ``unsolvable`` is then true), a limit was
    reached, or an answer does not stand the test; `MissingExtra` where the planner is not
    installed; `ProblemError` where a text is wrong; `UnknownName` for an unknown planner.

    >>> pddl = Pddl(
    ...     "(define (domain d) (:predicates (p)) (:action a :effect (p)))",
    ...     "(define (problem x) (:domain d) (:init) (:goal (p)))",
    ... )
    >>> found = solve(pddl)
    >>> str(found.plan), found.cost, found.optimal, found.planner
    ('(a)', 1, True, 'astar')
    """
    if references < 1:
        raise ValueError(f"references must be at least 1, not {references}")
    chosen = PLANNERS[planner]
    cache = default_cache()
    key = key_of(_FORMAT, pddl.domain, pddl.problem, planner, chosen.version(), references)
    kept = _kept(cache.get(key), pddl)
    if kept is not None:
        return kept
    start = time.perf_counter()
    answer = chosen.run(pddl, limits, references)
    reference = verified(answer, pddl, time.perf_counter() - start)
    cache.put(key, _as_json(reference))
    return reference


def solve_many(
    problems: Iterable[Pddl],
    planner: str = "auto",
    limits: Limits = _LIMITS,
    references: int = 1,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Reference | PlannerError]:
    """Yield for each problem, in order, what `solve` returns, or the `PlannerError` it raises.

    ``jobs`` processes share the work; problems are read as they are needed. ``progress`` is told
    how many problems are done. Since results are kept, whoever starts again after an interruption
    goes on where it happened. Raises what else `solve` raises.
    """
    found = (
        (_attempt(pddl, planner, limits, references) for pddl in problems)
        if jobs <= 1
        else in_parallel(_attempt, ((pddl, planner, limits, references) for pddl in problems), jobs)
    )
    for number, result in enumerate(found, start=1):
        if progress is not None:
            progress(number)
        yield result


def _attempt(pddl: Pddl, planner: str, limits: Limits, references: int) -> Reference | PlannerError:
    try:
        return solve(pddl, planner, limits, references)
    except PlannerError as error:
        return error


def _as_json(reference: Reference) -> dict[str, Any]:
    return {
        "plans": [[[a.name, *a.args] for a in plan.actions] for plan in reference.plans],
        "cost": reference.cost,
        "optimal": reference.optimal,
        "planner": reference.planner,
        "version": reference.version,
        "command": reference.command,
        "seconds": reference.seconds,
    }


def _kept(value: Any, pddl: Pddl) -> Reference | None:
    """Return the reference that was kept; None for one that is damaged or not valid."""
    try:
        plans = tuple(
            Plan.of(*[Action(str(name), tuple(map(str, args))) for name, *args in plan])
            for plan in value["plans"]
        )
        answer = Answer(
            plans,
            float(value["cost"]),
            bool(value["optimal"]),
            str(value["planner"]),
            str(value["version"]),
            tuple(map(str, value["command"])),
        )
        return verified(answer, pddl, float(value["seconds"]))
    except (PlannerError, ArithmeticError, KeyError, TypeError, ValueError):
        return None
