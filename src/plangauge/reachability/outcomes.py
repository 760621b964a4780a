"""Deciding all facts and actions of a problem in one go."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from plangauge.pddl.masks import Masks
from plangauge.planners.lmcut import bits
from plangauge.reachability.task import Budget, Task
from plangauge.reachability.verdicts import Proof


class Outcome(NamedTuple):
    """A verdict, and the number of a visited state or the path to a state that proves it."""

    value: bool | None
    proof: Proof
    where: int | tuple[int, ...] | None = None


_UNDECIDED = Outcome(None, Proof.UNDECIDED)


def decide_all(task: Task, budget: Budget) -> tuple[dict[int, Outcome], dict[int, Outcome]]:
    """Return the outcomes of all facts and actions that the delete relaxation reaches.

    Facts are given by their masks, actions by their numbers; that they become true and applicable
    is asked.
    """
    deciding = _Deciding(task)
    deciding.visit()
    deciding.exclude_by_pairs()
    deciding.search(budget)
    return deciding.facts, deciding.actions


class _Deciding:
    """What is decided so far; what is not is pending."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._operators = task.successors.operators
        self.facts = dict.fromkeys(bits(task.problem.reached), _UNDECIDED)
        self.actions = dict.fromkeys(range(len(self._operators)), _UNDECIDED)

    def visit(self) -> None:
        """Visit states until all facts and actions were seen."""
        space = self._task.space
        every = len(self.facts), len(self.actions)
        space.visit(lambda: (len(space.first_with), len(space.first_before)) == every)
        for fact, number in space.first_with.items():
            self.facts[fact] = Outcome(True, Proof.WITNESS, number)
        for action, number in space.first_before.items():
            self.actions[action] = Outcome(True, Proof.WITNESS, number)
        if space.exhausted:
            self._exclude(lambda _: True, Proof.SEARCH)
            return
        for action in self._pending(self.actions):
            found = space.find(self._operators[action].needs)
            if found is not None:
                self.actions[action] = Outcome(True, Proof.WITNESS, found)

    def exclude_by_pairs(self) -> None:
        """Exclude what needs two facts that are never true together."""
        if self._pending(self.facts) or self._pending(self.actions):
            admit = self._task.pairs.admit
            self._exclude(lambda condition: not admit(condition.true), Proof.PAIRS)

    def search(self, budget: Budget) -> None:
        """Search greedily for each that is pending; what is met on the way is decided as well.

        A short search for each comes before a long search for any.
        """
        left = budget.total
        for most in (budget.evaluated // 40, budget.evaluated):
            for outcomes in (self.facts, self.actions):
                for key in self._pending(outcomes):
                    if outcomes[key].value is None and left > 0:
                        left -= self._search_for(outcomes, key, min(left, most))

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
