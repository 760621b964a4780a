"""Pairs of facts that can be true together, an over-approximation (h2).

After Haslum and Geffner, "Admissible heuristics for optimal planning", AIPS 2000. Conditions that
are not plain facts are taken to hold, a conditional effect may take place or not, and derived facts
are compatible with everything that is reachable; so a pair that is missing is missing for good.
"""

from __future__ import annotations

from typing import NamedTuple

from plangauge.pddl.ground import Operator
from plangauge.planners.lmcut import bits
from plangauge.planners.reachable import GroundProblem


class _Branch(NamedTuple):
    """Facts that are needed for some additions, and the additions."""

    needs: int
    add: int


class Pairs:
    """Which reachable facts can be true together.

    ``exact`` is False where the number of evaluations reached the limit; then nothing is excluded.
    """

    def __init__(self, problem: GroundProblem, most: int) -> None:
        self._left = most
        self._derived = problem.derived
        start = problem.initial
        self._with = dict.fromkeys(bits(start), start)
        """The mask of a fact that can become true → the facts that can be true with it."""
        self._changed = 0
        operators = [action.operator for action in problem.actions]
        waiting = [(operator, self._branches(operator)) for operator in operators]
        changed = -1
        while changed and self._left >= 0:
            self._changed = 0
            for operator, branches in waiting:
                if any(not needs or needs & changed for needs, _ in branches):
                    self._apply(operator, branches)
                    if self._left < 0:
                        break
            changed = self._changed
        self.exact = self._left >= 0

    def admit(self, facts: int) -> bool:
        """Return whether these facts may be true together, as far as pairs tell."""
        if not self.exact:
            return True
        return self._compatible(facts & ~self._derived) is not None

    def _branches(self, operator: Operator) -> list[_Branch]:
        needs = operator.needs.true & ~self._derived
        branches = [_Branch(needs, operator.add)]
        for condition, add, _ in operator.conditional:
            branches.append(_Branch(needs | condition.true & ~self._derived, add))
        return branches

    def _compatible(self, facts: int) -> int | None:
        """Return the facts that can be true with all of these; None if these cannot together."""
        common = -1
        for bit in bits(facts):
            together = self._with.get(bit)
            if together is None:
                return None
            common &= together
        return None if facts & ~common else common

    def _apply(self, operator: Operator, branches: list[_Branch]) -> None:
        """Add the pairs that are possible after an action."""
        self._left -= len(branches)
        possible = [(self._compatible(branch.needs), branch.add) for branch in branches]
        if possible[0][0] is None:
            return
        added = 0
        for compatible, add in possible:
            if compatible is not None:
                added |= add
        deleted = operator.delete & ~operator.add
        for compatible, add in possible:
            if compatible is not None:
                remaining = self._all() if compatible == -1 else compatible
                self._join(add, added | remaining & ~deleted)

    def _all(self) -> int:
        """Return every fact that can become true so far."""
        found = 0
        for bit in self._with:
            found |= bit
        return found

    def _join(self, add: int, together: int) -> None:
        """Note that each of some facts may be true with each of others."""
        for bit in bits(add):
            fresh = (together | bit) & ~self._with.get(bit, 0)
            if not fresh:
                continue
            self._with[bit] = self._with.get(bit, 0) | fresh
            self._changed |= bit | fresh
            for other in bits(fresh):
                self._with[other] = self._with.get(other, 0) | bit
                self._left -= 1
