"""Comparing many plans with one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from plangauge.metrics.base import METRICS, Metric, metric, on_plans
from plangauge.metrics.compare import Comparison, Symbols
from plangauge.metrics.encode import Encoded, Numbering, PlanLike, as_symbols, steps_of

if TYPE_CHECKING:
    import numpy

Matrix: TypeAlias = "numpy.ndarray[Any, Any]"

_BLOCK = 2**14
"""The number of pairs to which a formula is applied at a time, which fit into the cache."""

_COLUMNS = 4096
"""The number of actions multiplied at a time, which bounds the memory."""


def pairwise(plans: Sequence[PlanLike], metric: str, *, notation: str = "auto") -> Matrix:
    """Return the matrix of a metric of two plans: row i, column j for candidate i, reference j.

    Each entry is exactly what the metric gives for the two plans; NaN stands for None in the array
    of floats.

    >>> pairwise([["a", "b"], ["b"], []], "jaccard").tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    selected = on_plans(metric)
    steps = as_symbols(plans, notation) if selected.reads else None
    if steps is not None:
        return _by_blocks(selected, steps, steps)
    numbers = Numbering()
    encoded = [numbers.read(plan, notation) for plan in plans]
    if not selected.reads:
        return _one_by_one(encoded, selected)
    actions = [plan.actions for plan in encoded]
    return _by_blocks(selected, [plan.symbols for plan in encoded], actions)


@metric(on="collection", symmetric=True, empty=None, counts="none")
def mean_pairwise_distance(
    plans: Sequence[PlanLike], metric: str = "action_distance", *, notation: str = "auto"
) -> float | None:
    """Mean of a distance over all pairs of plans, within its bounds; None below 2 plans.

    The diversity of Srivastava et al. 2007 and of diversescore, which removes repeated plans
    first; here a repeated plan makes the collection less diverse. Undefined pairs are left out.

    >>> mean_pairwise_distance([["a"], ["b"], ["a"]]) == 2 / 3
    True
    """
    values = _pairs(plans, metric, notation)
    return sum(values) / len(values) if values else None


@metric(on="collection", symmetric=True, empty=None, counts="none")
def min_pairwise_distance(
    plans: Sequence[PlanLike], metric: str = "action_distance", *, notation: str = "auto"
) -> float | None:
    """Smallest distance of any two of the plans, within its bounds; None below 2 plans.

    As in diversescore, which however returns 0 below 2 plans. Undefined pairs are left out.

    >>> min_pairwise_distance([["a"], ["b"], ["a", "b"]])
    0.5
    """
    return min(_pairs(plans, metric, notation), default=None)


@metric(on="collection", symmetric=True, empty=0.0, counts="sequence", bounds=(0.0, float("inf")))
def distinct_plans(plans: Sequence[PlanLike], *, notation: str = "auto") -> float:
    """Count the plans that differ in any step or in the order; 0 for no plans.

    >>> distinct_plans([["a", "b"], ["b", "a"], ["a", "b"]])
    2.0
    """
    return float(len({tuple(steps_of(plan, notation)) for plan in plans}))


def _pairs(plans: Sequence[PlanLike], metric: str, notation: str) -> list[float]:
    """Return the defined values for the pairs above the diagonal."""
    import numpy as np

    if METRICS[metric].better != "lower" or not METRICS[metric].symmetric:
        raise ValueError(f"{metric} is not a symmetric distance")
    matrix = pairwise(plans, metric, notation=notation)
    above = matrix[np.triu_indices(len(plans), k=1)]
    values: list[float] = above[~np.isnan(above)].tolist()
    return values


def _one_by_one(plans: Sequence[Encoded], selected: Metric) -> Matrix:
    import numpy as np

    rows = [[selected.from_counts(Comparison(one, other)) for other in plans] for one in plans]
    return np.array(rows, dtype=np.float64).reshape(len(plans), len(plans))


class _Pairs(Comparison):
    """The counts of many pairs, as arrays."""

    def __init__(self, counts: dict[str, Matrix]) -> None:
        self.__dict__.update(counts)

    @property
    def n_longer(self) -> Any:
        """How many steps the longer plan of each pair has."""
        import numpy as np

        return np.maximum(self.n_candidate, self.n_reference)


def _by_blocks(
    selected: Metric, steps: Sequence[Symbols], actions: Sequence[Sequence[Any]]
) -> Matrix:
    """Apply a formula to the counts of some rows at a time, which replace those of all pairs."""
    counts = {name: _count(name, steps, actions) for name in selected.reads}
    values = max(counts.values(), key=lambda count: int(count.size))
    size = max(1, _BLOCK // max(1, len(steps)))
    for start in range(0, len(steps), size):
        rows = slice(start, start + size)
        block = {name: count if len(count) == 1 else count[rows] for name, count in counts.items()}
        values[rows] = selected.from_counts(_Pairs(block))
    return values


def _count(name: str, steps: Sequence[Symbols], actions: Sequence[Sequence[Any]]) -> Matrix:
    """Return one count of `Comparison` for all pairs, or for all candidates or references."""
    import numpy as np

    what, _, side = name.partition("_")
    if not side:
        return _rapidfuzz(name, steps)
    plans: Sequence[Any] = steps
    if what == "actions":
        plans = [_occurrences(each) for each in actions]
    elif what == "distinct":
        plans = [frozenset(each) for each in actions]
    if side == "shared":
        return _overlaps(plans)
    lengths = [*map(len, plans)]
    alike = len(set(lengths)) == 1  # then one stands for all
    row = np.array([lengths[:1] if alike else lengths], dtype=np.float64)
    return row.T if side == "candidate" else row


def _rapidfuzz(name: str, steps: Sequence[Symbols]) -> Matrix:
    import numpy as np
    from rapidfuzz.distance import OSA, LCSseq, Levenshtein
    from rapidfuzz.process import cdist

    scorers: dict[str, Any] = {
        "lcs": LCSseq.similarity,
        "levenshtein": Levenshtein.distance,
        "osa": OSA.distance,
    }
    counts: Matrix = cdist(steps, steps, scorer=scorers[name], dtype=np.float64)
    return counts


def _occurrences(actions: Sequence[Any]) -> frozenset[tuple[Any, int]]:
    """Return (action, i) for its i-th occurrence: sets of these overlap as the multisets do."""
    counts = Counter(actions).items()
    return frozenset((action, i) for action, times in counts for i in range(times))


def _overlaps(sets: Sequence[frozenset[Any]]) -> Matrix:
    """Return the sizes of all pairwise intersections."""
    import numpy as np

    members: dict[Any, list[int]] = {}
    for row, items in enumerate(sets):
        for item in items:
            members.setdefault(item, []).append(row)
    # Elements of only one set count only on the diagonal, which is known anyway.
    shared = [rows for rows in members.values() if len(rows) > 1]
    total = np.zeros((len(sets), len(sets)))
    for start in range(0, len(shared), _COLUMNS):
        part = shared[start : start + _COLUMNS]
        has = np.zeros((len(sets), len(part)), dtype=np.float32)
        for column, rows in enumerate(part):
            has[rows, column] = 1.0
        total += has @ has.T
    np.fill_diagonal(total, [len(items) for items in sets])
    return total
