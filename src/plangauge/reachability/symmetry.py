"""Objects that can take each other's place: states that differ only by them are searched once.

Two objects can where swapping their names changes neither what is true in all states, nor the goal,
nor which facts can become true, nor any cost; then every plan for a state is, with other names, one
for the other. See Shleyfman et al., "Heuristics and symmetries in classical planning" (AAAI 2015).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plangauge.core.model import Fact
from plangauge.pddl.instance import Instance, Key
from plangauge.planners.lmcut import bits
from plangauge.planners.reachable import GroundProblem

_MOST_CACHED = 100_000


class Symmetry:
    """The classes of objects of a problem that can take each other's place.

    Classes of which two objects occur in one fact that can change are left out, for their states
    cannot be brought into order object by object.
    """

    def __init__(self, instance: Instance, problem: GroundProblem) -> None:
        names = _Names(instance, problem)
        classes = [_Class(names, members) for members in names.classes()]
        self._classes = [each for each in classes if each.ordered]

    def __bool__(self) -> bool:
        return bool(self._classes)

    def canonical(self, state: int) -> int:
        """Return a state that differs at most by such objects, for most alike states the same."""
        for each in self._classes:
            state = each.sorted(state)
        return state


class _Names:
    """What of a problem mentions which object."""

    def __init__(self, instance: Instance, problem: GroundProblem) -> None:
        self._instance = instance
        domain = instance.domain
        changeable = domain.fluents | domain.derived
        static = (key for key in instance.initial if key[0] not in changeable)
        self.facts = {
            fact: bit
            for bit in bits(problem.reached | problem.goal.touched())
            for fact in problem.table.facts(bit)
        }
        self.derived = problem.derived
        goal = problem.goal
        either = goal._replace(true=0, false=0).touched()
        self._marks = [
            *((key, "true") for key in static),
            *((key, value) for key, value in instance.numbers.items()),
            *(
                (
                    (fact.predicate, *fact.args),
                    tuple([bool(bit & mask) for mask in (problem.reached, goal.true, goal.false)]),
                )
                for fact, bit in self.facts.items()
            ),
        ]
        self._fixed = {*domain.constants}
        for fact, bit in self.facts.items():
            if bit & either:
                self._fixed.update(fact.args)

    def classes(self) -> Iterator[list[str]]:
        """Yield the classes of more than one object, by their first one in declaration."""
        about: dict[str, list[tuple[Key, object]]] = {name: [] for name in self._instance.objects}
        for key, mark in self._marks:
            for name in dict.fromkeys(key[1:]):
                about[name].append((key, mark))
        known = set(self._marks)
        alike: dict[object, list[list[str]]] = {}
        for name, types in self._instance.objects.items():
            if name in self._fixed:
                continue
            groups = alike.setdefault((types, len(about[name])), [])
            for group in groups:
                both = (*about[name], *about[group[0]])
                if all((_swapped(key, name, group[0]), mark) in known for key, mark in both):
                    group.append(name)
                    break
            else:
                groups.append([name])
        yield from (group for groups in alike.values() for group in groups if len(group) > 1)


class _Class:
    """Objects in an order, and for each the facts about it, in the same order for all."""

    def __init__(self, names: _Names, members: Sequence[str]) -> None:
        places = {name: number for number, name in enumerate(members)}
        facts = [(f, bit) for f, bit in names.facts.items() if not bit & names.derived]
        about: list[list[int]] = [[] for _ in members]
        first = members[0]
        self.ordered = all(len(places.keys() & {*fact.args}) < 2 for fact, _ in facts)
        """Whether no fact is about two of them."""
        for fact, _ in facts if self.ordered else ():
            if first in fact.args:
                for name, own in zip(members, about, strict=True):
                    key = _swapped((fact.predicate, *fact.args), first, name)
                    own.append(names.facts[Fact(key[0], key[1:])])
        self._about = about
        self._masks = [sum(own) for own in about]
        self._whole = sum(self._masks)
        self._codes: list[dict[int, int]] = [{} for _ in members]

    def sorted(self, state: int) -> int:
        """Return the state in which the objects are sorted by the facts about them."""
        codes = [self._code(place, state & mask) for place, mask in enumerate(self._masks)]
        ordered = sorted(codes)
        if ordered == codes:
            return state
        return state & ~self._whole | sum(map(_decoded, self._about, ordered))

    def _code(self, place: int, facts: int) -> int:
        """Return the facts about one object as an int that means the same for every object."""
        cache = self._codes[place]
        code = cache.get(facts)
        if code is None:
            code = sum(1 << n for n, bit in enumerate(self._about[place]) if facts & bit)
            if len(cache) < _MOST_CACHED:
                cache[facts] = code
        return code


def _decoded(own: Sequence[int], code: int) -> int:
    return sum(own[bit.bit_length() - 1] for bit in bits(code))


def _swapped(key: Iterable[str], one: str, other: str) -> Key:
    return tuple([other if n == one else one if n == other else n for n in key])
