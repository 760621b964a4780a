"""Relaxed plans: how far a condition is away where nothing becomes false again.

The estimate adds up the values of the facts that are needed (Bonet and Geffner, "Planning as
heuristic search", Artificial Intelligence 129, 2001).
"""

from __future__ import annotations

from collections.abc import Sequence

from plangauge.pddl.masks import Masks
from plangauge.planners.lmcut import FREE, AtomQueue, Relaxation, inverse
from plangauge.planners.reachable import GroundProblem

_NEVER = 1 << 200


class Relaxed:
    """The delete relaxation of a problem, for estimates towards any condition."""

    def __init__(self, problem: GroundProblem) -> None:
        every = (*problem.actions, *problem.idle)
        whole = problem._replace(actions=every)
        self._relaxation = relaxation = Relaxation(whole, problem.reached)
        self._parts = parts = relaxation.parts
        self._costs = [0 if part.action == FREE else 1 for part in parts]
        self._counts = [len(part.needs) for part in parts]
        self._adds = [part.adds for part in parts]
        self._needed_by = inverse([part.needs for part in parts], relaxation.size)

    def plan(self, seen: int, target: Masks) -> tuple[int, list[int]] | None:
        """Return the estimate and a relaxed plan from a state with its derived facts.

        None if even the relaxation never satisfies the condition.
        """
        targets = self._relaxation.needs(target)
        values, supporters = self._explore(self._relaxation.atoms(seen), targets)
        estimate = sum([values[atom] for atom in targets])
        if estimate >= _NEVER:
            return None
        return estimate, self._extract(targets, values, supporters)

    def _explore(
        self, atoms: list[int], targets: Sequence[int]
    ) -> tuple[list[int], dict[int, int]]:
        """Return the value of each atom up to the last target, and the part that first adds it."""
        adds, needed_by = self._adds, self._needed_by
        values = [_NEVER] * self._relaxation.size
        supporters: dict[int, int] = {}
        missing, sums = self._counts[:], self._costs[:]
        left = set(targets)
        queue = AtomQueue()
        for atom in atoms:
            values[atom] = 0
            queue.add(0, atom)
        for value, atom in queue:
            if values[atom] < value:
                continue
            if atom in left:
                left.discard(atom)
                if not left:
                    break
            for part in needed_by[atom]:
                missing[part] -= 1
                sums[part] += value
                if not missing[part]:
                    for add in adds[part]:
                        if sums[part] < values[add]:
                            values[add] = sums[part]
                            supporters[add] = part
                            queue.add(sums[part], add)
        return values, supporters

    def _extract(
        self, targets: Sequence[int], values: list[int], supporters: dict[int, int]
    ) -> list[int]:
        """Return the actions that support the targets, those with low values first."""
        found: dict[int, int] = {}
        wanted = list(targets)
        asked = set(wanted)
        while wanted:
            atom = wanted.pop()
            part = supporters.get(atom)
            if part is None:
                continue
            action = self._parts[part].action
            if action != FREE:
                found[action] = min(values[atom], found.get(action, values[atom]))
            more = [need for need in self._parts[part].needs if need not in asked]
            asked.update(more)
            wanted += more
        return sorted(found, key=lambda action: (found[action], action))
