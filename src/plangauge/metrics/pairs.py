"""The counts of many pairs of plans as arrays, to which formulas are applied at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from plangauge.metrics.base import Metric
from plangauge.metrics.compare import Comparison, Symbols

if TYPE_CHECKING:
    import numpy

Matrix: TypeAlias = "numpy.ndarray[Any, Any]"

_BLOCK = 2**14
"""The number of pairs to which a formula is applied at a time, which fit into the cache."""

_COLUMNS = 4096
"""The number of actions multiplied at a time, which bounds the memory."""


class Pairs(Comparison):
    """The counts of many pairs, as arrays."""

    def __init__(self, counts: dict[str, Matrix]) -> None:
        self.__dict__.update(counts)

    @property
    def n_longer(self) -> Any:
        """How many steps the longer plan of each pair has."""
        import numpy as np

        return np.maximum(self.n_candidate, self.n_reference)


def of_all_pairs(
    selected: Metric, steps: Sequence[Symbols], actions: Sequence[Sequence[Any]]
) -> Matrix:
    """Return the values of a metric for all pairs of plans, given by their steps and their actions.

    The formula is applied to some rows at a time, whose values replace one of the counts.
    """
    counts = {name: _count(name, steps, actions) for name in selected.reads}
    values = max(counts.values(), key=lambda count: int(count.size))
    size = max(1, _BLOCK // max(1, len(steps)))
    for start in range(0, len(steps), size):
        rows = slice(start, start + size)
        block = {name: count if len(count) == 1 else count[rows] for name, count in counts.items()}
        values[rows] = selected.from_counts(Pairs(block))
    return values


def of_rows(
    metrics: Sequence[Metric], candidates: Sequence[str], references: Sequence[str]
) -> list[list[float]]:
    """Return the values of each metric for pairs of plans, whose steps are single actions."""
    import numpy as np
    from rapidfuzz.process import cpdist

    items: dict[str, tuple[Sequence[Any], Sequence[Any]]] = {}
    counts: dict[str, Matrix] = {}
    for name in {name for metric in metrics for name in metric.reads}:
        what, _, side = name.partition("_")
        if not side:
            scorer = _scorer(name)
            counts[name] = cpdist(candidates, references, scorer=scorer, dtype=np.float64)
            continue
        if what not in items:
            items[what] = _items(what, candidates, candidates), _items(what, references, references)
        ones, others = items[what]
        if side == "shared":
            sizes = [len(one & other) for one, other in zip(ones, others, strict=True)]
        else:
            sizes = [*map(len, ones if side == "candidate" else others)]
        counts[name] = np.array(sizes, dtype=np.float64)
    found: list[Any] = [metric.from_counts(Pairs(counts)) for metric in metrics]
    return [values.tolist() for values in found]


def _count(name: str, steps: Sequence[Symbols], actions: Sequence[Sequence[Any]]) -> Matrix:
    """Return one count of `Comparison` for all pairs, or for all candidates or references."""
    import numpy as np
    from rapidfuzz.process import cdist

    what, _, side = name.partition("_")
    if not side:
        counts: Matrix = cdist(steps, steps, scorer=_scorer(name), dtype=np.float64)
        return counts
    items = _items(what, steps, actions)
    if side == "shared":
        return _overlaps(items)
    lengths = [*map(len, items)]
    alike = len(set(lengths)) == 1  # then one stands for all
    row = np.array([lengths[:1] if alike else lengths], dtype=np.float64)
    return row.T if side == "candidate" else row


def _scorer(name: str) -> Any:
    from rapidfuzz.distance import OSA, LCSseq, Levenshtein

    return {"lcs": LCSseq.similarity, "levenshtein": Levenshtein.distance, "osa": OSA.distance}[
        name
    ]


def _items(what: str, steps: Sequence[Symbols], actions: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """Return what the counts of a name count in each plan: steps, actions, or distinct actions."""
    if what == "n":
        return steps
    return [_occurrences(each) if what == "actions" else frozenset(each) for each in actions]


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
