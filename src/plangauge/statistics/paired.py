"""Two models on the same problems: who is better, by how much, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum, inf, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from plangauge.statistics.bootstrap import (
    MOST_DRAWN,
    RESAMPLES,
    bootstrap,
    cluster_totals,
)
from plangauge.statistics.caveats import (
    Caveat,
    Numbers,
    StatisticsError,
    few,
    finite,
    same_length,
    scipy_needed,
)
from plangauge.statistics.estimates import LEVEL, mean
from plangauge.statistics.power import ALPHA, detectable_mean, detectable_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 1_000_000

_DRAWN_FROM = 50
"""With fewer problems than these, intervals of t cover better than bootstrapped ones."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """How two models differ on what both were asked; ``difference`` is one less other.

    ``low``, ``high``, ``standard_error``, ``effect`` and ``detectable`` are None where they cannot
    be estimated. ``effect`` is what ``effect_name`` says; ``detectable``, the smallest difference
    that would have been found with a power of 80 %.
    """

    n: int
    clusters: int
    one: float
    """The mean of the first model."""
    other: float
    difference: float
    low: float | None
    high: float | None
    standard_error: float | None
    p: float
    test: str
    effect: float | None
    effect_name: str
    detectable: float | None
    caveats: tuple[Caveat, ...] = field(default=(), repr=False)


def contrast(
    one: Numbers,
    other: Numbers,
    clusters: Numbers | None = None,
    *,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Contrast:
    """Return how the graded scores of two models differ, pair by pair, clustered by problem.

    The 95 % interval of the mean difference is that of `bootstrap`, for fewer than 50 problems that
    of `mean`, which then covers better; the p-value is that of `sign_flip`; the effect is Cohen's
    d of paired samples, the mean difference in standard deviations of the problems' differences;
    ``detectable`` is that of `detectable_mean` at ``alpha``.

    Assumes that problems are independent, and for the test that, were there no difference, each
    problem's could as well have been its opposite. Exchanging the models changes the signs and
    nothing else. Raises `StatisticsError` without pairs, for unequal lengths or an undefined value,
    `MissingExtra` without scipy.

    >>> found = contrast([0.5, 1.0, 0.8, 0.9], [0.25, 0.75, 0.8, 0.4])
    >>> found.difference, found.p, round(found.effect, 2)
    (0.25, 0.25, 1.22)
    """
    mine, theirs = _both(one, other)
    differences = mine - theirs
    found = mean(differences, clusters)
    assert found is not None
    if found.clusters >= _DRAWN_FROM:
        found = bootstrap(differences, clusters, resamples=resamples, seed=seed)
    error = found.standard_error
    return Contrast(
        found.n, found.clusters, _mean(mine), _mean(theirs), found.value, found.low, found.high,
        error,
        p=sign_flip(differences, clusters, resamples=resamples, seed=seed),
        test="sign-flip permutation",
        effect=None if error is None else found.value / (error * sqrt(found.clusters)),
        effect_name="Cohen's d",
        detectable=None if error is None else detectable_mean(error, found.clusters, alpha=alpha),
        caveats=found.caveats,
    )  # fmt: skip


def contrast_shares(one: Numbers, other: Numbers, *, alpha: float = ALPHA) -> Contrast:
    """Return how the shares right of two models differ; give one pair, 0 or 1, for each problem.

    The p-value is that of McNemar's exact test: a binomial one (`scipy.stats.binomtest`) of the
    pairs in which only one model is right. The 95 % interval is Bonett and Price's
    (2012), which also exists where few pairs or none differ; it is normal theory, so that it can
    exclude 0 where the test does not reject, and the other way round. The effect is the odds ratio,
    the pairs that only the first model has right for each that only the other has, None where one
    of them has none; ``detectable`` is that of `detectable_share`.

    Assumes independent pairs. Raises `StatisticsError` without pairs, for unequal lengths and for
    other values than 0 and 1, `MissingExtra` without scipy.

    >>> found = contrast_shares([1] * 8 + [0] * 12, [1] * 2 + [0] * 18)
    >>> found.difference, found.p, found.effect
    (0.3, 0.03125, None)
    """
    mine, theirs = _both(one, other)
    if not set(mine.tolist()) | set(theirs.tolist()) <= {0.0, 1.0}:
        raise StatisticsError("shares are of what is either right (1) or not (0)")
    n, ahead, behind = len(mine), int((mine > theirs).sum()), int((mine < theirs).sum())
    difference = (ahead - behind) / n
    low, high = bonett_price(ahead, behind, n)
    variance = (ahead + behind) / n - difference**2
    differing = (ahead + behind) / n
    caveats = few(n)
    if not differing:
        told = "no problem is right for one and wrong for the other"
        caveats = (Caveat("no spread", told), *caveats)
    return Contrast(
        n, n, _mean(mine), _mean(theirs), difference, low, high,
        sqrt(variance / (n - 1)) if n > 1 and variance > 0 else None,
        p=mcnemar(ahead, behind),
        test="exact McNemar",
        effect=_odds(ahead, behind),
        effect_name="odds ratio",
        detectable=detectable_share(n, differing, alpha=alpha),
        caveats=caveats,
    )  # fmt: skip


def mcnemar(ahead: int, behind: int) -> float:
    """Return the p-value of McNemar's exact test, two-sided (`scipy.stats.binomtest`).

    ``ahead`` and ``behind`` are in how many pairs only the one, and only the other, is right; it
    is 1 where there is neither. Assumes independent pairs.

    >>> mcnemar(6, 0), mcnemar(0, 0)
    (0.03125, 1.0)
    """
    if ahead < 0 or behind < 0:
        raise StatisticsError(f"{min(ahead, behind)} pairs cannot be")
    with scipy_needed():
        from scipy.stats import binomtest

    return float(binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0


def bonett_price(ahead: int, behind: int, n: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of a difference of paired shares (Bonett and Price 2012), in [-1, 1].

    Wald's, after one pair has been added to those that go each way. Assumes ``n`` ≥ 1 independent
    pairs, of which ``ahead`` and ``behind`` differ.

    >>> bonett_price(0, 0, 18)
    (-0.13..., 0.13...)
    """
    if n < 1 or min(ahead, behind) < 0 or ahead + behind > n:
        raise StatisticsError(f"{ahead} and {behind} of {n} pairs make no difference of shares")
    one, other = (ahead + 1) / (n + 2), (behind + 1) / (n + 2)
    centre = one - other
    error = sqrt((one + other - centre**2) / (n + 2))
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return max(centre - half, -1.0), min(centre + half, 1.0)


