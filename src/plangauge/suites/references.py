"""The reference plans of a suite: by closed form where there is one, else by a planner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from plangauge.domains.base import Domain
from plangauge.errors import PlannerError
from plangauge.model import Plan
from plangauge.planners import Pddl, Reference, solve_many
from plangauge.worlds.base import Problem


@dataclass(frozen=True)
class Found:
    """Reference plans, the stored one first, and how they were found; or why there are none."""

    plans: tuple[Plan, ...] = ()
    how: dict[str, Any] = field(default_factory=dict)
    why: str = ""


def find_references(
    domain: Domain,
    problems: Sequence[tuple[str, Problem[int]]],
    references: int,
    planner: str,
    jobs: int = 1,
) -> Iterator[Found]:
    """Yield up to so many optimal plans for each problem, given as text and understood.

    A planner is asked only where the domain has no closed form.
    """
    closed = [domain.optimal_plans(problem, references) for _, problem in problems]
    texts = [
        Pddl(domain.pddl, text)
        for (text, _), plans in zip(problems, closed, strict=True)
        if not plans
    ]
    answers = solve_many(texts, planner, references=references, jobs=jobs) if texts else iter(())
    how = {"planner": "closed form", "version": domain.version, "optimal": True}
    for plans in closed:
        yield Found(plans, how) if plans else _found(next(answers))


def _found(answer: Reference | PlannerError) -> Found:
    if isinstance(answer, PlannerError):
        return Found(why=str(answer))
    how = {
        "planner": answer.planner,
        "version": answer.version,
        "command": [*answer.command],
        "optimal": answer.optimal,
    }
    return Found(answer.plans, how)
