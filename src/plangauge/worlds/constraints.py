"""Constraints on the states of a plan, by their definitions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from plangauge.pddl.quantities import Number


def satisfied(
    kind: str, limits: Sequence[Number], times: Sequence[Number], truths: Sequence[Sequence[bool]]
) -> bool:
    """Return whether a trajectory satisfies a constraint, in linear time.

    ``times`` are those of the states, the first of them 0, and ``truths`` says for each condition
    of the constraint in which states it holds.

    >>> satisfied("within", [4], [0, 4, 5], [[False, True, False]])
    True
    >>> satisfied("sometime-before", [], [0, 1], [[False, True], [False, True]])
    False
    """
    first = truths[0]
    if kind == "at end":
        return first[-1]
    if kind == "always":
        return all(first)
    if kind == "sometime":
        return any(first)
    if kind == "at-most-once":
        return (
            sum(now and not before for before, now in zip((False, *first), first, strict=False)) < 2
        )
    if kind == "within":
        return any(first[: bisect_right(times, limits[0])])
    if kind == "hold-after":
        return all(first[_in_force(times, limits[0]) :])
    if kind == "hold-during":
        start, stop = limits
        opening = _in_force(times, start)
        during = (now for time, now in zip(times, first, strict=True) if start < time < stop)
        return first[opening] and all(during)
    return _of_two(kind, limits, times, truths)


def _of_two(
    kind: str, limits: Sequence[Number], times: Sequence[Number], truths: Sequence[Sequence[bool]]
) -> bool:
    """Return whether a constraint with two conditions is satisfied."""
    first, second = truths
    if kind == "sometime-before":
        earliest = second.index(True) if True in second else len(second)
        return True not in first[: earliest + 1]
    following: Number | None = None  # the time of the next state with the second condition
    limit = limits[0] if limits else None
    for time, trigger, response in zip(
        reversed(times), reversed(first), reversed(second), strict=True
    ):
        following = time if response else following
        if trigger and (following is None or (limit is not None and following - time > limit)):
            return False
    return True


def _in_force(times: Sequence[Number], at: Number) -> int:
    """Return the index of the state that is in force at a time."""
    return max(0, bisect_right(times, at) - 1)
