"""Two models on the same problems: who is better, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt
from statistics import NormalDist
from typing import Any

from numpy.typing import NDArray

from plangauge.core.errors import needing
from plangauge.statistics.bootstrap import MOST_DRAWN, RESAMPLES, bootstrap, cluster_totals
from plangauge.statistics.caveats import (
    FEW,
    Caveat,
    Numbers,
    StatisticsError,
    chance,
    effective,
    few,
    finite,
    same_length,
)
from plangauge.statistics.estimates import LEVEL, mean
from plangauge.statistics.power import ALPHA, detectable_flip, detectable_share, sign_flip

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
    ``detectable`` is that of `detectable_flip` at ``alpha``. Where at most half of the problems
    differ at all, it is that of `detectable_share`, in units of how large those differences are,
    and a caveat says so below 20 of them. Of problems with very different numbers of answers, as
    many count as with equally many would tell as much.

    Assumes that problems are independent, and for the test that, were there no difference, each
    problem's could as well have been its opposite. Where a few make most of the spread, a caveat
    says that interval and test are rough; of losses too rare to be among what was seen they cannot
    tell. Exchanging the models changes the signs and nothing else. Raises `StatisticsError` without
    pairs, for unequal lengths or an undefined value, `MissingExtra` without scipy.

    >>> found = contrast([0.5, 1.0, 0.8, 0.9], [0.25, 0.75, 0.8, 0.4])
    >>> found.difference, found.p, round(found.effect, 2)
    (0.25, 0.25, 1.22)
    """
    mine, theirs = _both(one, other)
    differences = mine - theirs
    sums, counts = cluster_totals(differences, clusters)
    equal, differing = int(effective(counts)), int((sums != 0).sum())
    found = (
        bootstrap(differences, clusters, resamples=resamples, seed=seed)
        if equal >= _DRAWN_FROM
        else mean(differences, clusters)
    )
    assert found is not None
    error, caveats = found.standard_error, found.caveats
    if error is None and found.clusters > 1:
        why = "all problems differ by the same: nothing shows how uncertain that is"
        caveats = (Caveat("no spread", why if differing else "no problem differs"), *caveats[1:])
    if 0 < differing < FEW and 2 * differing <= found.clusters:
        why = f"the two differ on {differing} of {found.clusters} problems only"
        caveats = (*caveats, Caveat("few differ", why))
    return Contrast(
        found.n, found.clusters, _mean(mine), _mean(theirs), found.value, found.low, found.high,
        error,
        p=sign_flip(sums, resamples=resamples, seed=seed),
        test="sign-flip permutation",
        effect=None if error is None else found.value / (error * sqrt(found.clusters)),
        effect_name="Cohen's d",
        detectable=None if error is None else (
            _detectable_of_few(sums, counts, equal, alpha)
            if 2 * differing <= found.clusters <= MOST_DRAWN
            else detectable_flip(error, max(equal, 2), alpha=alpha, resamples=resamples)
        ),
        caveats=caveats,
    )  # fmt: skip


def _detectable_of_few(
    sums: NDArray[Any], counts: NDArray[Any], equal: int, alpha: float
) -> float | None:
    """Return what McNemar's test would find of problems most of which do not differ.

    Of so many as tell as much with ``equal`` numbers of answers. In units of how large differences
    are, the root of the mean of their squares.
    """
    differing = sums[sums != 0]
    size = sqrt(fsum(differing**2) / len(differing)) * len(sums) / float(counts.sum())
    found = detectable_share(equal, len(differing) / len(sums), alpha=alpha)
    return None if found is None else found * size


def contrast_shares(one: Numbers, other: Numbers, *, alpha: float = ALPHA) -> Contrast:
    """Return how the shares right of two models differ; give one pair, 0 or 1, for each problem.

    The p-value is that of McNemar's exact test: a binomial one of the
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
        why = "no problem is right for one and wrong for the other"
        caveats = (Caveat("no spread", why), *caveats)
    return Contrast(
        n, n, _mean(mine), _mean(theirs), difference, low, high,
        sqrt(variance / (n - 1)) if n > 1 and variance > 0 else None,
        p=mcnemar(ahead, behind),
        test="exact McNemar",
        effect=ahead / behind if ahead and behind else None,
        effect_name="odds ratio",
        detectable=detectable_share(n, differing, alpha=alpha),
        caveats=caveats,
    )  # fmt: skip


def mcnemar(ahead: int, behind: int) -> float:
    """Return the p-value of McNemar's exact test, two-sided: a binomial test of a half.

    ``ahead`` and ``behind`` are in how many pairs only the one, and only the other, is right; it
    is 1 where there is neither. Assumes independent pairs.

    >>> mcnemar(6, 0), mcnemar(0, 0)
    (0.03125, 1.0)
    """
    for pairs in (ahead, behind):
        if pairs < 0 or pairs != int(pairs):
            raise StatisticsError(f"{pairs} pairs cannot be")
    with needing("scipy", "report"):
        from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(ahead, behind), int(ahead + behind), 0.5)))


def bonett_price(ahead: int, behind: int, n: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of a difference of paired shares (Bonett and Price 2012), in [-1, 1].

    Wald's, after one pair has been added to those that go each way. Assumes ``n`` ≥ 1 independent
    pairs, of which ``ahead`` and ``behind`` differ.

    >>> bonett_price(0, 0, 18)
    (-0.13..., 0.13...)
    """
    chance(level, "level")
    if n < 1 or min(ahead, behind) < 0 or ahead + behind > n:
        raise StatisticsError(f"{ahead} and {behind} of {n} pairs make no difference of shares")
    one, other = (ahead + 1) / (n + 2), (behind + 1) / (n + 2)
    centre = one - other
    error = sqrt((one + other - centre**2) / (n + 2))
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return max(centre - half, -1.0), min(centre + half, 1.0)


def _both(one: Numbers, other: Numbers) -> tuple[NDArray[Any], NDArray[Any]]:
    same_length(one, other, "values to pair them with")
    return finite(one, "pairs"), finite(other, "pairs")


def _mean(values: NDArray[Any]) -> float:
    return fsum(values) / len(values)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for being looked at together (Holm 1979), in the same order.

    scipy adjusts for the rate of false discoveries only; this is for that of any error at all.

    Who calls a difference shown where the adjusted value is at most 0.05 is wrong about any of
    them in at most 5 % of all families, however the tests depend on each other. None is no test,
    and counts for none. Raises `StatisticsError` for what is no probability.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    for value in values:
        if value is not None and not 0 <= value <= 1:
            raise StatisticsError(f"{value} is no p-value")
    tested = sorted((value, place) for place, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (value, place) in enumerate(tested):
        highest = max(highest, min(1.0, value * (len(tested) - rank)))
        adjusted[place] = highest
    return adjusted
