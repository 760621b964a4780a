"""Student's t without scipy, so that the overview needs nothing but numpy."""

from __future__ import annotations

from functools import lru_cache
from math import cos, fsum, pi, sin, sqrt, tan
from statistics import NormalDist

_SUMMED = 400
"""Up to so many degrees of freedom the distribution of t is summed up."""


@lru_cache(maxsize=1024)
def t_quantile(level: float, freedom: int) -> float:
    """Return the t that is exceeded, on both sides together, with a chance of 1 - level.

    Student's t with ``freedom`` ≥ 1 degrees of freedom: the finite sums of Abramowitz and Stegun
    (1964), 26.7.3 and 26.7.4, inverted; beyond 400 degrees their expansion 26.7.5, which is right
    to 11 digits there.

    >>> round(t_quantile(0.95, 1), 4), round(t_quantile(0.95, 10), 4)
    (12.7062, 2.2281)
    """
    if freedom > _SUMMED:
        return _expanded(NormalDist().inv_cdf((1 + level) / 2), freedom)
    low, high = 0.0, pi / 2
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return sqrt(freedom) * tan(low)


def _within(angle: float, freedom: int) -> float:
    """Return the chance that |t| ≤ √freedom · tan(angle)."""
    term = cos(angle) if freedom % 2 else 1.0
    terms = []
    for power in range(freedom % 2, freedom - 1, 2):
        terms.append(term)
        term *= cos(angle) ** 2 * (power + 1) / (power + 2)
    total = sin(angle) * fsum(terms)
    return 2 / pi * (angle + total) if freedom % 2 else total


def _expanded(x: float, freedom: int) -> float:
    return x + fsum(
        (
            (x**3 + x) / 4 / freedom,
            (5 * x**5 + 16 * x**3 + 3 * x) / 96 / freedom**2,
            (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384 / freedom**3,
            (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160 / freedom**4,
        )
    )
