"""Comparing two plans: one object that holds every count, each found when first asked for.

Longest common subsequences, and their lengths, are found exactly and in little memory. Sequences
are those of `Encoded.symbols`: strings whose code points are step numbers, or lists of step numbers
where there are more steps than code points.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, Unpack

from plangauge.core.lazy import lazy
from plangauge.metrics.base import METRICS, Metric, PlanProperties
from plangauge.metrics.encode import Encoded, Numbering, PlanLike, direct

if TYPE_CHECKING:
    import numpy

Symbols: TypeAlias = str | list[int]

_SMALL = 10**8
"""Up to this product of the lengths rapidfuzz takes well under a second."""
_TRACED = 2**25
"""Up to this product of the lengths rapidfuzz traces its path in 4 MiB of bits."""
_RARE = 64
"""A step that occurs less often than this gets no mask of its own in memory."""


def lcs_length(a: Symbols, b: Symbols) -> int:
    """Return the length of the longest common subsequence.

    >>> lcs_length("abcd", "acxd")
    3
    """
    if a == b:
        return len(a)
    from rapidfuzz.distance import LCSseq

    if len(a) * len(b) > _SMALL:
        x, y = _numbers(a), _numbers(b)
        first, last = _affixes(x, y)
        x, y = x[first : len(x) - last], y[first : len(y) - last]
        count = Counter(y)
        matches = sum(times * count[symbol] for symbol, times in Counter(x).items())
        if matches <= 32 * (len(x) + len(y)):
            return first + last + sparse_length(x, y)
    return LCSseq.similarity(a, b)


def sparse_length(a: list[int], b: list[int]) -> int:
    """Return the length of the longest common subsequence, fast where few pairs match.

    Hunt and Szymanski 1977: ``tails[k]`` is the earliest end in ``b`` of a common subsequence of
    length k + 1.
    """
    positions: dict[int, list[int]] = {}
    for index in range(len(b) - 1, -1, -1):
        positions.setdefault(b[index], []).append(index)
    tails: list[int] = []
    for symbol in a:
        for index in positions.get(symbol, ()):
            place = bisect_left(tails, index)
            tails[place : place + 1] = (index,)
    return len(tails)


def matches(a: Symbols, b: Symbols) -> list[tuple[int, int]]:
    """Return the pairs of positions of one longest common subsequence, in order.

    Hirschberg 1975: halve the longer sequence, find where an optimal path crosses, and treat both
    parts alike; memory stays linear. Small parts are left to rapidfuzz.

    >>> matches("abcd", "acxd")
    [(0, 0), (2, 1), (3, 3)]
    """
    return list(_matches(_numbers(a), _numbers(b), 0, 0))


def _matches(a: list[int], b: list[int], i: int, j: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of positions, those of ``a`` counted from i and those of ``b`` from j."""
    first, last = _affixes(a, b)
    yield from ((i + k, j + k) for k in range(first))
    end_a, end_b = len(a) - last, len(b) - last
    yield from _inner(a[first:end_a], b[first:end_b], i + first, j + first)
    yield from ((i + end_a + k, j + end_b + k) for k in range(last))


def _inner(a: list[int], b: list[int], i: int, j: int) -> Iterator[tuple[int, int]]:
    if len(a) * len(b) <= _TRACED:
        from rapidfuzz.distance import LCSseq

        for block in LCSseq.editops(a, b).as_matching_blocks():
            yield from ((i + block.a + k, j + block.b + k) for k in range(block.size))
    elif len(a) < len(b):
        yield from ((x, y) for y, x in _inner(b, a, j, i))
    else:
        half = len(a) // 2
        cut = _crossing(a[:half], a[half:], b)
        yield from _matches(a[:half], b[:cut], i, j)
        yield from _matches(a[half:], b[cut:], i + half, j + cut)


def _crossing(head: list[int], tail: list[int], b: list[int]) -> int:
    """Return how much of ``b`` belongs to the head on an optimal path."""
    forward = _lengths(_row(head, b), len(b))
    backward = _lengths(_row(tail[::-1], b[::-1]), len(b))
    return int((forward + backward[::-1]).argmax())


