"""Estimates with their uncertainty; every function says what it assumes.

What cannot be estimated (no observations, one problem, no spread at all) is None: never 0, and
never an interval without width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from plangauge.statistics.caveats import Caveat, Numbers, StatisticsError, few, same_length
from plangauge.statistics.student import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.95
"""How often an interval shall contain the true value."""


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
    was drawn at random: the standard error is the cluster-robust one (CR1, Liang and Zeger 1986),
    and the interval that of t with one degree of freedom less than there are clusters. Without
    clusters this is the textbook's s / √n.

    Assumes that clusters are independent, and that there are enough of them, say 20, for their
    mean to be nearly normal. The interval is cut to the ``bounds`` of what is measured. There is
    none for a single cluster, nor where all clusters have the same mean: no spread among what was
    seen does not mean that there is none. Raises `StatisticsError` for an undefined value.

    >>> mean([0.0, 0.5, 1.0])
    Estimate(value=0.5, low=-0.74..., high=1.74..., standard_error=0.288..., n=3, clusters=3)
    >>> mean([1.0, 1.0]).low is None, mean([]) is None
    (True, True)
    """
    if not len(values):
        return None
    centre = fsum(values) / len(values)
    if not isfinite(centre):
        raise StatisticsError("a value is undefined: leave such ones out first, and say so")
    sums = residuals(values, clusters, centre)
    error = _clustered_error(sums, values)
    if error is None:
        return Estimate(centre, None, None, None, len(values), len(sums), no_spread(len(sums)))
    half = t_quantile(level, len(sums) - 1) * error
    low, high = max(centre - half, bounds[0]), min(centre + half, bounds[1])
    return Estimate(centre, low, high, error, len(values), len(sums), few(len(sums)))


def share(
    hits: Sequence[bool] | NDArray[Any], clusters: Numbers | None = None, *, level: float = LEVEL
) -> Estimate | None:
    """Return the share of hits with Wilson's interval; None without any observations.

    Where several observations are about the same problem, the interval is that of as many
    independent ones as would give the same standard error (Korn and Graubard 1998; Dean and Pagano
    2015). Where that cannot be told, because there are only hits or none, clusters are counted.
    Assumes that clusters are independent. There is no interval for repeats of a single one.

    >>> share([True, False, True, True])
    Estimate(value=0.75, low=0.3006..., high=0.9544..., standard_error=0.25, n=4, clusters=4)
    """
    n = len(hits)
    if not n:
        return None
    value = sum(map(bool, hits)) / n
    values = [float(hit) for hit in hits]
    sums = residuals(values, clusters, value)
    error, groups = _clustered_error(sums, values), len(sums)
    if groups == 1 < n:
        return Estimate(value, None, None, None, n, groups, few(groups))
    independent = float(n)
    if groups < n:
        independent = groups if error is None else _effective(value, n, groups, error, level)
    low, high = wilson(value * independent, independent, level=level) or (None, None)
    return Estimate(value, low, high, error, n, groups, few(groups))


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
    if not 0 <= successes <= trials:
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


def residuals(values: Numbers, clusters: Numbers | None, centre: float) -> list[float]:
    """Return for each cluster the sum of the differences from the centre.

    Values are summed in order of size, so that the order in which they came changes no digit.
    """
    import numpy as np

    array = np.asarray(values, float)
    if clusters is None:
        return sorted((array - centre).tolist())
    same_length(values, clusters, "clusters")
    found = np.asarray(clusters)
    order = np.lexsort((array, found))
    found = found[order]
    starts = np.flatnonzero(np.concatenate([[True], found[1:] != found[:-1]]))
    return sorted(np.add.reduceat(array[order] - centre, starts).tolist())


def _clustered_error(sums: Numbers, values: Numbers) -> float | None:
    """Return the standard error of the mean from its residuals; None where nothing shows it."""
    groups, n = len(sums), len(values)
    if groups < 2:
        return None
    error = sqrt(groups / (groups - 1) * fsum(each * each for each in sums)) / n
    # Between equal values there is nothing but rounding.
    return error if error > 1e-12 * fsum(map(abs, values)) / n else None


def _effective(value: float, n: int, groups: int, error: float, level: float) -> float:
    """Return how many independent observations tell as much as n in groups, at most n."""
    narrowed = t_quantile(level, n - 1) / t_quantile(level, groups - 1)
    return min(float(n), value * (1 - value) / error**2 * n / (n - 1) * narrowed**2)
