"""Estimates and tests with their uncertainty; every function says what it assumes.

What cannot be estimated is None: never 0, and never an interval without width. A mean of one
problem, or without any spread, has no interval; a share has one nonetheless. What does not make
sense (nothing at all, an undefined value, unequal columns) is refused with a `StatisticsError`;
what must be known about a result is a `Caveat` in it. Answers about the same problem depend on each
other: problems, not answers, are what was drawn at random.
"""

from __future__ import annotations

from plangauge.statistics.bootstrap import RESAMPLES, bootstrap
from plangauge.statistics.caveats import FEW, Caveat, Numbers, StatisticsError
from plangauge.statistics.correlations import Correlated, Correlation, correlate, correlation
from plangauge.statistics.estimates import LEVEL, Estimate, mean, share, wilson
from plangauge.statistics.families import holm
from plangauge.statistics.fits import (
    Coefficient,
    Fit,
    Parity,
    Steps,
    isotonic,
    linear,
    logistic,
    parity,
)
from plangauge.statistics.flips import detectable_flip, sign_flip, smallest_p
from plangauge.statistics.paired import (
    Contrast,
    bonett_price,
    contrast,
    contrast_shares,
    mcnemar,
)
from plangauge.statistics.power import (
    ALPHA,
    POWER,
    detectable_mean,
    detectable_share,
    mcnemar_power,
)
from plangauge.statistics.repeats import (
    Components,
    components,
    consistency,
    pass_at_k,
    pass_hat_k,
    passing,
)
from plangauge.statistics.strata import Stratified, stratified
from plangauge.statistics.student import t_quantile

__all__ = [
    "ALPHA",
    "FEW",
    "LEVEL",
    "POWER",
    "RESAMPLES",
    "Caveat",
    "Coefficient",
    "Components",
    "Contrast",
    "Correlated",
    "Correlation",
    "Estimate",
    "Fit",
    "Numbers",
    "Parity",
    "StatisticsError",
    "Steps",
    "Stratified",
    "bonett_price",
    "bootstrap",
    "components",
    "consistency",
    "contrast",
    "contrast_shares",
    "correlate",
    "correlation",
    "detectable_flip",
    "detectable_mean",
    "detectable_share",
    "holm",
    "isotonic",
    "linear",
    "logistic",
    "mcnemar",
    "mcnemar_power",
    "mean",
    "parity",
    "pass_at_k",
    "pass_hat_k",
    "passing",
    "share",
    "sign_flip",
    "smallest_p",
    "stratified",
    "t_quantile",
    "wilson",
]
