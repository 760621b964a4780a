"""Some plan for a goal of many parts: the parts are reached one after another, and kept."""

from __future__ import annotations

from collections.abc import Iterator

from plangauge.core.model import Plan
from plangauge.pddl.masks import Masks
from plangauge.planners.lmcut import bits
from plangauge.planners.reachable import GroundProblem
from plangauge.reachability.greedy import Greedy
from plangauge.reachability.task import Budget, Task

EVALUATED = 10_000
"""How many states are evaluated."""
_ROUNDS = (100, 400, 1_600)
"""How many of them for the whole goal at once, and for each part, round by round."""


def some_plan(problem: GroundProblem, evaluated: int = EVALUATED) -> Plan | None:
    """Return a plan, which need not be cheap; None where none was found in so many states."""
    path = some_path(Task(problem, Budget()), evaluated)
    return None if path is None else Plan.of(*[problem.actions[n].action for n in path])


def some_path(task: Task, evaluated: int = EVALUATED) -> tuple[int, ...] | None:
    """Return the numbers of the actions of a plan; None where none was found in so many states.

    First the whole goal is searched for, then a part at a time such that what has been reached
    holds again: the nearest part first, or else the farthest. Ever more states are evaluated.
    """
    path = _Search(task, evaluated).run()
    return None if path is None else tuple(path)


class _Search:
    def __init__(self, task: Task, evaluated: int) -> None:
        self._problem, self._left = task.problem, evaluated
        self._parts = [*_parts(task.problem.goal)]
        self._successors, self._closure = task.successors, task.problem.closure
        self._relaxed = task.relaxed
        self._greedy = Greedy(self._successors, self._relaxed)
        self._state, self._path = task.problem.initial, list[int]()

    def run(self) -> list[int] | None:
        """Return the numbers of the actions of a plan."""
        for most in _ROUNDS:
            for farthest in (False, True):
                self._state, self._path = self._problem.initial, []
                found = self._reach(self._problem.goal, most)
                if found is None:
                    return None  # no state is left
                while not found and any(self._reach(part, most) for part in self._next(farthest)):
                    found = self._problem.goal.hold(self._closure(self._state))
                if found:
                    return self._path
        return None

    def _next(self, farthest: bool) -> Iterator[Masks]:
        """Yield what has been reached with a part that has not, the nearest part first or last."""
        seen = self._closure(self._state)
        held = [part for part in self._parts if part.hold(seen)]
        near: list[tuple[int, int]] = []
        for number, part in enumerate(self._parts):
            if part not in held and (relaxed := self._relaxed.plan(seen, part)):
                near.append((relaxed[0], number))
        for _, number in sorted(near, reverse=farthest):
            yield _joined([*held, self._parts[number]])

    def _reach(self, target: Masks, most: int) -> bool | None:
        """Go on until a condition holds; return whether it does, None where it never can."""
        if self._left <= 0:
            return False
        found = self._greedy.find(target, min(most, self._left), self._state)
        self._left -= max(found.evaluated, 1)
        if found.path is None:
            return None if found.exhausted else False
        for index in found.path:
            seen = self._closure(self._state)
            self._state = self._successors.after(self._state, seen, index)
        self._path += found.path
        return True


def _parts(goal: Masks) -> Iterator[Masks]:
    yield from (Masks(true=bit) for bit in bits(goal.true))
    yield from (Masks(false=bit) for bit in bits(goal.false))
    yield from (Masks(some=(either,)) for either in goal.some)


def _joined(parts: list[Masks]) -> Masks:
    true = false = 0
    for part in parts:
        true, false = true | part.true, false | part.false
    return Masks(true, false, tuple(either for part in parts for either in part.some))
