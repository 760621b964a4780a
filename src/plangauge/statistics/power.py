"""The smallest difference that so many problems could have shown."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

from plangauge.statistics.caveats import StatisticsError, chance, scipy_needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    import numpy as np

    with scipy_needed():
        from scipy.optimize import brentq
        from scipy.stats import nct, t

    edge = t.isf(alpha / 2, freedom)

    def lacking(shift: float) -> float:
        # Far from 0, scipy has NaN for the chance to be found on the wrong side.
        wrong = np.nan_to_num(nct.cdf(-edge, freedom, shift))
        return float(nct.sf(edge, freedom, shift) + wrong) - power

    return float(brentq(lacking, 0, 4 * edge + 10, xtol=1e-10))


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
    with scipy_needed():
        from scipy.optimize import brentq

    def lacking(difference: float) -> float:
        return mcnemar_power(n, max(discordant, difference), difference, alpha=alpha) - power

    if lacking(1.0) < 0:
        return None
    return float(brentq(lacking, 0, 1, xtol=1e-6))


def mcnemar_power(n: int, discordant: float, difference: float, *, alpha: float = ALPHA) -> float:
    """Return how often an exact McNemar test of ``n`` pairs finds a difference of two shares.

    ``discordant`` is the share of pairs that differ, at least the ``difference``.

    >>> round(mcnemar_power(200, 0.2, 0.0), 2), mcnemar_power(10, 1.0, 1.0)
    (0.03, 1.0)
    """
    import numpy as np

    with scipy_needed():
        from scipy.stats import binom

    chance(alpha, "alpha")
    if n < 1:
        raise StatisticsError(f"{n} pairs make no test")
    if not 0 <= difference <= discordant <= 1:
        raise StatisticsError(f"{discordant} cannot differ for a difference of {difference}")
    if not discordant:
        return 0.0
    around, spread = n * discordant, 10 * sqrt(n * discordant * (1 - discordant)) + 1
    counts = np.arange(max(0, int(around - spread)), min(n, int(around + spread) + 1) + 1)
    ahead = 0.5 + difference / discordant / 2
    edges = _edges(counts, alpha)
    shown = binom.sf(edges - 1, counts, ahead) + binom.cdf(counts - edges, counts, ahead)
    return float((binom.pmf(counts, n, discordant) * np.minimum(shown, 1)).sum())


def _edges(counts: NDArray[Any], alpha: float) -> NDArray[Any]:
    """Return from how many of so many coin tosses on a two-sided exact test rejects, or more."""
    import numpy as np
    from scipy.stats import binom

    edges = binom.isf(alpha / 2, counts, 0.5) + 1
    return np.asarray(np.maximum(edges, counts // 2 + 1))
