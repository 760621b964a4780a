"""Comparing many plans with one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from plangauge.metrics.base import METRICS, Metric, metric, on_plans
from plangauge.metrics.compare import Comparison
from plangauge.metrics.encode import Encoded, Numbering, PlanLike, steps_of

if TYPE_CHECKING:
    import numpy

Matrix: TypeAlias = "numpy.ndarray[Any, Any]"

_COLUMNS = 4096
"""The number of actions multiplied at a time, which bounds the memory."""

_KEYS = 2**62
"""Numbers below this fit into 64 bits."""
_SPARSE = 16
"""With more numbers per pair than this, they are made dense first."""


def pairwise(plans: Sequence[PlanLike], metric: str, *, notation: str = "auto") -> Matrix:
    """Return the matrix of a metric of two plans: row i, column j for candidate i, reference j.

    Each entry is exactly what the metric gives for the two plans; NaN stands for None in the array
    of floats.

    >>> pairwise([["a", "b"], ["b"], []], "jaccard").tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    selected = on_plans(metric)
    numbers = Numbering()
    encoded = [numbers.read(plan, notation) for plan in plans]
    known_at_once = selected.reads and encoded
    return _from_counts(encoded, selected) if known_at_once else _one_by_one(encoded, selected)


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


def _from_counts(plans: list[Encoded], selected: Metric) -> Matrix:
    """Apply a formula once to every combination of counts that occurs."""
    import numpy as np

    counts = {name: _count(plans, name) for name in selected.reads}
    # One number stands for a combination, as finding the different ones is then sorting integers.
    key, keys = np.zeros((1, 1), dtype=np.int64), 1
    for count in sorted(counts.values(), key=np.size):  # vectors first, which are short
        least = int(count.min())
        size = int(count.max()) - least + 1
        if keys * size >= _KEYS:
            key = np.unique(key, return_inverse=True)[1].reshape(key.shape)
            keys = key.size
        key, keys = key * size - least + count, keys * size
    if keys > _SPARSE * key.size:
        key = np.unique(key, return_inverse=True)[1].reshape(key.shape)
        keys = key.size
    place = np.full(keys, -1, dtype=np.int64)  # of a pair for which each key stands
    place[key.ravel()] = np.arange(key.size)
    used = np.flatnonzero(place >= 0)
    rows, columns = np.divmod(place[used], len(plans))
    wide = {name: np.broadcast_to(count, key.shape) for name, count in counts.items()}
    found = {name: count[rows, columns].tolist() for name, count in wide.items()}
    values = [
        selected.from_counts(Comparison.of_counts(**dict(zip(found, numbers, strict=True))))
        for numbers in zip(*found.values(), strict=True)
    ]
    table = np.empty(keys, dtype=np.float64)
    table[used] = values
    found_for: Matrix = table[key]
    return found_for


def _count(plans: list[Encoded], name: str) -> Matrix:
    """Return one count of `Comparison` for all pairs, or for all candidates or references."""
    import numpy as np

    match name.partition("_"):
        case "n", "_", side:
            sizes = [len(plan.ids) for plan in plans]
        case "actions", "_", "shared":
            return _overlaps([_occurrences(plan) for plan in plans])
        case "actions", "_", side:
            sizes = [len(plan.actions) for plan in plans]
        case "distinct", "_", "shared":
            return _overlaps([plan.action_set for plan in plans])
        case "distinct", "_", side:
            sizes = [len(plan.action_set) for plan in plans]
        case _:
            return _rapidfuzz(plans, name)
    vector = np.array(sizes, dtype=np.int64)
    return vector[:, None] if side == "candidate" else vector[None, :]


def _rapidfuzz(plans: list[Encoded], name: str) -> Matrix:
    import numpy as np
    from rapidfuzz.distance import OSA, LCSseq, Levenshtein
    from rapidfuzz.process import cdist

    scorers: dict[str, Any] = {
        "lcs": LCSseq.similarity,
        "levenshtein": Levenshtein.distance,
        "osa": OSA.distance,
    }
    symbols = [plan.symbols for plan in plans]
    counts: Matrix = cdist(symbols, symbols, scorer=scorers[name], dtype=np.int64)
    return counts


def _occurrences(plan: Encoded) -> frozenset[tuple[int, int]]:
    """Return (action, i) for its i-th occurrence: sets of these overlap as the multisets do."""
    return frozenset(
        (action, i) for action, times in plan.action_counts.items() for i in range(times)
    )


def _overlaps(sets: Sequence[frozenset[Any]]) -> Matrix:
    """Return the sizes of all pairwise intersections."""
    import numpy as np

    members: dict[Any, list[int]] = {}
    for row, items in enumerate(sets):
        for item in items:
            members.setdefault(item, []).append(row)
    # Elements of only one set count only on the diagonal, which is known anyway.
    shared = [rows for rows in members.values() if len(rows) > 1]
    total = np.zeros((len(sets), len(sets)), dtype=np.int64)
    for start in range(0, len(shared), _COLUMNS):
        part = shared[start : start + _COLUMNS]
        has = np.zeros((len(sets), len(part)), dtype=np.float32)
        for column, rows in enumerate(part):
            has[rows, column] = 1.0
        total += (has @ has.T).astype(np.int64)
    np.fill_diagonal(total, [len(items) for items in sets])
    return total
