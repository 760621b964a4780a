"""A greedy search for one condition that follows relaxed plans.

After each estimate as many actions of the relaxed plan as possible are executed at once; the state
they lead to is tried first (Vidal, "A lookahead strategy for heuristic search planning", ICAPS
2004). Other successors take the estimate of the state they come from.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

from plangauge.pddl.facts import Masks
from plangauge.reachability.relaxed import Relaxed
from plangauge.reachability.space import Successors

_MOST_REACHED = 200_000


class Found(NamedTuple):
    """What a search found out."""

    path: tuple[int, ...] | None
    """Actions that lead to the condition, if they were found."""
    exhausted: bool
    """Whether no state is left that could satisfy the condition."""
    evaluated: int
    """How many states were evaluated."""


class Greedy:
    """A greedy search that never enters a state in which a fact of ``avoid`` is true."""

    def __init__(self, successors: Successors, relaxed: Relaxed, avoid: int = 0) -> None:
        self.successors = successors
        self.relaxed = relaxed
        self.closure = successors.problem.closure
        self._avoid = avoid

    def find(self, target: Masks, most: int, start: int | None = None) -> Found:
        """Search until the condition holds, for at most so many evaluated states.

        ``start`` is the state in which it begins, by default the initial one.
        """
        if start is None:
            start = self.successors.problem.initial
        if self.forbidden(start):
            return Found(None, True, 0)
        return _Run(self, target, start).search(most)

    def forbidden(self, state: int) -> bool:
        """Return whether a state may not be entered."""
        return bool(self._avoid and self.closure(state) & self._avoid)


class _Run:
    """One search: the states reached, and those waiting to be evaluated."""

    def __init__(self, greedy: Greedy, target: Masks, start: int) -> None:
        self._greedy = greedy
        self._target = target
        self._closure = greedy.closure
        self._successors = greedy.successors
        self._came: dict[int, tuple[int, tuple[int, ...]] | None] = {start: None}
        self._waiting = [(0, 0, 0, start)]

    def search(self, most: int) -> Found:
        """Search until the condition holds, for at most so many evaluated states."""
        evaluated = 0
        while self._waiting:
            state = heappop(self._waiting)[-1]
            seen = self._closure(state)
            if self._target.hold(seen):
                return Found(self._path(state), False, evaluated)
            if evaluated >= most or len(self._came) > _MOST_REACHED:
                return Found(None, False, evaluated)
            evaluated += 1
            relaxed = self._greedy.relaxed.plan(seen, self._target)
            if relaxed is None:
                continue
            estimate, plan = relaxed
            self._expand(state, seen, estimate, set(plan))
            after, steps = self._follow(state, plan)
            if steps:
                self._reach(after, (state, steps), estimate - 1, 0)
        return Found(None, True, evaluated)

    def _follow(self, state: int, plan: list[int]) -> tuple[int, tuple[int, ...]]:
        """Execute actions of a relaxed plan, each once, until none is applicable or all is done."""
        successors, steps = self._successors, list[int]()
        left, progress = plan, True
        while progress:
            progress, waiting = False, list[int]()
            for index in left:
                seen = self._closure(state)
                if self._target.hold(seen):
                    return state, tuple(steps)
                if successors.operators[index].needs.hold(seen):
                    after = successors.after(state, seen, index)
                    if not self._greedy.forbidden(after):
                        state, progress = after, True
                        steps.append(index)
                        continue
                waiting.append(index)
            left = waiting
        return state, tuple(steps)

    def _expand(self, state: int, seen: int, estimate: int, helpful: set[int]) -> None:
        successors = self._successors
        for index in successors.applicable(seen):
            if index < successors.changing:
                after = successors.after(state, seen, index)
                self._reach(after, (state, (index,)), estimate, index not in helpful)

    def _reach(
        self, state: int, came: tuple[int, tuple[int, ...]], estimate: int, kind: int
    ) -> None:
        if state in self._came or self._greedy.forbidden(state):
            return
        self._came[state] = came
        heappush(self._waiting, (estimate, kind, len(self._came), state))

    def _path(self, state: int) -> tuple[int, ...]:
        pieces: list[tuple[int, ...]] = []
        came = self._came[state]
        while came is not None:
            pieces.append(came[1])
            came = self._came[came[0]]
        return tuple([action for piece in reversed(pieces) for action in piece])
