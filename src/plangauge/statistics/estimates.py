"""Estimates with their uncertainty; every function says what it assumes.

What cannot be estimated (anything without observations, the interval of a mean of one problem or
without any spread) is None: never 0, and never an interval without width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from plangauge.statistics.caveats import (
    Caveat,
    Numbers,
    StatisticsError,
    chance,
    effective,
    few,
    finite,
    hits_only,
    names_of,
    skewed,
    unequal,
)
from plangauge.statistics.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.95
"""How often an interval shall contain the true value."""

_SELDOM = 5
"""With fewer problems than these that are not all right, or not all wrong, problems are counted."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval; ``n`` observations come from so many ``clusters``.

    ``low``, ``high`` and ``standard_error`` are None where they cannot be estimated; ``caveats``
    say what must be known about the interval.
    """

    value: float
    low: float | None
    high: float | None
    standard_error: float | None
    n: int
    clusters: int
    caveats: tuple[Caveat, ...] = field(default=(), repr=False)


def mean(
    values: Numbers,
    clusters: Numbers | None = None,
    *,
    level: float = LEVEL,
    bounds: tuple[float, float] = (float("-inf"), float("inf")),
) -> Estimate | None:
    """Return the mean with an interval that allows for clusters; None without any values.

    ``clusters`` says of each value which problem it is about; without them each is its own.
    Answers about the same problem depend on each other, so that problems, not answers, are what
    was drawn at random: the standard error is that of the means without one problem each (CR3, Bell
    and McCaffrey 2002). The interval is that of t with one degree of freedom less than there are
    problems; where some have more answers than others, less than so many that have equally many
    (Carter, Schnepel and Steigerwald 2017). Without clusters this is the textbook's s / √n.

    Assumes that clusters are independent, and that there are enough of them for their mean to be
    nearly normal: 20, more where a few make most of the spread, of which a caveat tells. It cannot
    tell of what is too rare to be among what was seen. The interval is cut to the ``bounds`` of
    what is measured. There is none for a single cluster, nor where all clusters have the same mean:
    no spread among what was seen does not mean that there is none. Raises `StatisticsError` for an
    undefined value.

    >>> mean([0.0, 0.5, 1.0])
    Estimate(value=0.5, low=-0.74..., high=1.74..., standard_error=0.288..., n=3, clusters=3)
    >>> mean([1.0, 1.0]).low is None, mean([]) is None
    (True, True)
    """
    if not len(values):
        return None
    chance(level, "level")
    array = finite(values)
    centre = fsum(array) / len(array)
    sums, counts, error = _spread(array, clusters, centre)
    n, groups = len(array), len(counts)
    if error is None:
        return Estimate(centre, None, None, None, n, groups, no_spread(groups))
    half = t_quantile(level, freedom(counts)) * error
    low, high = max(centre - half, bounds[0]), min(centre + half, bounds[1])
    caveats = (*few(groups), *(unequal(counts) or skewed(sums)))
    return Estimate(centre, low, high, error, n, groups, caveats)


def share(
    hits: Sequence[bool] | NDArray[Any], clusters: Numbers | None = None, *, level: float = LEVEL
) -> Estimate | None:
    """Return the share of hits with Wilson's interval; None without any observations.

    That of `proportion`. Assumes that clusters are independent. There is no interval for repeats of
    a single one. Raises `StatisticsError` for what is neither 0 nor 1.

    >>> share([True, False, True, True])
    Estimate(value=0.75, low=0.3006..., high=0.9544..., standard_error=0.25, n=4, clusters=4)
    """
    return proportion(hits_only(hits), clusters, len(hits), level=level) if len(hits) else None


def proportion(
    values: NDArray[Any], clusters: Numbers | None, answers: int, *, level: float = LEVEL
) -> Estimate:
    """Return the mean of values in [0, 1] that come from so many right or wrong ``answers``.

    With Wilson's interval, of as many independent answers as would give the same standard error, at
    most all (Korn and Graubard 1998; Dean and Pagano 2015). Where that cannot be told, since fewer
    than five problems have anything but 0, or anything but 1, problems are counted, which is on the
    safe side. There is none for a single problem.
    """
    chance(level, "level")
    n, value = len(values), fsum(values) / len(values)
    _, counts, error = _spread(values, clusters, value)
    groups, equal = len(counts), effective(counts)
    caveats = (*few(groups), *unequal(counts))
    if groups == 1 < answers:
        return Estimate(value, None, None, None, n, groups, caveats)
    independent = float(answers)
    if groups < answers:
        independent = equal
        if error is not None and _mixed(values, clusters) >= _SELDOM:
            narrowed = t_quantile(level, answers - 1) / t_quantile(level, freedom(counts))
            bernoulli = value * (1 - value) * answers / (answers - 1)
            independent = min(float(answers), bernoulli / error**2 * narrowed**2)
    low, high = wilson(value * independent, independent, level=level) or (None, None)
    return Estimate(value, low, high, error, n, groups, caveats)


def wilson(successes: float, trials: float, *, level: float = LEVEL) -> tuple[float, float] | None:
    """Return Wilson's score interval of a proportion, in [0, 1]; None for no trials.

    Assumes independent trials with the same chance of success (Wilson 1927). Numbers of trials
    need not be whole, so that dependent ones can be counted for less. Raises `StatisticsError`
    where there are more successes than trials, or fewer than none.

    >>> wilson(7, 501)
    (0.0067..., 0.0285...)
    >>> wilson(0, 10)
    (0.0, 0.277...)
    """
    chance(level, "level")
    if not (0 <= successes <= trials and isfinite(trials)):
        raise StatisticsError(f"{successes} of {trials} is no proportion")
    if not trials:
        return None
    z, p = NormalDist().inv_cdf((1 + level) / 2), successes / trials
    scale = 1 + z * z / trials
    centre = (p + z * z / (2 * trials)) / scale
    half = z / scale * sqrt(p * (1 - p) / trials + z * z / (4 * trials * trials))
    return (max(centre - half, 0.0) if p else 0.0), (min(centre + half, 1.0) if p < 1 else 1.0)


def no_spread(clusters: int) -> tuple[Caveat, ...]:
    """Return the caveats of a mean without interval."""
    alone = "there is one problem only" if clusters == 1 else "all problems have the same mean"
    return (Caveat("no spread", f"{alone}: nothing shows how uncertain it is"), *few(clusters))


def freedom(counts: NDArray[Any]) -> int:
    """Return the degrees of freedom of a mean over problems with so many answers each."""
    return max(1, int(effective(counts)) - 1)


def _spread(
    values: NDArray[Any], clusters: Numbers | None, centre: float
) -> tuple[NDArray[Any], NDArray[Any], float | None]:
    """Return by how much problems deviate, their numbers of values, and the mean's error (CR3).

    Deviations are summed over the values of a problem. The standard error is None where nothing
    shows it. Values are summed in order of size, so that the order in which they came changes no
    digit.
    """
    import numpy as np

    sums, counts = np.sort(values) - centre, np.ones(len(values), int)
    if clusters is not None:
        names = names_of(clusters, values)
        order = np.lexsort((values, names))
        _, starts, counts = np.unique(names[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(values[order] - centre, starts)
    groups, n = len(sums), len(values)
    if groups < 2:
        return sums, counts, None
    error = sqrt((groups - 1) / groups * fsum((sums / (n - counts)) ** 2))
    # Between equal values there is nothing but rounding.
    return sums, counts, error if error > 1e-12 * fsum(abs(values)) / n else None


def _mixed(values: NDArray[Any], clusters: Numbers | None) -> int:
    """Return how many problems have anything but 0, or anything but 1: the fewer of both."""
    import numpy as np

    names = np.arange(len(values)) if clusters is None else np.asarray(clusters)
    return min(len(np.unique(names[values != end])) for end in (0, 1))
