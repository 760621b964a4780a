"""Means over several domains, each of which has problems of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import Any, Literal

from plangauge.statistics.caveats import (
    Caveat,
    Numbers,
    StatisticsError,
    finite,
    names_of,
    scipy_needed,
)
from plangauge.statistics.estimates import LEVEL, Estimate, freedom, mean


@dataclass(frozen=True, slots=True)
class Stratified:
    """A mean over domains, and that of each of them."""

    overall: Estimate
    strata: dict[Any, Estimate] = field(default_factory=dict)


def stratified(
    values: Numbers,
    strata: Numbers,
    clusters: Numbers | None = None,
    *,
    weights: Literal["values", "strata"] = "values",
    level: float = LEVEL,
) -> Stratified:
    """Return the mean over domains with its standard error, clustered by problem in each domain.

    ``strata`` says of each value which domain it is from. All values weigh the same, or all domains
    do (``weights="strata"``: the mean of their means). The variance is the sum of the domains' own
    (as in `mean`), each with the square of its weight; that domains differ adds nothing to it,
    since another suite would have the same domains and other problems of them. The interval is that
    of t with Welch's and Satterthwaite's degrees of freedom.

    Assumes independent problems, each of one domain. Where a domain has one problem only, or no
    spread, the mean over all has no standard error, and a caveat says why. Raises `StatisticsError`
    without values or for an undefined one, `MissingExtra` without scipy.

    >>> found = stratified([0.1, 0.3, 0.8, 1.0], ["a", "a", "b", "b"])
    >>> found.strata["b"].value, found.overall.value, round(found.overall.standard_error, 4)
    (0.9, 0.55, 0.0707)
    """
    import numpy as np

    array = finite(values)
    own = np.arange(len(array)) if clusters is None else names_of(clusters, array)
    names = names_of(strata, array, "strata")
    if weights not in ("values", "strata"):
        raise StatisticsError(f"weights are 'values' or 'strata', not {weights!r}")
    parts: dict[Any, Estimate] = {}
    spread: list[int] = []
    for name in np.unique(names):
        chosen = names == name
        found = mean(array[chosen], own[chosen], level=level)
        assert found is not None
        parts[name.item()] = found
        spread.append(freedom(np.unique(own[chosen], return_counts=True)[1]))
    shares = [1 / len(parts) if weights == "strata" else e.n / len(array) for e in parts.values()]
    return Stratified(_overall(parts, shares, spread, level), parts)


def _overall(
    parts: dict[Any, Estimate], shares: list[float], spread: list[int], level: float
) -> Estimate:
    value = fsum(share * part.value for share, part in zip(shares, parts.values(), strict=True))
    n, clusters = (sum(getattr(p, what) for p in parts.values()) for what in ("n", "clusters"))
    alone = [name for name, part in parts.items() if part.standard_error is None]
    if alone:
        told = f"nothing shows the spread of the problems of {', '.join(map(str, alone))}"
        return Estimate(value, None, None, None, n, clusters, (Caveat("no spread", told),))
    with scipy_needed():
        from scipy.stats import t

    variances = [
        (share * (part.standard_error or 0)) ** 2
        for share, part in zip(shares, parts.values(), strict=True)
    ]
    total = fsum(variances)
    joint = total**2 / fsum(
        variance**2 / own for variance, own in zip(variances, spread, strict=True)
    )
    half = float(t.ppf((1 + level) / 2, joint)) * sqrt(total)
    caveats = tuple(
        Caveat(caveat.kind, f"{name}: {caveat}")
        for name, part in parts.items()
        for caveat in part.caveats
    )
    return Estimate(value, value - half, value + half, sqrt(total), n, clusters, caveats)
