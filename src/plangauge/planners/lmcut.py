"""LM-cut: a lower bound on the cost to the goal from landmarks, sets of actions none can avoid.

Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the difference anyway?",
ICAPS 2009. Landmarks are found incrementally, as in Pommerening and Helmert, "Incremental LM-cut",
ICAPS 2013: a landmark of a state remains one of its successor unless the action taken belongs to
it, so most are inherited. An action with conditional effects has several parts; a landmark lowers
the cost of all of them at once, which keeps the bound admissible (Keyder, Hoffmann and Haslum,
"Semi-relaxed plan heuristics", ICAPS 2012).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from plangauge.planners.relaxed import FREE, GOAL, Relaxation

_NEVER = 1 << 200
_NONE = -1


class Landmark(NamedTuple):
    """Actions of which every plan has at least one, as a mask, and a share of what they cost."""

    actions: int
    cost: int
    parts: tuple[int, ...]
    """The parts of these actions, whose costs are lower by that share."""


Landmarks: TypeAlias = tuple[Landmark, ...]


def bound(landmarks: Landmarks) -> int:
    """Return the lower bound that landmarks prove together."""
    return sum([landmark.cost for landmark in landmarks])


def inherited(landmarks: Landmarks, action: int) -> Landmarks:
    """Return those landmarks of a state that are landmarks of its successor by an action."""
    return tuple([landmark for landmark in landmarks if not landmark.actions >> action & 1])


class LmCut:
    """Finds landmarks for the states of one problem."""

    def __init__(self, relaxation: Relaxation) -> None:
        self._relaxation = relaxation
        parts = relaxation.parts
        self._needs = [part.needs for part in parts]
        self._counts = [len(part.needs) for part in parts]
        self._adds = [part.adds for part in parts]
        self._action = [part.action for part in parts]
        self._costs = [0 if p.action == FREE else relaxation.costs[p.action] for p in parts]
        self._needed_by = _inverse(self._needs, relaxation.size)
        self._added_by = _inverse(self._adds, relaxation.size)
        self._parts_of: list[list[int]] = [[] for _ in relaxation.costs]
        for index, part in enumerate(parts):
            if part.action != FREE:
                self._parts_of[part.action].append(index)

    def landmarks(self, state: int, known: Landmarks = ()) -> Landmarks | None:
        """Return known landmarks of a state and as many more as can be found.

        None where even the relaxation has no plan, so that there is none at all.
        """
        costs = self._costs[:]
        for landmark in known:
            _lower(costs, landmark)
        atoms = self._relaxation.atoms(state)
        values, supporters = self._explore(atoms, costs)
        if values[GOAL] == _NEVER:
            return None
        found = list(known)
        while values[GOAL]:
            landmark = self._landmark(self._cut(atoms, costs, supporters), costs)
            found.append(landmark)
            _lower(costs, landmark)
            self._update(landmark.parts, costs, values, supporters)
        return tuple(found)

    def _explore(self, atoms: list[int], costs: list[int]) -> tuple[list[int], list[int]]:
        """Return the h-max value of each atom, and for each part its last need to come true."""
        adds, needed_by = self._adds, self._needed_by
        values = [_NEVER] * self._relaxation.size
        supporters = [_NONE] * len(adds)
        missing = self._counts[:]
        queue = _Queue()
        for atom in atoms:
            values[atom] = 0
            queue.add(0, atom)
        for value, atom in queue:
            if values[atom] < value:
                continue
            for part in needed_by[atom]:
                missing[part] -= 1
                if not missing[part]:
                    supporters[part] = atom
                    reach = value + costs[part]
                    for add in adds[part]:
                        if reach < values[add]:
                            values[add] = reach
                            queue.add(reach, add)
        return values, supporters

    def _cut(self, atoms: list[int], costs: list[int], supporters: list[int]) -> list[int]:
        """Return the parts between what holds now and that from which the goal costs nothing."""
        beyond = self._free_goal_zone(costs, supporters)
        adds, needed_by = self._adds, self._needed_by
        seen = bytearray(self._relaxation.size)
        cut: list[int] = []
        for atom in atoms:
            seen[atom] = 1
        stack = atoms[:]
        while stack:
            atom = stack.pop()
            for part in needed_by[atom]:
                if supporters[part] != atom:
                    continue
                for add in adds[part]:
                    if beyond[add]:
                        cut.append(part)
                        break
                else:
                    fresh = [add for add in adds[part] if not seen[add]]
                    for add in fresh:
                        seen[add] = 1
                    stack += fresh
        return cut

    def _free_goal_zone(self, costs: list[int], supporters: list[int]) -> bytearray:
        """Mark the atoms from which supporters lead to the goal at no cost."""
        zone = bytearray(self._relaxation.size)
        zone[GOAL] = 1
        stack = [GOAL]
        while stack:
            for part in self._added_by[stack.pop()]:
                supporter = supporters[part]
                if not costs[part] and supporter != _NONE and not zone[supporter]:
                    zone[supporter] = 1
                    stack.append(supporter)
        return zone

    def _landmark(self, cut: list[int], costs: list[int]) -> Landmark:
        """Return the actions of a cut, each at the lowest cost of any."""
        mask = 0
        parts: list[int] = []
        for action in sorted({self._action[part] for part in cut}):
            mask |= 1 << action
            parts += self._parts_of[action]
        return Landmark(mask, min([costs[part] for part in cut]), tuple(parts))

    def _update(
        self, lowered: Sequence[int], costs: list[int], values: list[int], supporters: list[int]
    ) -> None:
        """Bring values and supporters up to date after the costs of some parts were lowered."""
        adds, needs, needed_by = self._adds, self._needs, self._needed_by
        queue = _Queue()

        def reach(part: int, value: int) -> None:
            for add in adds[part]:
                if value < values[add]:
                    values[add] = value
                    queue.add(value, add)

        for part in lowered:
            if supporters[part] != _NONE:
                reach(part, values[supporters[part]] + costs[part])
        for value, atom in queue:
            if values[atom] < value:
                continue
            for part in needed_by[atom]:
                if supporters[part] == atom:
                    last = max(needs[part], key=values.__getitem__)
                    supporters[part] = last
                    reach(part, values[last] + costs[part])


class _Queue:
    """Atoms by value, lowest first; none is added below the one that was taken last."""

    def __init__(self) -> None:
        self._buckets: dict[int, list[int]] = {}
        self._values: list[int] = []

    def add(self, value: int, atom: int) -> None:
        bucket = self._buckets.get(value)
        if bucket is None:
            self._buckets[value] = [atom]
            heappush(self._values, value)
        else:
            bucket.append(atom)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        while self._values:
            value = self._values[0]
            for atom in self._buckets[value]:  # it may grow meanwhile
                yield value, atom
            del self._buckets[heappop(self._values)]


def _lower(costs: list[int], landmark: Landmark) -> None:
    for part in landmark.parts:
        costs[part] -= landmark.cost


def _inverse(lists: Iterable[tuple[int, ...]], size: int) -> list[list[int]]:
    """Return for each number the indexes of the lists that contain it."""
    found: list[list[int]] = [[] for _ in range(size)]
    for index, numbers in enumerate(lists):
        for number in numbers:
            found[number].append(index)
    return found