def sign_flip(
    differences: Numbers,
    clusters: Numbers | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> float:
    """Return the p-value, two-sided, that differences have the mean 0, by turning their signs.

    All differences of a problem turn together. `scipy.stats.permutation_test` tries every way to
    turn them where these are at most ``resamples``, else draws that many; p is then never below
    2 / (resamples + 1). Beyond `bootstrap.MOST_DRAWN` problems it is that of the t test.

    Assumes that problems are independent and, were there no difference, that each sum of a
    problem's differences could as well have been its opposite. It is 1 where nothing differs.
    Raises `StatisticsError` without differences or for an undefined one, `MissingExtra` without
    scipy.

    >>> sign_flip([0.25, 0.25, 0.0, 0.5, 0.1]), sign_flip([0.0, 0.0])
    (0.125, 1.0)
    """
    import numpy as np

    sums, _ = cluster_totals(finite(differences, "differences"), clusters)
    with scipy_needed():
        from scipy.stats import permutation_test, t
    if len(sums) > MOST_DRAWN:
        return float(2 * t.sf(_t_of(sums), len(sums) - 1))
    sums = sums[sums != 0]  # turning the sign of 0 changes nothing
    if len(sums) < 2:
        return 1.0
    # The same draws for A less B as for B less A.
    standing = max(sorted(sums.tolist()), sorted((-sums).tolist()))
    return float(
        permutation_test(
            (np.array(standing),), lambda turned, axis: turned.sum(axis=axis),
            permutation_type="samples", vectorized=True, n_resamples=resamples,
            batch=max(1, _AT_ONCE // len(sums)), rng=np.random.default_rng(seed),
        ).pvalue
    )  # fmt: skip


def _both(one: Numbers, other: Numbers) -> tuple[NDArray[Any], NDArray[Any]]:
    same_length(one, other, "values to pair them with")
    return finite(one, "pairs"), finite(other, "pairs")


def _mean(values: NDArray[Any]) -> float:
    return fsum(values) / len(values)


def _odds(ahead: int, behind: int) -> float | None:
    return ahead / behind if ahead and behind else None


def _t_of(sums: NDArray[Any]) -> float:
    spread = sums.std(ddof=1)
    if spread <= 1e-12 * abs(sums).max():
        return inf if sums.any() else 0.0
    return float(abs(sums.mean()) / spread * sqrt(len(sums)))
