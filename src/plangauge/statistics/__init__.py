"""Estimates and tests with their uncertainty; every function says what it assumes.

What cannot be estimated is None: never 0, and never an interval without width. A mean of one
problem, or without any spread, has no interval; a share has one nonetheless. What does not make
sense (nothing at all, an undefined value, unequal columns) is refused with a `StatisticsError`;
what must be known about a result is a `Caveat` in it. Answers about the same problem depend on each
other: problems, not answers, are what was drawn at random.
"""

from __future__ import annotations

from plangauge.statistics.caveats import FEW as FEW
from plangauge.statistics.caveats import Caveat as Caveat
from plangauge.statistics.caveats import Numbers as Numbers
from plangauge.statistics.caveats import StatisticsError as StatisticsError
from plangauge.statistics.correlations import Correlated as Correlated
from plangauge.statistics.correlations import Correlation as Correlation
from plangauge.statistics.correlations import correlate as correlate
from plangauge.statistics.correlations import correlation as correlation
from plangauge.statistics.estimates import LEVEL as LEVEL
from plangauge.statistics.estimates import RESAMPLES as RESAMPLES
from plangauge.statistics.estimates import Estimate as Estimate
from plangauge.statistics.estimates import Stratified as Stratified
from plangauge.statistics.estimates import bootstrap as bootstrap
from plangauge.statistics.estimates import mean as mean
from plangauge.statistics.estimates import share as share
from plangauge.statistics.estimates import stratified as stratified
from plangauge.statistics.estimates import t_quantile as t_quantile
from plangauge.statistics.estimates import wilson as wilson
from plangauge.statistics.fits import Coefficient as Coefficient
from plangauge.statistics.fits import Fit as Fit
from plangauge.statistics.fits import Parity as Parity
from plangauge.statistics.fits import Steps as Steps
from plangauge.statistics.fits import isotonic as isotonic
from plangauge.statistics.fits import linear as linear
from plangauge.statistics.fits import logistic as logistic
from plangauge.statistics.fits import parity as parity
from plangauge.statistics.power import ALPHA as ALPHA
from plangauge.statistics.power import POWER as POWER
from plangauge.statistics.power import Contrast as Contrast
from plangauge.statistics.power import bonett_price as bonett_price
from plangauge.statistics.power import contrast as contrast
from plangauge.statistics.power import contrast_shares as contrast_shares
from plangauge.statistics.power import detectable_flip as detectable_flip
from plangauge.statistics.power import detectable_mean as detectable_mean
from plangauge.statistics.power import detectable_share as detectable_share
from plangauge.statistics.power import holm as holm
from plangauge.statistics.power import mcnemar as mcnemar
from plangauge.statistics.power import mcnemar_power as mcnemar_power
from plangauge.statistics.power import sign_flip as sign_flip
from plangauge.statistics.power import smallest_p as smallest_p
from plangauge.statistics.repeats import Components as Components
from plangauge.statistics.repeats import components as components
from plangauge.statistics.repeats import consistency as consistency
from plangauge.statistics.repeats import pass_at_k as pass_at_k
from plangauge.statistics.repeats import pass_hat_k as pass_hat_k
from plangauge.statistics.repeats import passing as passing
