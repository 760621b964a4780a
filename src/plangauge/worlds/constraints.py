"""Constraints on the states of a plan, by their definitions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from plangauge.pddl.quantities import Number, decimal

NOWHERE = -1

_ONE = "its condition does not hold {}"
_WORDS = {
    "at end": _ONE, "always": _ONE, "hold-after": _ONE, "hold-during": _ONE,
    "sometime": "its condition never holds",
    "within": "its condition does not hold up to time {limit}",
    "at-most-once": "its condition holds again {}",
    "sometime-before": "its first condition holds {}, and the second not before",
    "sometime-after": "its first condition holds {}, and the second neither then nor later",
    "always-within": "its first condition holds {}, and the second not within {limit} from then on",
}  # fmt: skip


def first_violation(
    kind: str, limits: Sequence[Number], times: Sequence[Number], truths: Sequence[Sequence[bool]]
) -> int | None:
    """Return the index of the first state that violates a constraint, in linear time.

    ``times`` are those of the states, the first of them 0, and ``truths`` says for each condition
    of the constraint in which states it holds. `NOWHERE` is the answer where a state is missing
    that satisfies the constraint, and None where nothing is.

    >>> first_violation("within", [4], [0, 4, 5], [[False, True, False]])
    >>> first_violation("sometime-before", [], [0, 1], [[False, True], [False, True]])
    1
    """
    first = truths[0]
    if kind in ("sometime", "within"):
        stop = bisect_right(times, limits[0]) if limits else len(first)
        return None if any(first[:stop]) else NOWHERE
    if kind == "at-most-once":
        pairs = zip((False, *first), first, strict=False)
        begins = [at for at, (before, now) in enumerate(pairs) if now and not before]
        return begins[1] if len(begins) > 1 else None
    if kind == "sometime-before":
        earliest = truths[1].index(True) if True in truths[1] else len(first)
        return next((at for at, now in enumerate(first[: earliest + 1]) if now), None)
    if kind in ("sometime-after", "always-within"):
        return _unanswered(limits, times, truths)
    wanted = _wanted(kind, limits, times)
    return next((at for at in wanted if not first[at]), None)


def in_words(kind: str, limits: Sequence[Number], when: str) -> str:
    """Return why a constraint is violated; ``when`` says which state violates it.

    >>> in_words("always-within", [3], "at time 2")
    'its first condition holds at time 2, and the second not within 3 from then on'
    """
    return _WORDS[kind].format(when, limit=decimal(limits[0]) if limits else "")


def _wanted(kind: str, limits: Sequence[Number], times: Sequence[Number]) -> range:
    """Return the indices of the states in which a condition is wanted."""
    last = len(times)
    if kind == "always":
        return range(last)
    if kind == "at end":
        return range(last - 1, last)
    start = max(0, bisect_right(times, limits[0]) - 1)  # the state in force
    if kind == "hold-after":
        return range(start, last)
    return range(start, max(start + 1, bisect_left(times, limits[1])))


def _unanswered(
    limits: Sequence[Number], times: Sequence[Number], truths: Sequence[Sequence[bool]]
) -> int | None:
    """Return the first state with the first condition that the second does not follow in time."""
    found: int | None = None
    following: Number | None = None  # the time of the next state with the second condition
    for at in reversed(range(len(times))):
        if truths[1][at]:
            following = times[at]
        late = following is None or (limits and following - times[at] > limits[0])
        if truths[0][at] and late:
            found = at
    return found
