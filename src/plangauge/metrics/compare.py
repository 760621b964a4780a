"""Comparing two plans: one object that holds every count, each found when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Literal, Protocol, Required, TypedDict, TypeVar, Unpack

from plangauge.core.lazy import lazy
from plangauge.metrics.base import METRICS, Metric
from plangauge.metrics.common_subsequence import lcs_length
from plangauge.metrics.encode import Encoded, Numbering, PlanLike, direct

R_co = TypeVar("R_co", bound=float | None, covariant=True)


class Comparison:
    """The counts on which the metrics of two plans are based.

    ``n_…``, ``lcs``, ``levenshtein``, ``osa``, ``common_prefix`` count steps; ``actions_…`` counts
    single actions, ``distinct_…`` different ones.
    """

    def __init__(self, candidate: Encoded, reference: Encoded) -> None:
        kinds = candidate.holds_actions, reference.holds_actions
        if kinds in ((True, False), (False, True)):
            raise TypeError(
                "one plan holds actions and the other does not, so they cannot have one in common: "
                "give both as texts or plans, or both as sequences of the same kind of thing"
            )
        self.candidate = candidate
        self.reference = reference

    @classmethod
    def of_counts(cls, **counts: int) -> Comparison:
        """Return a comparison with only these counts."""
        comparison = cls.__new__(cls)
        comparison.__dict__.update(counts)
        return comparison

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


class PlanProperties(TypedDict, total=False):
    """The declared properties of a metric of two plans; see `Metric`."""

    symmetric: Required[bool]
    empty: Required[float | None]
    counts: Required[Literal["sequence", "set", "multiset"]]
    better: Literal["higher", "lower"]
    bounds: tuple[float, float]
    same: float | None
    reads: tuple[str, ...]


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
