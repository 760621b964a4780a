"""The built-in planner: A* over states as ints, for any problem that plangauge reads.

It finds the cheapest plan, and afterwards all steps of all cheapest plans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple, TypeAlias

from plangauge.core.errors import PlannerError
from plangauge.core.model import Plan
from plangauge.pddl.domain import read_domain
from plangauge.pddl.instance import read_instance
from plangauge.planners.base import PLANNERS, Answer, Deadline, Limits, Pddl
from plangauge.planners.lmcut import Landmarks, LmCut, Relaxation, bound, inherited
from plangauge.planners.reachable import GroundProblem, ground

Budget: TypeAlias = Callable[[int], None]
"""Called with the number of states evaluated so far; raises at the limit."""


class Edge(NamedTuple):
    """A step that leads to a state: the previous state, and the index of the action."""

    source: int
    action: int


class Search:
    """A search for one problem, which can be continued after the first plan.

    Landmarks are inherited by successors, and completed only when a state comes to be expanded;
    so a state may be found too good at first, is put back, and may be reached more cheaply after
    it was expanded, which then happens again. Ties go to the lower bound that is smaller, then to
    the state that was reached last; the order of the actions decides the rest.

    ``canonical`` gives for a state one from which the goal costs as much, and which is searched in
    its place. Then costs are exact, and so are the actions that begin a cheapest plan; a path leads
    from one such state to the next and is no plan.
    """

    def __init__(
        self,
        problem: GroundProblem,
        heuristic: LmCut,
        spend: Budget,
        canonical: Callable[[int], int] | None = None,
    ) -> None:
        self._problem = problem
        self._canonical = canonical
        self._heuristic = heuristic
        self._spend = spend
        self._costs = {problem.initial: 0}
        self._reached_by: dict[int, Edge] = {}
        self._landmarks: dict[int, Landmarks | None] = {problem.initial: ()}
        self._evaluated: set[int] = set()
        self._expanded: dict[int, int] = {}
        self._open = [(0, 0, 0, 0, problem.initial)]
        self._pushed = 0
        self._goals: list[int] = []
        self.cost: int | None = None
        """The cost of the cheapest plan, once there is one."""

    def run(self, bound: float = inf) -> list[int] | None:
        """Return a cheapest plan as indexes of actions; None where none costs at most ``bound``."""
        while self._open and self._open[0][0] <= bound:
            state = self._next()
            if state is not None and self._goals:
                self.cost = self._costs[state]
                return self._path(state)
        return None

    def run_on(self, most: int) -> dict[int, list[Edge]]:
        """Expand up to ``most`` more states; return the steps of cheapest plans by end state.

        All such steps are found unless there are more states. The cheapest costs come first.
        """
        assert self.cost is not None
        end = len(self._expanded) + most
        while self._open and self._open[0][0] <= self.cost and len(self._expanded) < end:
            self._next()
        return self._cheapest_steps()

    @property
    def goals(self) -> list[int]:
        """The goal states that cheapest plans were found to reach."""
        return [goal for goal in self._goals if self._costs[goal] == self.cost]

    def _next(self) -> int | None:
        """Take the most promising state; return it if it was a goal or was expanded."""
        total, _, _, cost, state = heappop(self._open)
        if cost > self._costs[state] or self._expanded.get(state) == cost:
            return None
        seen = self._problem.closure(state)
        landmarks = self._complete(state, seen)
        if landmarks is None:
            return None
        left = bound(landmarks)
        if cost + left > total:
            self._push(cost + left, left, cost, state)
            return None
        self._expanded[state] = cost
        if self._problem.goal.hold(seen):
            self._goals.append(state)
        else:
            self._expand(state, seen, total)
        return state

    def _complete(self, state: int, seen: int) -> Landmarks | None:
        """Return the landmarks of a state; None for a dead end."""
        known = self._landmarks[state]
        if state in self._evaluated or known is None:
            return known
        self._evaluated.add(state)
        self._spend(len(self._evaluated))
        found = self._landmarks[state] = self._heuristic.landmarks(seen, known)
        return found

    def _expand(self, state: int, seen: int, total: int) -> None:
        landmarks = self._landmarks[state]
        assert landmarks is not None
        cost = self._costs[state]
        for action, price, after in self._successors(state, seen):
            successor = after if self._canonical is None else self._canonical(after)
            reached = cost + price
            before = self._costs.get(successor)
            if before is not None and before <= reached:
                continue
            self._costs[successor] = reached
            self._reached_by[successor] = Edge(state, action)
            known = self._landmarks.setdefault(successor, ())
            left = 0 if known is None else bound(known)
            if known is not None and successor not in self._evaluated:
                fresh = inherited(landmarks, action)
                if bound(fresh) > left:
                    left = bound(fresh)
                    if successor == after:
                        known = self._landmarks[successor] = fresh
            if known is not None:
                self._push(max(total, reached + left), left, reached, successor)

    def _successors(self, state: int, seen: int) -> Iterator[tuple[int, int, int]]:
        """Yield the applicable actions that change a state: index, cost, state afterwards."""
        for index, (_, operator, cost) in enumerate(self._problem.actions):
            needs = operator.needs
            if seen & needs.true != needs.true or seen & needs.false:
                continue
            if needs.some and not needs.hold(seen):
                continue
            add, delete = operator.changes(seen)
            successor = state & ~delete | add
            if successor != state:
                yield index, cost, successor

    def _push(self, total: int, left: int, cost: int, state: int) -> None:
        self._pushed -= 1
        heappush(self._open, (total, left, self._pushed, cost, state))

    def _path(self, state: int) -> list[int]:
        actions: list[int] = []
        while state in self._reached_by:
            state, action = self._reached_by[state]
            actions.append(action)
        return actions[::-1]

    def _cheapest_steps(self) -> dict[int, list[Edge]]:
        """Return the steps by which cheapest plans reach each state, nearest states first."""
        into: dict[int, list[Edge]] = {}
        for state, cost in sorted(self._expanded.items(), key=lambda item: item[1]):
            if cost == self._costs[state] and not self._problem.goal.hold(
                seen := self._problem.closure(state)
            ):
                for action, price, after in self._successors(state, seen):
                    successor = after if self._canonical is None else self._canonical(after)
                    if self._costs.get(successor) == cost + price:
                        into.setdefault(successor, []).append(Edge(state, action))
        useful = set(self.goals)
        stack = list(useful)
        while stack:
            for edge in into.get(stack.pop(), ()):
                if edge.source not in useful:
                    useful.add(edge.source)
                    stack.append(edge.source)
        found = {state: edges for state, edges in into.items() if state in useful}
        return dict(sorted(found.items(), key=lambda item: self._costs[item[0]]))


_Path = tuple[int, ...]


def variants(
    steps: Mapping[int, Iterable[Edge]], start: int, goals: Iterable[int], most: int
) -> list[_Path]:
    """Return different plans along these steps, as indexes of actions.

    ``steps`` gives for a state the steps that lead to it; a state stands after those that its
    steps come from, and the start has none. Plans that consist of other actions come first, then
    those that differ in order only. Where there are more than ``most`` plans, as many are
    returned; among the many ways to reach a state, only so many are ever looked at.

    >>> steps = {1: [Edge(0, 5)], 2: [Edge(0, 6)], 3: [Edge(1, 6), Edge(2, 5), Edge(2, 7)]}
    >>> variants(steps, 0, [3], 3)
    [(5, 6), (6, 7), (6, 5)]
    """
    paths: dict[int, list[_Path]] = {start: [()]}
    for state, edges in steps.items():
        ways = [(*path, e.action) for e in edges for path in paths.get(e.source, ())]
        paths[state] = distinct_first(ways)[:most]
    return distinct_first([path for goal in goals for path in paths.get(goal, ())])[:most]


def distinct_first(paths: Iterable[_Path]) -> list[_Path]:
    """Return each path once, first those of which no earlier one consists of the same actions."""
    seen: set[frozenset[int]] = set()
    other: list[_Path] = []
    same: list[_Path] = []
    for path in dict.fromkeys(paths):
        actions = frozenset(path)
        (same if actions in seen else other).append(path)
        seen.add(actions)
    return other + same


_NAME = "astar"
_VERSION = "1"
_MOST_FOR_VARIANTS = 20_000


class AStar:
    """A* with incremental LM-cut, in pure Python."""

    summary = "built-in optimal search: A* with LM-cut"

    def version(self) -> str:
        """Return a version that changes whenever the plans found may."""
        return _VERSION

    def run(self, pddl: Pddl, limits: Limits, references: int = 1) -> Answer:
        """Return optimal plans; the same on every machine, and whatever the limits are."""
        deadline = Deadline(_NAME, limits.seconds)

        def spend(states: int) -> None:
            deadline.check()
            if states > limits.states:
                raise PlannerError(_NAME, f"no plan after {limits.states:,} states")

        instance = read_instance(read_domain(pddl.domain, "domain"), pddl.problem, "problem")
        problem = ground(instance, deadline.check)
        search = Search(problem, LmCut(Relaxation(problem)), spend)
        path = search.run()
        if path is None:
            raise PlannerError(_NAME, "the problem has no plan", unsolvable=True)
        paths = [tuple(path)]
        if references > 1:
            steps = search.run_on(_MOST_FOR_VARIANTS)
            found = variants(steps, problem.initial, search.goals, references)
            paths = distinct_first([*paths, *found])[:references]
        plans = tuple(Plan.of(*[problem.actions[i].action for i in path]) for path in paths)
        assert search.cost is not None
        cost = problem.cost(search.cost)
        return Answer(plans, cost, True, _NAME, _VERSION, (_NAME, "lmcut"))


PLANNERS.add(_NAME, AStar())
