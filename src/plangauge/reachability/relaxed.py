"""Relaxed plans: how far a condition is away where nothing becomes false again.

The estimate adds up the values of the facts that are needed (Bonet and Geffner, "Planning as
heuristic search", Artificial Intelligence 129, 2001).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy

from plangauge.pddl.facts import Masks
from plangauge.planners.lmcut import FREE, AtomQueue, Relaxation, inverse
from plangauge.planners.reachable import GroundProblem

_NEVER = 1 << 200


class Relaxed:
    """The delete relaxation of a problem, for estimates towards any condition."""

    def __init__(self, problem: GroundProblem) -> None:
        every = (*problem.actions, *problem.idle)
        whole = problem._replace(actions=every)
        self._operators = [action.operator for action in every]
        self._relaxation = relaxation = Relaxation(whole, problem.reached)
        self._parts = parts = relaxation.parts
        self._costs = [0 if part.action == FREE else 1 for part in parts]
        self.counts = [len(part.needs) for part in parts]
        """How many atoms each part needs; one more where it never takes place."""
        self._adds = [part.adds for part in parts]
        self._needed_by = inverse([part.needs for part in parts], relaxation.size)

    def without(self, avoid: int) -> Relaxed:
        """Return the relaxation in which no action and no rule makes some facts true."""
        adding = {n for n, operator in enumerate(self._operators) if operator.add & avoid}
        forbidden = self._relaxation.mask(avoid)
        return self._without_parts(
            part.action in adding or any(forbidden >> atom & 1 for atom in part.adds)
            for part in self._parts
        )

    def preserving(self, part: Masks) -> Relaxed:
        """Return the relaxation without the actions that always destroy a part of a goal."""
        destroying = {
            number
            for number, operator in enumerate(self._operators)
            if operator.delete & part.true or operator.add & part.false
        }
        return self._without_parts(part.action in destroying for part in self._parts)

    def _without_parts(self, parts: Iterable[bool]) -> Relaxed:
        """Return the relaxation in which some of the parts never take place."""
        other = copy(self)
        other.counts = [count + part for count, part in zip(self.counts, parts, strict=True)]
        return other

    def estimates(self, seen: int, targets: Sequence[Masks]) -> list[int]:
        """Return how far each condition is away in the relaxation, without a plan."""
        atoms = [self._relaxation.needs(target) for target in targets]
        every = sorted({atom for needs in atoms for atom in needs})
        values, _ = self._explore(self._relaxation.atoms(seen), every)
        return [sum([values[atom] for atom in needs]) for needs in atoms]

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

    def landmarks(self, seen: int, target: Masks) -> int:
        """Return the facts that every relaxed plan makes true; all facts where there is none.

        A fact comes with what it needs: itself, and what all actions that can first add it add or
        need, directly or not. This is the greatest such assignment (Keyder, Richter and Helmert,
        "Sound and complete landmarks for and/or graphs", ECAI 2010).
        """
        relaxation, parts = self._relaxation, self._parts
        start = {*relaxation.atoms(seen)}
        every = (1 << relaxation.size) - 1
        needed = [1 << atom if atom in start else every for atom in range(relaxation.size)]
        added = [relaxation.mask(operator.add) for operator in self._operators]
        waiting = dict.fromkeys(range(len(parts)))
        while waiting:
            round_, waiting = waiting, {}
            for number in round_:
                part = parts[number]
                before = 0 if part.action == FREE else added[part.action]
                for atom in part.needs:
                    before |= needed[atom]
                for atom in part.adds:
                    fewer = needed[atom] & (before | 1 << atom)
                    if fewer != needed[atom]:
                        needed[atom] = fewer
                        waiting.update(dict.fromkeys(self._needed_by[atom]))
        found = 0
        for atom in relaxation.needs(target):
            found |= needed[atom]
        return relaxation.facts(found)

    def _explore(
        self, atoms: list[int], targets: Sequence[int]
    ) -> tuple[list[int], dict[int, int]]:
        """Return the value of each atom up to the last target, and the part that first adds it."""
        adds, needed_by = self._adds, self._needed_by
        values = [_NEVER] * self._relaxation.size
        supporters: dict[int, int] = {}
        missing, sums = self.counts[:], self._costs[:]
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
