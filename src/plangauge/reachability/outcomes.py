"""Deciding all facts and actions of a problem in one go."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from plangauge.pddl.facts import Masks
from plangauge.planners.lmcut import bits
from plangauge.reachability.space import Space
from plangauge.reachability.task import Budget, Task
from plangauge.reachability.verdicts import Proof


class Outcome(NamedTuple):
    """A verdict, and the path to a state that proves it."""

    value: bool | None
    proof: Proof
    path: tuple[int, ...] | None = None


_UNDECIDED = Outcome(None, Proof.UNDECIDED)


def decide_easy(task: Task, budget: Budget) -> Decisions:
    """Return the outcomes of all facts and actions that the delete relaxation reaches.

    Facts are given by their masks, actions by their numbers; that they become true and applicable
    is asked. A few states and pairs of facts decide; the rest is undecided.
    """
    decided = Decisions(task)
    decided.visit(task.space, budget.states // _FEW)
    decided.exclude_by_pairs()
    return decided


def decide_all(task: Task, budget: Budget, easy: Decisions) -> Decisions:
    """Return the outcomes of what is not easy, too: by searches for each, and by all states."""
    decided = Decisions(task, easy)
    left = decided.search(budget.evaluated // 40, budget.total)
    decided.visit(Space(task.successors, budget.states), budget.states)
    decided.search(budget.evaluated, left)
    return decided


_FEW = 30
"""The share of the states that are visited for what is easy."""


class Decisions:
    """What is decided so far; what is not is pending."""

    def __init__(self, task: Task, before: Decisions | None = None) -> None:
        self._task = task
        self._operators = task.successors.operators
        self.facts: dict[int, Outcome] = (
            {**before.facts} if before else _none(bits(task.problem.reached))
        )
        self.actions: dict[int, Outcome] = (
            {**before.actions} if before else _none(range(len(self._operators)))
        )

    def visit(self, space: Space, most: int) -> None:
        """Visit states until all facts and actions were seen that can be, or so many states."""
        pending = [(each, self._pending(each)) for each in (self.facts, self.actions)]
        if not any(keys for _, keys in pending):
            return
        possible = tuple(
            sum(outcome.value is not False for outcome in each.values()) for each, _ in pending
        )
        space.visit(
            lambda: (
                len(space.states) > most
                or (len(space.first_with), len(space.first_before)) == possible
            )
        )
        for (outcomes, keys), first in zip(
            pending, (space.first_with, space.first_before), strict=True
        ):
            for key in keys:
                if key in first:
                    outcomes[key] = Outcome(True, Proof.WITNESS, space.path(first[key]))
        if space.exhausted:
            self._exclude(lambda _: True, Proof.SEARCH)
            return
        for action in self._pending(self.actions):
            found = space.find(self._operators[action].needs)
            if found is not None:
                self.actions[action] = Outcome(True, Proof.WITNESS, space.path(found))

    def exclude_by_pairs(self) -> None:
        """Exclude what needs two facts that are never true together."""
        if self._pending(self.facts) or self._pending(self.actions):
            admit = self._task.pairs.admit
            self._exclude(lambda condition: not admit(condition.true), Proof.PAIRS)

    def search(self, most: int, left: int) -> int:
        """Search greedily for each that is pending; what is met on the way is decided as well.

        At most so many states are evaluated for each, and ``left`` for all; returns what is left.
        """
        for outcomes in (self.facts, self.actions):
            for key in self._pending(outcomes):
                if outcomes[key].value is None and left > 0:
                    left -= self._search_for(outcomes, key, min(left, most))
        return left

    def _search_for(self, outcomes: dict[int, Outcome], key: int, most: int) -> int:
        """Search greedily for a fact or an action, and return the number of states evaluated."""
        found = self._task.searched(self._condition(outcomes, key), most)
        if found.path is not None:
            self._follow(found.path)
        elif found.exhausted:
            outcomes[key] = Outcome(False, Proof.SEARCH)
        return found.evaluated

    def _condition(self, outcomes: dict[int, Outcome], key: int) -> Masks:
        return Masks(key) if outcomes is self.facts else self._operators[key].needs

    def _pending(self, outcomes: dict[int, Outcome]) -> list[int]:
        return [key for key, outcome in outcomes.items() if outcome.value is None]

    def _exclude(self, impossible: Callable[[Masks], bool], proof: Proof) -> None:
        for outcomes in (self.facts, self.actions):
            for key in self._pending(outcomes):
                if impossible(self._condition(outcomes, key)):
                    outcomes[key] = Outcome(False, proof)

    def _follow(self, path: tuple[int, ...]) -> None:
        """Decide what is true or applicable in a state along a path."""
        task = self._task
        state = task.problem.initial
        for length in range(len(path) + 1):
            seen = task.problem.closure(state)
            met = Outcome(True, Proof.PLAN, path[:length])
            for outcomes in (self.facts, self.actions):
                for key in self._pending(outcomes):
                    if self._condition(outcomes, key).hold(seen):
                        outcomes[key] = met
            if length < len(path):
                state = task.successors.after(state, seen, path[length])


def _none(keys: Iterable[int]) -> dict[int, Outcome]:
    return dict.fromkeys(keys, _UNDECIDED)
