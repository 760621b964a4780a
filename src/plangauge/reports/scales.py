"""Which way a score points, and what on it is exact, near the truth or far from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from plangauge.core.errors import UnknownName

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAR, FAR = 0.75, 0.05
"""A score above the one is near the truth, one below the other far from it (Murthy et al.)."""

EDGE = 1e-9
"""How far from an edge a score must lie to be beside it.

Scores are ratios of whole numbers, or means of two. One with denominator u that is not on an edge
k / 20 is at least 1 / 20u away, more than this for every u below 5e7, while what arithmetic adds
is some 1e-16.
"""


_BOUNDS = {"goal_progress": (-1.0, 1.0)}
"""The bounds of scores that are no metrics and lie elsewhere than between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What is known about a score."""

    name: str
    bounds: tuple[float, float] = (0.0, 1.0)
    lower: bool = False
    """Whether lower is better."""

    @property
    def unit(self) -> bool:
        """Whether it lies between 0 and 1, so that shares near and far make sense."""
        return self.bounds == (0.0, 1.0)

    @property
    def label(self) -> str:
        """The name for people."""
        return "IoU" if self.name == "iou" else self.name.replace("_", " ").replace("iou", "IoU")

    @property
    def text(self) -> str:
        """The label, with an arrow where lower is better."""
        return f"{self.label} ↓" if self.lower else self.label

    def closeness(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return how close values are to the truth: 1 - distance, or else what they are."""
        return 1 - values if self.lower else values


@lru_cache(maxsize=256)
def scale_of(name: str) -> Scale:
    """Return the scale of a score; of one that is no metric, what its name says.

    >>> scale_of("iou").lower, scale_of("nearest_action_distance").lower
    (False, True)
    """
    from plangauge.metrics import METRICS

    try:
        metric = METRICS[name]
    except UnknownName:
        return Scale(name, _BOUNDS.get(name, (0.0, 1.0)), lower="distance" in name)
    return Scale(name, metric.bounds, metric.better == "lower")
