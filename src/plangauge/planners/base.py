"""What a planner is, what it answers, and how its answers are checked."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from plangauge.errors import PlannerError
from plangauge.goals import progress
from plangauge.model import Plan
from plangauge.registry import Registry
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import read_problem, read_text

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Pddl:
    """The texts of a domain and of a problem."""

    domain: str
    problem: str

    @classmethod
    def load(cls, domain: str | Path, problem: str | Path) -> Pddl:
        """Read two files; raises `ProblemError` where one cannot be read."""
        return cls(read_text(domain), read_text(problem))


@dataclass(frozen=True, slots=True)
class Limits:
    """What a planner may use for one problem.

    ``states`` bounds the states that the built-in search evaluates; ``megabytes`` bounds foreign
    planners.
    """

    seconds: float = 300
    states: int = 100_000
    megabytes: int = 2048


class Deadline:
    """When a planner has to stop."""

    def __init__(self, planner: str, seconds: float) -> None:
        self._planner = planner
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise `PlannerError` where the time is over."""
        if time.monotonic() > self._end:
            raise PlannerError(self._planner, f"no plan within {self._seconds:g} seconds")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a planner claims: plans of the same cost, and how they were found."""

    plans: tuple[Plan, ...]
    cost: float
    optimal: bool
    planner: str
    version: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A plan that was found by a planner and that our own world has executed.

    ``command`` is what was run, without what differs between machines. ``alternatives`` are other
    plans of the same cost. Two references are equal whatever time they took.
    """

    plan: Plan
    cost: float
    optimal: bool
    planner: str
    version: str
    command: tuple[str, ...]
    alternatives: tuple[Plan, ...] = ()
    seconds: float = field(default=0, compare=False)

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plan and its alternatives."""
        return (self.plan, *self.alternatives)


class Planner(Protocol):
    """Finds plans for problems in PDDL."""

    @property
    def summary(self) -> str:
        """What it is, in a few words."""
        ...

    def version(self) -> str:
        """Return the installed version; raise `MissingExtra` where there is none."""
        ...

    def run(self, pddl: Pddl, limits: Limits, references: int) -> Answer:
        """Return at least one plan, and at most as many as asked for.

        Raises `PlannerError` where there is no plan or a limit was reached, and `MissingExtra`
        where the planner is not installed. The answer must not depend on the limits.
        """
        ...


PLANNERS: Registry[Planner] = Registry("planner", "plangauge.planners")
"""Planners by name."""


def verified(answer: Answer, pddl: Pddl, seconds: float) -> Reference:
    """Return the answer as a reference after our own world has executed its plans.

    Raises `PlannerError` where a plan is not valid, costs something else than claimed, or is given
    twice.
    """
    problem = read_problem(pddl.domain, pddl.problem)
    plans: list[Plan] = []
    for claimed in answer.plans:
        try:
            plan, cost = _executed(claimed, problem)
        except ValueError as error:
            raise PlannerError(answer.planner, f"its plan is not valid: {error}") from None
        if abs(cost - answer.cost) > _TOLERANCE * max(1, abs(cost)):
            message = f"it claims a cost of {answer.cost:g} for a plan that costs {cost:g}"
            raise PlannerError(answer.planner, message)
        plans.append(plan)
    if not plans or len(set(plans)) < len(plans):
        raise PlannerError(answer.planner, "it gave no plan, or one plan twice")
    how = (answer.optimal, answer.planner, answer.version, answer.command)
    return Reference(plans[0], cost, *how, tuple(plans[1:]), seconds)


def _executed(plan: Plan, problem: Problem[int]) -> tuple[Plan, float]:
    """Return a plan as the world spells it, and its cost; raise ValueError if it is not valid.

    This is what `simulate` does, less the diagnosis.
    """
    world, state = problem.world, problem.initial
    actions = tuple(map(world.canonical, plan.actions))
    cost: float = 0
    for number, action in enumerate(actions, start=1):
        after = world.successor(state, action)
        if after is None:
            raise ValueError(f"step {number}, {action}, is not applicable")
        cost += world.effect(state, action).cost
        state = after
    if not progress(problem.goals, actions, lambda part: world.holds(state, part)).reached:
        raise ValueError("it misses the goal")
    return Plan.of(*actions), cost
