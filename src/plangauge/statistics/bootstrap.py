"""Intervals by drawing problems again and again from those that there are."""

from __future__ import annotations

from functools import lru_cache
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plangauge.core.errors import needing
from plangauge.statistics.caveats import (
    Numbers,
    draws,
    finite,
)
from plangauge.statistics.estimates import LEVEL, Estimate, by_cluster, mean, no_spread

RESAMPLES = 9_999
"""How often is drawn, unless said otherwise."""

MOST_DRAWN = 2_000
"""With more problems than these, the mean is normal for every purpose, and nothing is drawn."""

_AT_ONCE = 100_000
"""So many numbers are drawn or multiplied at a time, which a processor's cache holds."""


def bootstrap(
    values: Numbers,
    clusters: Numbers | None = None,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Return the mean with its BCa bootstrap interval (Efron 1987), clustered by problem.

    ``clusters`` says of each value which problem it is about. Whole problems are drawn, with all
    their values, as `scipy.stats.bootstrap` would draw them; values, clusters and ``seed`` decide
    every digit, the order in which they come none. The interval is never wider than what was seen,
    and need not be symmetric. Beyond `MOST_DRAWN` problems it is that of `mean`.

    Assumes that problems are independent, and that those seen look like those not seen: with
    fewer than 20 it is too narrow, and a caveat says so. Without any spread there is no interval.
    Raises `StatisticsError` without values or for an undefined one, `MissingExtra` without scipy.

    >>> bootstrap([0.0, 0.5, 1.0, 0.75] * 5, resamples=999)
    Estimate(value=0.5625, low=0.3..., high=0.7..., standard_error=0.08..., n=20, clusters=20)
    """
    draws(resamples, seed)
    array = finite(values)
    found = mean(array, clusters, level=level)
    assert found is not None
    if found.standard_error is None or found.clusters > MOST_DRAWN:
        return found
    sums, counts = cluster_totals(array, clusters)
    order, turned = _standing(sums, counts)
    low, high = _bca(turned * sums[order], counts[order], level, resamples, seed)
    if turned < 0:
        low, high = -high, -low
    if not np.isfinite([low, high]).all():  # so few problems that BCa has nothing to go by
        caveats = no_spread(found.clusters)
        return Estimate(found.value, None, None, None, found.n, found.clusters, caveats)
    return Estimate(
        found.value, min(low, found.value), max(high, found.value), found.standard_error,
        found.n, found.clusters, found.caveats,
    )  # fmt: skip


def cluster_totals(
    values: NDArray[Any], clusters: Numbers | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return for each cluster the sum of its values, to 12 digits, and how many there are."""
    if clusters is None:
        return np.round(values, 12), np.ones(len(values))
    order, starts = by_cluster(values, clusters)
    counts = np.diff(starts, append=len(values))
    places = np.repeat(np.arange(len(starts)), counts)
    return np.round(np.bincount(places, values[order]), 12), counts.astype(float)


def _standing(sums: NDArray[Any], counts: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return an order of clusters and a sign that are the same for values and for their opposites.

    What is drawn depends on them, so that a comparison of B with A mirrors that of A with B.
    """
    up, down = np.lexsort((counts, sums)), np.lexsort((counts, -sums))
    different = np.flatnonzero(sums[up] != -sums[down])
    if len(different) and sums[up][different[0]] < -sums[down][different[0]]:
        return down, -1
    return up, 1


def _bca(
    sums: NDArray[Any], counts: NDArray[Any], level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """Return the ends of Efron's BCa interval of the mean; NaN where it is not defined."""
    with needing("scipy", "report"):
        from scipy.special import ndtr, ndtri

    drawn = _drawn_means(sums, counts, resamples, seed)
    centre = np.round(sums.sum() / counts.sum(), 12)
    below = ((drawn < centre).sum() + (drawn <= centre).sum()) / (2 * resamples)
    without = (sums.sum() - sums) / (counts.sum() - counts)
    moved = without.mean() - without
    with np.errstate(divide="ignore", invalid="ignore"):
        acceleration = (moved**3).sum() / (6 * (moved**2).sum() ** 1.5)
        bias = ndtri(below)
        ends = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
        shares = ndtr(bias + ends / (1 - acceleration * ends))
    if np.isnan(shares).any():
        return nan, nan
    low, high = np.quantile(drawn, shares)
    return float(low), float(high)


def _drawn_means(
    sums: NDArray[Any], counts: NDArray[Any], resamples: int, seed: int
) -> NDArray[Any]:
    """Return the mean of each resample of problems, to 12 digits, so that equal ones are equal.

    Neighbours that are alike, as many scores are, are counted together.
    """
    drawn = _times_drawn(len(sums), resamples, seed)
    differs = (sums[1:] != sums[:-1]) | (counts[1:] != counts[:-1])
    starts = np.flatnonzero(np.append(True, differs))
    edges = np.append(starts, len(sums))
    rows = max(1, _AT_ONCE // len(starts))
    alike = bool((counts == counts[0]).all())  # then every resample has as many values
    found = np.empty(resamples)
    for start in range(0, resamples, rows):
        part = np.diff(drawn[edges, start : start + rows], axis=0).astype(float)
        total = counts.sum() if alike else counts[starts] @ part
        found[start : start + rows] = sums[starts] @ part / total
    return np.round(found, 12)


@lru_cache(maxsize=4)
def _times_drawn(count: int, resamples: int, seed: int) -> NDArray[np.uint16]:
    """Return how often any of the first of so many problems are in each resample.

    A row for each number of problems, from none to all. Comparisons of as many problems share it.
    """
    rng = np.random.default_rng(seed)
    drawn = np.zeros((count + 1, resamples), np.uint16)
    rows = max(1, _AT_ONCE // count)
    for start in range(0, resamples, rows):
        part = drawn[1:, start : start + rows].T
        places = rng.integers(0, count, part.shape) + np.arange(len(part))[:, None] * count
        times = np.bincount(places.ravel(), minlength=part.size).reshape(part.shape)
        np.cumsum(times, axis=1, out=part)
    return drawn
