"""Choosing among all cheapest plans some that differ: by what they do, not only by the order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plangauge.planners.search import Edge

_Path = tuple[int, ...]


def variants(
    steps: Mapping[int, Iterable[Edge]], start: int, goals: Iterable[int], most: int
) -> list[_Path]:
    """Return different plans along these steps, as indexes of actions.

    ``steps`` gives for a state the steps that lead to it; a state stands after those that its
    steps come from, and the start has none. Plans that consist of other actions come first, then
    those that differ in order only. Where there are more than ``most`` plans, as many are
    returned; among the many ways to reach a state, only so many are ever looked at.

    >>> steps = {1: [Edge(0, 5)], 2: [Edge(0, 6)], 3: [Edge(1, 6), Edge(2, 5), Edge(2, 7)]}
    >>> variants(steps, 0, [3], 3)
    [(5, 6), (6, 7), (6, 5)]
    """
    paths: dict[int, list[_Path]] = {start: [()]}
    for state, edges in steps.items():
        ways = [(*path, e.action) for e in edges for path in paths.get(e.source, ())]
        paths[state] = distinct_first(ways)[:most]
    return distinct_first([path for goal in goals for path in paths.get(goal, ())])[:most]


def distinct_first(paths: Iterable[_Path]) -> list[_Path]:
    """Return each path once, first those of which no earlier one consists of the same actions."""
    seen: set[frozenset[int]] = set()
    other: list[_Path] = []
    same: list[_Path] = []
    for path in dict.fromkeys(paths):
        actions = frozenset(path)
        (same if actions in seen else other).append(path)
        seen.add(actions)
    return other + same
