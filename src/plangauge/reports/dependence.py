"""How scores depend on the size of a problem: fits of what `by_size` shows point by point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plangauge.records import Run
from plangauge.reports.collect import collect
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import Choice, Group, Key, Scores
from plangauge.statistics import (
    Caveat,
    Coefficient,
    Fit,
    Parity,
    StatisticsError,
    Steps,
    isotonic,
    logistic,
    parity,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Dependence:
    """How the answers of a model to a task depend on one of the sizes of `collect`."""

    model: str
    task: str
    score: str
    size: str
    n: int
    """How many records have a score and a known size."""
    problems: int
    """How many problems these are about."""
    slope: Coefficient | None
    """By how much the log odds of being right change for one more of the size."""
    steps: Steps | None
    """The mean scores by size, and the nearest that never get better as the size grows."""
    parity: Parity | None
    """Odd against even sizes."""
    refused: dict[str, str]
    """What could not be fitted (*slope*, *steps*, *parity*) → why."""
    caveats: tuple[Caveat, ...]
    """What must be known about the slope; steps and parity have caveats of their own."""


_ALL = Choice()


def dependence(
    runs: Sequence[Run], size: str = "length", choice: Choice = _ALL
) -> list[Dependence]:
    """Return how each model depends on a size at each task, clustered by problem.

    ``size`` is one of `plangauge.reports.collect.SIZES`; tasks of which no record tells it have no
    row. Raises what `collect` raises, and `MissingExtra` without scipy.
    """
    return dependence_in(collect(runs, choice, size), size)


def dependence_in(scores: Scores, size: str) -> list[Dependence]:
    """Return `dependence` of scores that `collect` has read with this size."""
    found = (_fitted(key, group, size) for key, group in scores.pooled(["model", "task"]))
    return [each for each in found if each.n]


def _fitted(key: Key, group: Group, size: str) -> Dependence:
    import numpy as np

    sizes, values = np.asarray(group.sizes), np.asarray(group.scores)
    right, problems = np.asarray(group.right), np.asarray(group.problems)
    known = ~np.isnan(sizes) & ~np.isnan(values)
    judged = ~np.isnan(sizes) & (right >= 0)
    lower = scale_of(key.score).lower
    refused: dict[str, str] = {}

    def tried(name: str, fit: Any) -> Any:
        try:
            return fit()
        except StatisticsError as error:
            refused[name] = str(error)
            return None

    def stairs() -> Steps:
        return isotonic(sizes[known], values[known], problems[known], increasing=lower)

    def curve() -> Fit:
        named: dict[str, NDArray[Any]] = {size: sizes[judged]}
        return logistic(right[judged], named, problems[judged])

    fit: Fit | None = tried("slope", curve)
    return Dependence(
        key.model, key.task, key.score, size, int(known.sum()), len(np.unique(problems[known])),
        slope=None if fit is None else fit.coefficients[size],
        steps=tried("steps", stairs),
        parity=tried("parity", lambda: parity(sizes[known], values[known], problems[known])),
        refused=refused,
        caveats=() if fit is None else fit.caveats,
    )  # fmt: skip
