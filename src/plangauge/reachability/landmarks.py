"""Landmarks: the facts that are true at some point of every plan, each with its proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from plangauge.core.model import Fact, Plan
from plangauge.planners.lmcut import bits
from plangauge.reachability.problems import FactBits, ground_with_goal, instance_of
from plangauge.reachability.serial import some_path
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

    The landmarks of the delete relaxation, and facts that short searches avoid, are found at once;
    of each plan found, all facts that it avoids. The others are decided when they are asked about.

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
        self._verdicts: dict[int, Verdict] = {}
        self._none = self._decide_solvable()
        self._pending = self._decide_easy()

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
        if bit is None:
            return self._none
        if bit not in self._verdicts:
            self._verdicts[bit] = self._searched(self._task.avoiding(bit))
        return self._verdicts[bit]

    def facts(self, easy: bool = False) -> Iterator[tuple[Fact, Verdict]]:
        """Yield each well-typed fact that actions can change, with its verdict.

        They come in the order of `Reachability.facts`. With ``easy``, those that need a long
        search do not come.
        """
        for fact in self._bits.universe():
            if not (easy and (self._bits.of(fact) or 0) & self._pending):
                yield fact, self.fact(fact)

    def _decide_solvable(self) -> Verdict:
        """Look for a plan, and return the verdict on facts that can never be true."""
        if not self._task.relaxation_reaches(self._ground.goal):
            return Verdict(True, Proof.RELAXATION)
        found = self._found(self._task)
        if found is None and (path := some_path(self._ground).path) is not None:
            found = self._noted(self._task, path)
        return found or self._searched(self._task)

    def _decide_easy(self) -> int:
        """Decide facts without long searches, and return the mask of those that need one.

        Only these searches add to the plans found, so verdicts do not depend on what is asked.
        """
        start, pending = self._ground.closure(self._ground.initial), 0
        relaxed = self._task.relaxed.landmarks(start, self._ground.goal)
        for bit in bits(self._ground.reached):
            verdict = self._known(bit, start, relaxed)
            if verdict is None and self._ways:
                task = self._task.avoiding(bit)
                verdict = self._found(task)
            if verdict is None:
                pending |= bit
            else:
                self._verdicts[bit] = verdict
        for bit in bits(pending):
            if verdict := self._known(bit, start, relaxed):
                self._verdicts[bit] = verdict
                pending ^= bit
        return pending

    def _known(self, bit: int, start: int, relaxed: int) -> Verdict | None:
        """Return the verdict on a fact that needs no search of its own."""
        if start & bit:
            return _INITIAL
        if self._none.value is True:
            return self._none
        if relaxed & bit:
            return Verdict(True, Proof.RELAXATION)
        ways = (way.plan for way in self._ways if not way.facts & bit)
        plan = next(ways, None)
        return None if plan is None else Verdict(False, Proof.PLAN, plan)

    def _found(self, task: Task) -> Verdict | None:
        """Return the verdict of a short search for a plan of a task; note the plan's facts."""
        found = task.searched(self._ground.goal, self._budget.evaluated // 10)
        if found.path is None:
            return Verdict(True, Proof.SEARCH) if found.exhausted else None
        return self._noted(task, found.path)

    def _noted(self, task: Task, path: tuple[int, ...]) -> Verdict:
        way = _Way(task.plan(path), task.facts_along(path))
        self._ways.append(way)
        return Verdict(False, Proof.PLAN, way.plan)

    def _searched(self, task: Task) -> Verdict:
        """Return a landmark's verdict: False where a plan of the task is found."""
        goal = self._ground.goal
        found = task.searched(goal, self._budget.evaluated)
        if found.path is not None:
            return Verdict(False, Proof.PLAN, task.plan(found.path))
        if found.exhausted:
            return Verdict(True, Proof.SEARCH)
        if not task.pairs.admit(goal.true):
            return Verdict(True, Proof.PAIRS)
        visited = task.visited(goal)
        if visited is None or visited.value is None:
            return UNDECIDED
        return Verdict(not visited.value, visited.proof, visited.plan)