def _row(a: list[int], b: list[int]) -> int:
    """Return the last row of the table of lengths: bit j is 0 where b[j] adds one to it.

    The bit-parallel recurrence of Hyyrö 2004 on one Python integer.
    """
    mask_of = _masks(b)
    full = row = (1 << len(b)) - 1
    for symbol in a:
        mask = mask_of(symbol)
        if mask:
            hit = row & mask
            row = (row + hit | row - hit) & full
    return row


def _lengths(row: int, size: int) -> numpy.ndarray:
    """Return the length of the longest common subsequence with each prefix, from a row."""
    import numpy as np

    octets = np.frombuffer(row.to_bytes(size // 8 + 1, "little"), dtype=np.uint8)
    added = 1 - np.unpackbits(octets, bitorder="little")[:size].astype(np.int64)
    return np.concatenate((np.zeros(1, dtype=np.int64), added.cumsum()))


def _masks(b: list[int]) -> Callable[[int], int]:
    """Return the function from a symbol to the integer whose bits are its positions.

    Masks of frequent symbols are cached; all masks together could take len(b)**2 / 8 bytes.
    """
    positions: dict[int, list[int]] = {}
    for index, symbol in enumerate(b):
        positions.setdefault(symbol, []).append(index)

    def mask(symbol: int) -> int:
        places = positions.get(symbol)
        if places is None:
            return 0
        bits = bytearray(places[-1] // 8 + 1)
        for index in places:
            bits[index >> 3] |= 1 << (index & 7)
        return int.from_bytes(bits, "little")

    cached = {symbol: mask(symbol) for symbol, at in positions.items() if len(at) >= _RARE}
    return lambda symbol: cached[symbol] if symbol in cached else mask(symbol)


def _affixes(a: list[int], b: list[int]) -> tuple[int, int]:
    """Return the lengths of the common prefix and of the common suffix of what follows it."""
    first, shorter = 0, min(len(a), len(b))
    while first < shorter and a[first] == b[first]:
        first += 1
    last = 0
    while last < shorter - first and a[-1 - last] == b[-1 - last]:
        last += 1
    return first, last


def _numbers(symbols: Symbols) -> list[int]:
    return list(map(ord, symbols)) if isinstance(symbols, str) else symbols


# --- comparisons ----------------------------------------------------------------------------------

R_co = TypeVar("R_co", bound=float | None, covariant=True)


class Comparison:
    """The counts on which the metrics of two plans are based.

    ``n_…``, ``lcs``, ``levenshtein``, ``osa``, ``common_prefix`` count steps; ``actions_…`` counts
    single actions, ``distinct_…`` different ones.
    """

    def __init__(self, candidate: Encoded, reference: Encoded) -> None:
        one, other = candidate.holds_actions, reference.holds_actions
        if one is not other and one is not None and other is not None:
            raise TypeError(
                "one plan holds actions and the other does not, so they cannot have one in common: "
                "give both as texts or plans, or both as sequences of the same kind of thing"
            )
        self.candidate = candidate
        self.reference = reference

    @lazy
    def n_candidate(self) -> int:
        """How many steps the candidate has."""
        return len(self.candidate.ids)

    @lazy
    def n_reference(self) -> int:
        """How many steps the reference has."""
        return len(self.reference.ids)

    @property
    def n_longer(self) -> int:
        """How many steps the longer plan has."""
        return max(self.n_candidate, self.n_reference)

    @lazy
    def equal(self) -> bool:
        """Whether the steps are the same in the same order."""
        return self.candidate.ids == self.reference.ids

    @lazy
    def lcs(self) -> int:
        """How many steps the longest common subsequence has."""
        return lcs_length(self.candidate.symbols, self.reference.symbols)

    @lazy
    def levenshtein(self) -> int:
        """How many steps are to be inserted, deleted or replaced."""
        from rapidfuzz.distance import Levenshtein

        return Levenshtein.distance(self.candidate.symbols, self.reference.symbols)

    @lazy
    def osa(self) -> int:
        """As `levenshtein`, but swapping two neighbours is one edit: optimal string alignment."""
        from rapidfuzz.distance import OSA

        return OSA.distance(self.candidate.symbols, self.reference.symbols)

    @lazy
    def common_prefix(self) -> int:
        """How many steps there are before the first difference."""
        pairs = zip(self.candidate.ids, self.reference.ids, strict=False)
        different = (index for index, (one, other) in enumerate(pairs) if one != other)
        return next(different, min(self.n_candidate, self.n_reference))

    @lazy
    def paired(self) -> list[int]:
        """Positions in the reference of the shared steps: the i-th of a kind for the i-th."""
        places: dict[int, list[int]] = {}
        for index in range(self.n_reference - 1, -1, -1):
            places.setdefault(self.reference.ids[index], []).append(index)
        return [places[step].pop() for step in self.candidate.ids if places.get(step)]

    @lazy
    def inversions(self) -> int:
        """How many pairs of the shared steps are in different order in the two plans."""
        return _inversions(self.paired)

    @lazy
    def actions_candidate(self) -> int:
        """How many actions the candidate has."""
        return len(self.candidate.actions)

    @lazy
    def actions_reference(self) -> int:
        """How many actions the reference has."""
        return len(self.reference.actions)

    @lazy
    def actions_shared(self) -> int:
        """How many actions both have, each as often as in the plan with fewer of it."""
        other = self.reference.action_counts
        return sum(min(n, other[action]) for action, n in self.candidate.action_counts.items())

    @lazy
    def distinct_candidate(self) -> int:
        """How many different actions the candidate has."""
        return len(self.candidate.action_set)

    @lazy
    def distinct_reference(self) -> int:
        """How many different actions the reference has."""
        return len(self.reference.action_set)

    @lazy
    def distinct_shared(self) -> int:
        """How many different actions both have."""
        return len(self.candidate.action_set & self.reference.action_set)


def compare(candidate: PlanLike, reference: PlanLike, *, notation: str = "auto") -> Comparison:
    """Return the counts of a comparison of two plans.

    >>> compare(["a", "b", "c"], ["a", "c", "b"]).lcs
    2
    """
    one, other = direct(candidate, notation), direct(reference, notation)
    if one is not None and other is not None:
        numbers_of = dict(zip((*one, *other), count(), strict=False))
        pair = [[numbers_of[text] for text in texts] for texts in (one, other)]
        return Comparison(*[Encoded(ids, None, holds_actions=True) for ids in pair])
    numbers = Numbering()
    return Comparison(numbers.read(candidate, notation), numbers.read(reference, notation))


class PlanMetric(Protocol[R_co]):
    """A metric of two plans."""

    __name__: str

    def __call__(self, candidate: PlanLike, reference: PlanLike, *, notation: str = "auto") -> R_co:
        """Return the value for two plans."""
        ...


def plan_metric(
    **properties: Unpack[PlanProperties],
) -> Callable[[Callable[[Comparison], R_co]], PlanMetric[R_co]]:
    """Register a formula over a `Comparison` as a metric, and return it as one of two plans."""

    def register(formula: Callable[[Comparison], R_co]) -> PlanMetric[R_co]:
        def function(candidate: PlanLike, reference: PlanLike, *, notation: str = "auto") -> R_co:
            return formula(compare(candidate, reference, notation=notation))

        # Not functools.wraps: the signature to be seen is that of the metric, not of the formula.
        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(function, attribute, getattr(formula, attribute))
        name = formula.__name__
        METRICS.add(name, Metric(name, function, on="plans", formula=formula, **properties))
        return function

    return register


def _inversions(numbers: list[int]) -> int:
    """Count the pairs in descending order, by merging sorted runs."""
    total, width, size = 0, 1, len(numbers)
    while width < size:
        merged: list[int] = []
        for start in range(0, size, 2 * width):
            left = numbers[start : start + width]
            right = numbers[start + width : start + 2 * width]
            total += _crossings(left, right)
            merged += sorted(left + right)
        numbers, width = merged, 2 * width
    return total


def _crossings(left: list[int], right: list[int]) -> int:
    """Count the pairs of a number in the left run and a smaller one in the right run."""
    smaller = total = 0
    for number in left:
        while smaller < len(right) and right[smaller] < number:
            smaller += 1
        total += smaller
    return total
