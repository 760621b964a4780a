"""The test that a mean difference is 0 by turning signs, and what it can find."""

from __future__ import annotations

from functools import lru_cache
from math import fsum, inf, isfinite, sqrt
from sys import float_info
from typing import TYPE_CHECKING, Any

from plangauge.statistics.bootstrap import MOST_DRAWN, RESAMPLES, cluster_totals
from plangauge.statistics.caveats import (
    Numbers,
    StatisticsError,
    chance,
    draws,
    finite,
    scipy_needed,
)
from plangauge.statistics.power import ALPHA, POWER, detectable_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE = 250_000
"""So many signs are drawn at a time."""

_SIMULATED = 13
"""Up to so many problems the power is simulated; with more it is that of the t test."""

_ROUNDS = 1_000


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
    import numpy as np

    draws(resamples, seed)
    sums, _ = cluster_totals(finite(differences, "differences"), clusters)
    with scipy_needed():
        from scipy.stats import t
    if len(sums) > MOST_DRAWN:
        # Where all differ by the same, t is infinite, but p is not 0.
        return max(float(2 * t.sf(_t_of(sums), len(sums) - 1)), smallest_p(len(sums), resamples))
    sums = sums[sums != 0]  # turning the sign of 0 changes nothing
    if len(sums) < 2:
        return 1.0
    # Without their signs and in order, so that A less B has the same draws as B less A.
    sizes = np.sort(abs(sums))
    reached = abs(fsum(sums)) - 1e-10 * fsum(sizes)
    if 2 ** len(sizes) <= resamples:
        return float((abs(_every_way(len(sizes)) @ sizes) >= reached).mean())
    rng, found, left = np.random.default_rng(seed), 1, resamples
    while left:
        signs = _drawn(rng, min(left, max(1, _AT_ONCE // len(sizes))), len(sizes))
        found += int((abs(signs @ sizes) >= reached).sum())
        left -= len(signs)
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
    import numpy as np

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
    import numpy as np

    rows = np.arange(2 ** (count - 1))[:, None]
    return np.asarray(1.0 - 2.0 * (rows >> np.arange(count) & 1))


def _drawn(rng: np.random.Generator, rows: int, count: int) -> NDArray[Any]:
    """Return rows of random signs, eight from each byte."""
    import numpy as np

    drawn = rng.integers(0, 256, (rows, (count + 7) // 8), dtype=np.uint8)
    return np.asarray(1.0 - 2.0 * np.unpackbits(drawn, axis=1, count=count))


def _t_of(sums: NDArray[Any]) -> float:
    spread = sums.std(ddof=1)
    if spread <= 1e-12 * abs(sums).max():
        return inf if sums.any() else 0.0
    return float(abs(sums.mean()) / spread * sqrt(len(sums)))
