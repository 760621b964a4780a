"""Landmarks: the facts that are true at some point of every plan, each with its proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from plangauge.core.model import Fact, Plan
from plangauge.planners.lmcut import bits
from plangauge.reachability.problems import FactBits, ground_with_goal, instance_of
from plangauge.reachability.task import Budget, Task
from plangauge.reachability.verdicts import UNDECIDED, Proof, Verdict
from plangauge.worlds.base import Problem

_BUDGET = Budget()


_INITIAL = Verdict(True, Proof.WITNESS, Plan())


class _Way(NamedTuple):
    """A plan, and all facts that are true on it."""

    plan: Plan
    facts: int


class Landmarks:
    """Which facts are true at some point of every plan: the fact landmarks of a problem.

    A fact is a landmark if the goal is out of reach without the states in which the fact is true,
    hence without the actions that make it true; one that an action both makes true and false ends
    up true. Facts of the initial state are landmarks, and so is every fact where there is no plan.
    A fact that is not one comes with a plan that avoids it.

    >>> from plangauge.worlds.pddl import read_problem
    >>> problem = read_problem(
    ...     "(define (domain trip) (:predicates (home) (rome) (oslo) (bern))"
    ...     " (:action a :precondition (home) :effect (rome))"
    ...     " (:action b :precondition (home) :effect (oslo))"
    ...     " (:action c :precondition (rome) :effect (bern))"
    ...     " (:action d :precondition (rome) :effect (and (oslo) (bern))))",
    ...     "(define (problem x) (:domain trip) (:init (home)) (:goal (bern)))",
    ... )
    >>> landmarks = Landmarks.of(problem)
    >>> [(str(fact), verdict.value) for fact, verdict in landmarks.facts()]
    [('(rome)', True), ('(oslo)', False), ('(bern)', True)]
    >>> print(landmarks.fact(Fact("oslo")).plan)
    (a), (c)
    """

    def __init__(self, problem: Problem[Any], budget: Budget = _BUDGET) -> None:
        self._ground = ground_with_goal(problem)
        self._bits = FactBits(instance_of(problem), self._ground)
        self._budget = budget
        self._task = Task(self._ground, budget)
        self._ways: list[_Way] = []
        self._none = self._decide_solvable()
        self._verdicts = {bit: self._decide(bit) for bit in bits(self._ground.reached)}

    @classmethod
    def of(cls, problem: Problem[Any], budget: Budget = _BUDGET) -> Landmarks:
        """Return the landmarks of a problem, cached as long as the problem has room.

        Raises `Unsupported` for worlds other than PDDL and for goals that are not those of the
        problem file, and `PlannerError` where there are more than 200,000 actions.
        """
        return problem.once((cls, budget), cls, problem, budget)

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        return 3_000 * len(self._verdicts)

    def fact(self, fact: Fact) -> Verdict:
        """Return whether a fact is a landmark.

        Raises `ValueError` for a fact with an unknown predicate or object, or with arguments of
        wrong number or types.
        """
        bit = self._bits.of(fact)
        if bit == 0:
            return _INITIAL
        return self._none if bit is None else self._verdicts[bit]

    def facts(self) -> Iterator[tuple[Fact, Verdict]]:
        """Yield each well-typed fact that actions can change, with its verdict.

        They come in the order of `Reachability.facts`.
        """
        for fact in self._bits.universe():
            yield fact, self.fact(fact)

    def _decide_solvable(self) -> Verdict:
        """Look for a plan, and return the verdict on facts that can never be true."""
        goal, task = self._ground.goal, self._task
        if not task.relaxation_reaches(goal):
            return Verdict(True, Proof.RELAXATION)
        return self._avoiding(task)

    def _decide(self, bit: int) -> Verdict:
        if self._ground.closure(self._ground.initial) & bit:
            return _INITIAL
        if self._none.value is True:
            return self._none
        for way in self._ways:
            if not way.facts & bit:
                return Verdict(False, Proof.PLAN, way.plan)
        task = Task(self._ground, self._budget, bit)
        if not task.relaxation_reaches(self._ground.goal):
            return Verdict(True, Proof.RELAXATION)
        return self._avoiding(task)

    def _avoiding(self, task: Task) -> Verdict:
        """Return a landmark's verdict: False where a plan of the task is found."""
        goal = self._ground.goal
        found = task.searched(goal, self._budget.evaluated)
        if found.path is not None:
            way = _Way(task.plan(found.path), task.facts_along(found.path))
            self._ways.append(way)
            return Verdict(False, Proof.PLAN, way.plan)
        if found.exhausted:
            return Verdict(True, Proof.SEARCH)
        if not task.pairs.admit(goal.true):
            return Verdict(True, Proof.PAIRS)
        visited = task.visited(goal)
        if visited is None or visited.value is None:
            return UNDECIDED
        return Verdict(not visited.value, visited.proof, visited.plan)
