"""Correlations over problems, without scipy, so that the overview needs nothing but numpy."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import atanh, sqrt, tanh
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from plangauge.statistics.caveats import Caveat, Numbers, StatisticsError, chance, few, finite
from plangauge.statistics.estimates import LEVEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

Correlation: TypeAlias = Literal["pearson", "spearman"]


@dataclass(frozen=True, slots=True)
class Correlated:
    """A correlation of ``n`` pairs with its interval, None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    caveats: tuple[Caveat, ...] = field(default=(), repr=False)


def correlation(one: Numbers, other: Numbers, kind: Correlation = "spearman") -> float | None:
    """Return the correlation of pairs, in [-1, 1]; None below 3 pairs or for a constant side.

    Pearson's measures how close the pairs are to a line, Spearman's whether one grows with the
    other: it is Pearson's of the ranks, equal values sharing their mean rank. Assumes that the
    pairs are independent: give one for each problem. Raises `StatisticsError` for unequal lengths.

    >>> correlation([1, 2, 3, 4], [1, 4, 9, 16]), correlation([1, 2, 3], [5, 5, 5])
    (1.0, None)
    """
    import numpy as np

    if len(one) != len(other):
        raise StatisticsError(f"{len(one)} values cannot be paired with {len(other)}")
    both = np.asarray([one, other], float)
    if len(one) < 3 or (both == both[:, :1]).all(axis=1).any():
        return None
    if kind == "spearman":
        both = np.stack([_ranks(side) for side in both])
    return float(np.clip(np.corrcoef(both)[0, 1], -1, 1))


def correlate(
    one: Numbers, other: Numbers, kind: Correlation = "spearman", *, level: float = LEVEL
) -> Correlated:
    """Return the `correlation` of pairs with its interval, by Fisher's transformation.

    The standard error of artanh r is 1 / √(n - 3) for Pearson's, as in scipy, which assumes pairs
    from a normal distribution, and √((1 + r²/2) / (n - 3)) for Spearman's (Bonett and Wright 2000),
    which assumes nothing but independent pairs and |r| below about 0.95. There is no interval for
    fewer than four pairs, nor for a perfect correlation. Raises `StatisticsError` without pairs,
    and for an undefined value.

    >>> correlate([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], "pearson")
    Correlated(value=0.82..., low=0.05..., high=0.98..., n=6)
    """
    chance(level, "level")
    value = correlation(finite(one), finite(other), kind)
    n = len(one)
    if value is None:
        alone = f"{n} pairs only" if n < 3 else "one side is always the same"
        return Correlated(None, None, None, n, (Caveat("no spread", alone), *few(n)))
    if n < 4 or abs(value) > 1 - 1e-12:
        told = "fewer than four pairs" if n < 4 else "a perfect correlation"
        return Correlated(value, None, None, n, (Caveat("no interval", told), *few(n)))
    error = sqrt((1 + value**2 / 2 if kind == "spearman" else 1) / (n - 3))
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    low, high = tanh(atanh(value) - half), tanh(atanh(value) + half)
    return Correlated(value, low, high, n, few(n))


def _ranks(values: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts.cumsum() - (counts - 1) / 2)[places])
