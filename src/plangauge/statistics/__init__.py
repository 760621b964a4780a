"""Estimates and tests with their uncertainty; every function says what it assumes.

What cannot be estimated (one problem, no spread at all) is None: never 0, and never an interval
without width. What does not make sense (nothing at all, an undefined value, unequal columns) is
refused with a `StatisticsError`; what must be known about a result is a `Caveat` in it. Answers
about the same problem depend on each other: problems, not answers, are what was drawn at random.
"""

from __future__ import annotations

from plangauge.statistics.caveats import FEW, Caveat, Numbers, StatisticsError
from plangauge.statistics.correlations import Correlated, Correlation, correlate, correlation
from plangauge.statistics.estimates import LEVEL, Estimate, mean, share, wilson
from plangauge.statistics.student import t_quantile

__all__ = [
    "FEW",
    "LEVEL",
    "Caveat",
    "Correlated",
    "Correlation",
    "Estimate",
    "Numbers",
    "StatisticsError",
    "correlate",
    "correlation",
    "mean",
    "share",
    "t_quantile",
    "wilson",
]
