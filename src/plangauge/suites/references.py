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

    A plan by closed form comes first, and no planner is asked where one plan is enough.
    """
    closed = [domain.optimal_plan(problem) for _, problem in problems]
    asked = [plan is None or references > 1 for plan in closed]
    texts = (
        Pddl(domain.pddl, text) for (text, _), needed in zip(problems, asked, strict=True) if needed
    )
    answers = solve_many(texts, planner, references=references, jobs=jobs) if any(asked) else None
    for plan, needed in zip(closed, asked, strict=True):
        answer = next(answers) if needed and answers is not None else None
        yield _found(plan, answer, domain, references)


def _found(
    closed: Plan | None, answer: Reference | PlannerError | None, domain: Domain, references: int
) -> Found:
    solved = answer if isinstance(answer, Reference) else None
    if closed is None:
        return Found(solved.plans, _how(solved)) if solved else Found(why=str(answer))
    others = [plan for plan in solved.plans if plan != closed] if solved else []
    how = {"planner": "closed form", "version": domain.version, "optimal": True}
    return Found((closed, *others)[:references], how)


def _how(reference: Reference) -> dict[str, Any]:
    return {
        "planner": reference.planner,
        "version": reference.version,
        "command": [*reference.command],
        "optimal": reference.optimal,
    }
