"""How good a plan is, how close to another one, how many different ones there are.

Every metric is a plain function, found by name in `METRICS` with what may be assumed about it:
direction, bounds, symmetry, its value for two empty inputs. Undefined is None.

To add one for two plans, write a function of a `Comparison` and decorate it with `plan_metric`; for
anything else, write the function and decorate it with `metric`. Both in a module of this folder, or
of any distribution that lists it under the entry-point group ``plangauge``. The laws in
``tests/test_metrics.py`` then apply to it.
"""

from plangauge.metrics.align import Alignment, Change, Row, align
from plangauge.metrics.base import METRICS, Metric, metric
from plangauge.metrics.batch import score_pairs
from plangauge.metrics.compare import Comparison, compare, plan_metric
from plangauge.metrics.diversity import pairwise
from plangauge.metrics.runs import CausalLink, causal_links

__all__ = [
    "METRICS",
    "Alignment",
    "CausalLink",
    "Change",
    "Comparison",
    "Metric",
    "Row",
    "align",
    "causal_links",
    "compare",
    "metric",
    "pairwise",
    "plan_metric",
    "score_pairs",
]
