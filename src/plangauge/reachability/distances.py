"""How far the goal is away, exactly, and what each action costs beyond a cheapest plan."""

from __future__ import annotations

from array import array
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from math import inf
from typing import Any

from plangauge.core.errors import PlannerError
from plangauge.core.model import Action, Plan
from plangauge.planners.lmcut import LmCut, Relaxation
from plangauge.planners.search import Search
from plangauge.reachability.problems import ground_with_goal, instance_of
from plangauge.reachability.space import Space, Successors
from plangauge.reachability.symmetry import Symmetry
from plangauge.reachability.task import Budget, ClosedForm, ClosedForms, Task
from plangauge.worlds.base import Problem

STATES = 60_000
"""How many states are visited to know all distances at once."""
EFFORT = 40_000_000
"""How many states A* evaluates for one distance after that, times the number of actions."""
_FEW, _SOME = 300, 3_000
"""How many it evaluates before: where that is enough, visiting all states would take longer."""


class Distances:
    """The lowest costs from the initial state and its successors to the goal.

    Of states that differ only by objects that can take each other's place, one is searched. Short
    searches come first. Where these do not suffice and there are at most so many ``states``,
    all distances are computed backwards from the goal; otherwise A* evaluates up to so many states
    for each, by default the fewer the more actions there are. Costs are those of the problem's
    metric; without one every action costs 1.

    >>> from plangauge.worlds.pddl import read_problem
    >>> problem = read_problem(
    ...     "(define (domain trip) (:predicates (home) (rome) (oslo) (bern))"
    ...     " (:action a :precondition (home) :effect (rome))"
    ...     " (:action b :precondition (home) :effect (and (oslo) (not (home))))"
    ...     " (:action c :precondition (rome) :effect (bern)))",
    ...     "(define (problem x) (:domain trip) (:init (home)) (:goal (bern)))",
    ... )
    >>> distances = Distances.of(problem)
    >>> distances.cost, distances.regret(Action("a")), distances.regret(Action("b"))
    (2.0, 0.0, inf)
    >>> sorted(map(str, distances.optimal_next or ()))
    ['(a)']
    """

    def __init__(
        self,
        problem: Problem[Any],
        states: int = STATES,
        evaluated: int | None = None,
        closed: ClosedForm | None = None,
    ) -> None:
        self._world, self._initial = problem.world, problem.initial
        self._problem = ground_with_goal(problem)
        self._successors = Successors(self._problem)
        self._symmetry = Symmetry(instance_of(problem), self._problem)
        self._known: dict[int, float | None] = {}
        self._actions = {
            each.action: number
            for number, each in enumerate((*self._problem.actions, *self._problem.idle))
        }
        self._states = states
        most = EFFORT // (len(self._actions) + 1) if evaluated is None else evaluated
        self._limits = tuple(dict.fromkeys(min(limit, most) for limit in (_FEW, _SOME, most)))
        self._ran: tuple[int, Search] | None = None
        """The limit of the search that found the cost from the initial state, and the search."""
        same_cost = {action.cost for action in self._problem.actions} == {1}
        self._closed = closed if same_cost and self._problem.scale == (1, 1) else None

    @classmethod
    def of(
        cls,
        problem: Problem[Any],
        states: int = STATES,
        evaluated: int | None = None,
        closed_form: ClosedForms | None = None,
    ) -> Distances:
        """Return the distances of a problem, cached as long as the problem has room.

        Where ``closed_form`` returns the closed form of the problem, and all actions cost the same,
        nothing is searched.

        Raises `Unsupported` for worlds other than PDDL and for goals that are not those of the
        problem file, and `PlannerError` where there are more than 200,000 actions.
        """
        key = (cls, states, evaluated, closed_form)
        return problem.once(
            key, lambda: cls(problem, states, evaluated, closed_form and closed_form(problem))
        )

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        words = self._problem.reached.bit_length() // 8 + 200
        return words * len(self._known) + 3_000 * len(self._actions)

    @cached_property
    def cost(self) -> float | None:
        """The cost of a cheapest plan; infinite where there is none, None where undecided."""
        total = self._total(self._problem.initial)
        return total if total is None or total == inf else float(self._cost(total))

    @cached_property
    def plan(self) -> Plan | None:
        """Some plan, found by greedy search, which need not be cheap; None where none was found."""
        budget = Budget()
        task = Task(self._problem, budget)
        found = task.searched(self._problem.goal, budget.evaluated)
        return None if found.path is None else task.plan(found.path)

    def regret(self, action: Action) -> float | None:
        """Return the lowest cost of a plan that begins with an action, less that of any plan.

        It is at least 0, and 0 for the actions that begin a cheapest plan; infinite where no plan
        begins with the action, and None where a limit was reached. Raises `ValueError` if the
        action is not applicable in the initial state, or there is no plan at all.
        """
        after = self._after(action)
        best = self._total(self._problem.initial)
        if best is None:
            return None
        if best == inf:
            raise ValueError("there is no plan")
        rest = self._total(after)
        if rest is None or rest == inf:
            return rest
        return float(self._price(action) + self._cost(rest) - self._cost(best))

    @cached_property
    def optimal_next(self) -> frozenset[Action] | None:
        """The actions that begin a cheapest plan; None where a limit was reached.

        It is empty where there is no plan. In a state that satisfies the goal only actions without
        cost can begin a plan as cheap as none.
        """
        best = self._total(self._problem.initial)
        if best is None:
            return None
        if best == inf:
            return frozenset()
        applicable = self._world.applicable(self._initial)
        found = {action: self.is_optimal(action) for action in applicable}
        if None in found.values():
            return None
        return frozenset(action for action, optimal in found.items() if optimal)

    def is_optimal(self, action: Action) -> bool | None:
        """Return whether an action begins a cheapest plan; None where a limit was reached.

        This takes less than `regret`, which says by how much it does not. Raises `ValueError` if
        the action is not applicable in the initial state.
        """
        after = self._after(action)
        best = self._total(self._problem.initial)
        if best is None or best == inf:
            return None if best is None else False
        factor, unit = self._problem.scale
        left = (self._cost(best) - self._price(action)) * unit // 1
        bound = left * factor + factor - 1
        if not self._closed and factor == 1 and (first := self._first_steps) is not None:
            found, every = first
            return True if action in found else False if every else None
        rest = self._total(after) if self._closed else self._search(after, bound)
        return None if rest is None else rest <= bound

    @cached_property
    def _first_steps(self) -> tuple[frozenset[Action], bool] | None:
        """Actions that begin a cheapest plan, and whether these are all; None if all is known.

        One search for all actions: it goes on from the first plan until every state is expanded
        through which a cheapest one may lead. No action may be free, since plans of the same cost
        would not be of the same int cost.
        """
        if self._ran is None:
            return None
        initial = self._problem.initial
        least, search = self._ran
        for most in self._limits[self._limits.index(least) :]:
            if most > least:  # it finds the plan that a search with a lower limit found
                search = self._begun(initial, most)
                search.run()
            try:
                steps, every = search.run_on(most), True
                break
            except PlannerError:
                if most >= _SOME and self._all:
                    return None
                steps, every = search.run_on(0), False
        edges = (edge for edges in steps.values() for edge in edges)
        first = (edge.action for edge in edges if edge.source == initial)
        return frozenset(self._problem.actions[index].action for index in first), every

    def _after(self, action: Action) -> int:
        """Return the state after an action; raise `ValueError` where it is not applicable."""
        index = self._actions.get(action)
        initial = self._problem.initial
        seen = self._problem.closure(initial)
        if index is None or not self._successors.operators[index].needs.hold(seen):
            raise ValueError(f"{action} is not applicable")
        return self._successors.after(initial, seen, index)

    def _price(self, action: Action) -> Fraction:
        return Fraction(str(self._world.effect(self._initial, action).cost))

    def _cost(self, total: float) -> Fraction:
        """Return the exact cost of an int cost."""
        factor, unit = self._problem.scale
        return Fraction(int(total) // factor, unit)

    @cached_property
    def _heuristic(self) -> LmCut:
        return LmCut(Relaxation(self._problem))

    def _total(self, state: int) -> float | None:
        """Return the int cost from a state to the goal, cached; infinite for a dead end."""
        alike = self._symmetry.canonical(state)
        if alike not in self._known:
            self._known[alike] = self._search(state, inf)
        return self._known[alike]

    def _search(self, state: int, bound: float) -> float | None:
        """Return the int cost from a state to the goal, infinite where it exceeds a bound."""
        if self._closed is not None:
            plan = self._closed(frozenset(self._problem.table.facts(state)))
            return len(plan) if plan is not None and len(plan) <= bound else inf
        for most in self._limits:
            search = self._begun(state, most)
            try:
                found = search.run(bound)
            except PlannerError:
                if most >= _SOME and state in self._all:
                    return self._all[state]
                continue
            if state == self._problem.initial and bound == inf:
                self._ran = most, search
            return inf if found is None else search.cost
        return None

    def _begun(self, state: int, most: int) -> Search:
        def spend(states: int) -> None:
            if states > most:
                raise PlannerError("distances", f"no plan after {most:,} states")

        canonical = self._symmetry.canonical if self._symmetry else None
        return Search(self._problem._replace(initial=state), self._heuristic, spend, canonical)

    @cached_property
    def _all(self) -> dict[int, float]:
        """The int cost from each reachable state to the goal; empty where there are too many."""
        space = Space(self._successors, self._states)
        space.visit()
        return _backwards(space, self._successors) if space.exhausted else {}


def _backwards(space: Space, successors: Successors) -> dict[int, float]:
    """Return the int cost from each state to the goal, where all states were visited."""
    goal, derived = successors.problem.goal, successors.derived
    actions = successors.problem.actions
    states = [seen & ~derived for seen in space.states]
    numbers = {state: number for number, state in enumerate(states)}
    into = [array("q") for _ in states]
    for number, seen in enumerate(space.states):
        for index in successors.applicable(seen):
            if index < successors.changing:
                after = numbers[successors.after(states[number], seen, index)]
                into[after].extend((number, index))
    costs: list[float] = [inf] * len(states)
    queue = [(0, number) for number, seen in enumerate(space.states) if goal.hold(seen)]
    for _, number in queue:
        costs[number] = 0
    while queue:
        cost, number = heappop(queue)
        if cost > costs[number]:
            continue
        edges = into[number]
        for source, index in zip(edges[::2], edges[1::2], strict=True):
            reached = cost + actions[index].cost
            if reached < costs[source]:
                costs[source] = reached
                heappush(queue, (reached, source))
    return dict(zip(states, costs, strict=True))
