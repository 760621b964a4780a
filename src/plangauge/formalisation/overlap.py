"""How much two problems have in common as they are written, for partial credit."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import combinations, permutations
from math import factorial
from typing import NamedTuple

from plangauge.core.model import Fact
from plangauge.formalisation.renaming import Renaming, renamed, renamed_key
from plangauge.formalisation.verdicts import f1
from plangauge.pddl.formulas import Formula, Literal
from plangauge.pddl.instance import Instance, Key

_MOST_PERMUTATIONS = factorial(6)
_MOST_ROUNDS = 2
_MOST_OBJECTS = 40
"""With more objects than that, exchanges are not tried."""


class Overlap(NamedTuple):
    """The F1 of initial facts and of parts of the goal, and the facts that differ."""

    init_f1: float
    goal_f1: float
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def overlap(
    given: Instance, other: Instance, fixed: bool, renaming: Renaming | None = None
) -> Overlap:
    """Return what two problems have in common under a renaming.

    Where none is given, names are left as they are if they are fixed. Otherwise one with many
    common facts is searched: the best one where there are at most 720, else by exchanges of two
    objects, beginning with equal names.
    """
    if renaming is None:
        renaming = {} if fixed else _best(given, other)
    facts, goal = _written(given, renaming)
    other_facts, other_goal = _written(other, {})
    return Overlap(
        f1(facts, other_facts),
        f1(goal, other_goal),
        tuple(sorted(_shown(key) for key in facts - other_facts)),
        tuple(sorted(_shown(key) for key in other_facts - facts)),
    )


def _shown(key: tuple[str, ...]) -> str:
    return str(Fact(key[0], tuple(key[1:])))


def _written(instance: Instance, renaming: Renaming) -> tuple[set[tuple[str, ...]], set[Formula]]:
    facts = {renamed_key(key, renaming) for key in instance.initial}
    return facts, {renamed(part, renaming) for part in instance.goal}


def _best(given: Instance, other: Instance) -> Renaming:
    """Return a renaming with many common facts and goals; objects left over keep their names."""
    start = _by_name(given, other)
    groups: dict[Hashable, list[str]] = {}
    for name in start:
        groups.setdefault(tuple(sorted(given.objects[name])), []).append(name)
    common = _Common(given, other)
    if len(groups) == 1 and factorial(len(start)) <= _MOST_PERMUTATIONS:
        orders = permutations(start.values())
        return max((dict(zip(start, order, strict=True)) for order in orders), key=common.all_of)
    return _exchanged(start, groups, common) if len(start) <= _MOST_OBJECTS else start


class _Common:
    """Counts what is common under a renaming: initial facts and literals of the goal."""

    def __init__(self, given: Instance, other: Instance) -> None:
        self._mine = sorted(_tuples(given))
        self._theirs = _tuples(other)
        self._about: dict[str, list[Key]] = {}
        for key in self._mine:
            for obj in dict.fromkeys(key[1:]):
                self._about.setdefault(obj, []).append(key)

    def all_of(self, renaming: Renaming) -> int:
        """Return how many tuples are common."""
        return sum(renamed_key(key, renaming) in self._theirs for key in self._mine)

    def about(self, one: str, two: str, renaming: Renaming) -> int:
        """Return how many tuples about one of two objects are common."""
        keys = dict.fromkeys((*self._about.get(one, ()), *self._about.get(two, ())))
        return sum(renamed_key(key, renaming) in self._theirs for key in keys)


def _tuples(instance: Instance) -> set[Key]:
    goal = (part for part in instance.goal if isinstance(part, Literal))
    wanted = {(f"goal {part.predicate} {part.positive}", *part.terms) for part in goal}
    return {*instance.initial, *wanted}


def _exchanged(
    start: dict[str, str], groups: Mapping[Hashable, list[str]], common: _Common
) -> Renaming:
    """Exchange the images of two objects as long as that gives more in common."""
    best = dict(start)
    for _ in range(_MOST_ROUNDS):
        changed = False
        for group in groups.values():
            for one, two in combinations(group, 2):
                before = common.about(one, two, best)
                best[one], best[two] = best[two], best[one]
                if common.about(one, two, best) > before:
                    changed = True
                else:
                    best[one], best[two] = best[two], best[one]
        if not changed:
            break
    return best


def _by_name(given: Instance, other: Instance) -> dict[str, str]:
    """Return a renaming by equal names and types, then by order of declaration."""
    found: dict[str, str] = {}
    free: dict[Hashable, list[str]] = {}
    for name, types in other.objects.items():
        if set(given.objects.get(name, ())) == set(types):
            found[name] = name
        else:
            free.setdefault(tuple(sorted(types)), []).append(name)
    for name, types in given.objects.items():
        if name not in found and free.get(tuple(sorted(types))):
            found[name] = free[tuple(sorted(types))].pop(0)
    return found
