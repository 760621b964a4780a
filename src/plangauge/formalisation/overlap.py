"""How much two problems have in common as they are written, for partial credit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from itertools import combinations, permutations
from math import factorial
from typing import NamedTuple

from plangauge.core.model import Fact
from plangauge.formalisation.goals import renamed
from plangauge.formalisation.renaming import Renaming, renamed_key
from plangauge.formalisation.verdicts import f1
from plangauge.pddl.formulas import Formula
from plangauge.pddl.instance import Instance

_MOST_PERMUTATIONS = factorial(6)
_MOST_ROUNDS = 3
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
    goal = _written(other, {})

    def common(renaming: Mapping[str, str]) -> int:
        mine = _written(given, renaming)
        return len(mine[0] & goal[0]) + len(mine[1] & goal[1])

    if len(groups) == 1 and factorial(len(start)) <= _MOST_PERMUTATIONS:
        names, images = [*start], [*start.values()]
        return max(
            (dict(zip(names, order, strict=True)) for order in permutations(images)), key=common
        )
    return _exchanged(start, groups, common) if len(start) <= _MOST_OBJECTS else start


def _exchanged(
    start: dict[str, str],
    groups: Mapping[Hashable, list[str]],
    common: Callable[[Mapping[str, str]], int],
) -> Renaming:
    """Exchange the images of two objects as long as that gives more in common."""
    best, score = start, common(start)
    for _ in range(_MOST_ROUNDS):
        before = score
        for group in groups.values():
            for one, two in combinations(group, 2):
                tried = {**best, one: best[two], two: best[one]}
                if (value := common(tried)) > score:
                    best, score = tried, value
        if score == before:
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
