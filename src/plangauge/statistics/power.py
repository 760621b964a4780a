"""The test by turning signs, and the smallest difference that so many problems could show."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import fsum, inf, isfinite, log, sqrt
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plangauge.core.errors import needing
from plangauge.statistics.bootstrap import MOST_DRAWN, RESAMPLES, cluster_totals
from plangauge.statistics.caveats import (
    Numbers,
    StatisticsError,
    chance,
    draws,
    finite,
)

POWER = 0.8
"""How often a difference shall be found that is there."""

ALPHA = 0.05
"""How often one may be found that is not there."""


def detectable_mean(
    standard_error: float, clusters: int, *, power: float = POWER, alpha: float = ALPHA
) -> float:
    """Return the smallest mean difference that a two-sided t test would find with this power.

    ``standard_error`` is that of the observed difference, from so many ``clusters``: by the
    noncentral t with clusters - 1 degrees of freedom. Assumes that another sample of problems would
    spread as this one does, and that the mean of that many clusters is nearly normal. Raises
    `StatisticsError` for fewer than two clusters or no spread, `MissingExtra` without scipy.

    >>> round(detectable_mean(0.03 / 10, 100) / 0.03, 4)  # Cohen's d of 100 pairs
    0.2829
    """
    chance(alpha, "alpha")
    chance(power, "power")
    if clusters < 2 or not (isfinite(standard_error) and standard_error > 0):
        raise StatisticsError("power needs two problems and a spread between them")
    return standard_error * _noncentrality(clusters - 1, power, alpha)


@lru_cache(maxsize=1024)
def _noncentrality(freedom: int, power: float, alpha: float) -> float:
    """Return how many standard errors from 0 the truth must be for t to be found outside."""
    with needing("scipy", "report"):  # not scipy.stats, which takes a second to import
        from scipy.special import nctdtr, stdtrit

    edge = -float(stdtrit(freedom, alpha / 2))

    def found(shift: float) -> float:
        # Far from 0, scipy has NaN for the chance to be found on the wrong side.
        wrong = np.nan_to_num(nctdtr(freedom, shift, -edge))
        return float(1 - nctdtr(freedom, shift, edge) + wrong)

    return _least(found, power, 4 * edge + 10, 1e-10)


def _least(rising: Callable[[float], float], wanted: float, high: float, near: float) -> float:
    """Return from 0 to ``high`` where a rising function has a value, as near as stated."""
    low = 0.0
    while high - low > near * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return high


def detectable_share(
    n: int, discordant: float, *, power: float = POWER, alpha: float = ALPHA
) -> float | None:
    """Return the smallest difference of two shares that an exact McNemar test would find.

    Of ``n`` pairs a share ``discordant`` differ; larger differences than that need as many
    discordant pairs as they are large. The power is summed over how many pairs may be discordant,
    and over which of them go which way (Miettinen 1968, exactly). None where n pairs are too few
    to show any difference at all. Assumes independent pairs. Raises `StatisticsError` for no pairs,
    or where ``discordant`` is no share, `MissingExtra` without scipy.

    >>> round(detectable_share(200, 0.2), 3), detectable_share(5, 0.2)
    (0.091, None)
    """
    chance(alpha, "alpha")
    chance(power, "power")
    if n < 1 or not 0 <= discordant <= 1:
        raise StatisticsError(f"a share {discordant} of {n} pairs makes no test")
    return _detectable_share(n, discordant, power, alpha)


@lru_cache(maxsize=1024)
def _detectable_share(n: int, discordant: float, power: float, alpha: float) -> float | None:
    def found(difference: float) -> float:
        return mcnemar_power(n, max(discordant, difference), difference, alpha=alpha)

    return None if found(1.0) < power else _least(found, power, 1.0, 1e-6)


def mcnemar_power(n: int, discordant: float, difference: float, *, alpha: float = ALPHA) -> float:
    """Return how often an exact McNemar test of ``n`` pairs finds a difference of two shares.

    ``discordant`` is the share of pairs that differ, at least the ``difference``.

    >>> round(mcnemar_power(200, 0.2, 0.0), 2), mcnemar_power(10, 1.0, 1.0)
    (0.03, 1.0)
    """
    with needing("scipy", "report"):
        from scipy.special import bdtr, bdtrc

    chance(alpha, "alpha")
    if n < 1:
        raise StatisticsError(f"{n} pairs make no test")
    if not 0 <= difference <= discordant <= 1:
        raise StatisticsError(f"{discordant} cannot differ for a difference of {difference}")
    if not discordant:
        return 0.0
    around, spread = n * discordant, 10 * sqrt(n * discordant * (1 - discordant)) + 1
    least, most = max(0, int(around - spread)), min(n, int(around + spread) + 1)
    counts = np.arange(least, most + 1)
    ahead = 0.5 + difference / discordant / 2
    edges = _edges(least, most, alpha)
    behind = np.where(counts < edges, 0, bdtr(np.maximum(counts - edges, 0), counts, ahead))
    shown = bdtrc(edges - 1, counts, ahead) + behind
    return float((_binomial(counts, n, discordant) * np.minimum(shown, 1)).sum())


def _binomial(counts: NDArray[Any], n: int, share: float) -> NDArray[Any]:
    """Return the chance of each count among ``n``."""
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1)
    return np.asarray(np.exp(ways + xlogy(counts, share) + xlog1py(n - counts, -share)))


@lru_cache(maxsize=16)
def _edges(least: int, most: int, alpha: float) -> NDArray[Any]:
    """Return from how many of ``least`` to ``most`` coin tosses on a two-sided exact test rejects.

    A search for a difference asks for the same ones again and again.
    """
    from scipy.special import bdtrc, bdtrik

    counts = np.arange(least, most + 1)
    near = np.nan_to_num(np.ceil(bdtrik(1 - alpha / 2, counts, 0.5)))
    edges = np.clip(near - 1, 0, counts)  # rounding may be off by one
    for _ in range(2):
        edges += bdtrc(edges, counts, 0.5) > alpha / 2
    return np.asarray(np.maximum(edges + 1, counts // 2 + 1))


_AT_ONCE = 250_000
"""So many signs are drawn at a time."""

_SIMULATED = 13
"""Up to so many problems the power is simulated; with more it is that of the t test."""

_ROUNDS = 1_000

_UNREACHED = 2 * log(1e20)
"""Where the square of a sum is so many times the sum of squares, signs at random reach it with a
chance of at most 2e-20 (Hoeffding 1963)."""


def sign_flip(
    differences: Numbers,
    clusters: Numbers | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> float:
    """Return the p-value, two-sided, that differences have the mean 0, by turning their signs.

    All differences of a problem turn together. Every way to turn them is tried where these are at
    most ``resamples``, else that many are drawn, and those that were seen count as one more: p is
    then never below 1 / (resamples + 1) (Phipson and Smyth 2010). Beyond `bootstrap.MOST_DRAWN`
    problems it is that of the t test.

    Assumes that problems are independent and, were there no difference, that each sum of a
    problem's differences could as well have been its opposite. It is 1 where nothing differs.
    Raises `StatisticsError` without differences or for an undefined one, `MissingExtra` without
    scipy.

    >>> sign_flip([0.25, 0.25, 0.0, 0.5, 0.1]), sign_flip([0.0, 0.0])
    (0.125, 1.0)
    """
    draws(resamples, seed)
    sums, _ = cluster_totals(finite(differences, "differences"), clusters)
    with needing("scipy", "report"):
        from scipy.special import stdtr
    if len(sums) > MOST_DRAWN:
        # Where all differ by the same, t is infinite, but p is not 0.
        return max(float(2 * stdtr(len(sums) - 1, -_t_of(sums))), smallest_p(len(sums), resamples))
    sums = sums[sums != 0]  # turning the sign of 0 changes nothing
    if len(sums) < 2:
        return 1.0
    # Without their signs and in order, so that A less B has the same draws as B less A.
    sizes = np.sort(abs(sums))
    reached = abs(fsum(sums)) - 1e-10 * fsum(sizes)
    if 2 ** len(sizes) <= resamples:
        return float((abs(_every_way(len(sizes)) @ sizes) >= reached).mean())
    if reached**2 > _UNREACHED * fsum(sizes**2):
        return 1 / (resamples + 1)
    rng, found, left = np.random.default_rng(seed), 1, resamples
    eighths = _eighths(sizes)
    while left:
        rows = min(left, max(1, _AT_ONCE // len(sizes)))
        drawn = rng.integers(0, 256, (rows, len(eighths)), dtype=np.uint8)
        turned = eighths.take(drawn + np.arange(len(eighths)) * 256).sum(axis=1)
        found += int((abs(turned) >= reached).sum())
        left -= rows
    return found / (resamples + 1)


def detectable_flip(
    standard_error: float,
    problems: int,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
) -> float | None:
    """Return the smallest mean difference that `sign_flip` would find with this power.

    ``standard_error`` is that of the observed difference, from so many ``problems``. None where the
    test can show nothing, since its smallest p, 2 / 2^problems or 1 / (resamples + 1), is above
    ``alpha``. Up to 13 problems the power is simulated, with a fixed seed, to about a hundredth;
    from 14 on it is `detectable_mean`, whose t test finds nearly as much: 75 to 80 % where that has
    80 %. Assumes normal differences that spread as these do; where most do not differ at all, see
    `detectable_share`. Raises what `detectable_mean` does.

    >>> detectable_flip(0.1, 5), round(detectable_flip(0.1, 40), 3)
    (None, 0.287)
    """
    chance(alpha, "alpha")
    chance(power, "power")
    if problems < 2 or not (isfinite(standard_error) and standard_error > 0):
        raise StatisticsError("power needs two problems and a spread between them")
    if smallest_p(problems, resamples) > alpha:
        return None
    if problems > _SIMULATED:
        return detectable_mean(standard_error, problems, power=power, alpha=alpha)
    return standard_error * sqrt(problems) * _simulated(problems, power, alpha)


def smallest_p(problems: int, resamples: int = RESAMPLES) -> float:
    """Return the smallest p-value that `sign_flip` can have, of so many problems that all differ.

    Of pairs that are right or not, it is McNemar's too as long as all ways are tried.

    >>> smallest_p(5), smallest_p(60)
    (0.0625, 0.0001)
    """
    if 2**problems > resamples and problems <= MOST_DRAWN:
        return 1 / (resamples + 1)
    return max(2.0 ** -min(problems - 1, 1_000), float_info.min)


@lru_cache(maxsize=256)
def _simulated(problems: int, power: float, alpha: float) -> float:
    """Return how many standard deviations from 0 the truth must be to be found so often."""
    ways = _every_way(problems)
    noise = np.random.default_rng(problems).normal(size=(problems, _ROUNDS))
    turned, shifts, allowed = ways @ noise, ways.sum(axis=1)[:, None], alpha * len(ways)

    def found(shift: float) -> float:
        sums = abs(turned + shift * shifts)
        return float(((sums >= sums[0] * (1 - 1e-10)).sum(axis=0) <= allowed).mean())

    low, high = 0.0, 1.0
    while found(high) < power:
        high *= 2
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle) < power else (low, middle)
    return high


@lru_cache(maxsize=16)
def _every_way(count: int) -> NDArray[Any]:
    """Return the ways to turn so many signs, but for turning all: the first row turns none."""
    rows = np.arange(2 ** (count - 1))[:, None]
    return np.asarray(1.0 - 2.0 * (rows >> np.arange(count) & 1))


def _eighths(sizes: NDArray[Any]) -> NDArray[Any]:
    """Return for each eight sizes their sums with the signs that a byte stands for, 256 a row."""
    signs = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    return np.asarray(np.pad(sizes, (0, -len(sizes) % 8)).reshape(-1, 8) @ signs.T)


def _t_of(sums: NDArray[Any]) -> float:
    spread = sums.std(ddof=1)
    if spread <= 1e-12 * abs(sums).max():
        return inf if sums.any() else 0.0
    return float(abs(sums.mean()) / spread * sqrt(len(sums)))
