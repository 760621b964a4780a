"""A line of the table of `coverage.py`, and how it is counted."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RESAMPLES = 1_999


@dataclass(frozen=True)
class Case:
    """A line of the table: what is drawn, and whether what was found is right."""

    name: str
    data: str
    size: str
    once: Callable[[np.random.Generator], bool | None]
    """Whether the interval holds the truth, or the test rejects; None: there is no interval."""
    wanted: str = "93–97 %"


def rate(case: Case, rounds: int) -> tuple[float, float]:
    """Return how often the answer is yes, of how many rounds that have one."""
    rng = np.random.default_rng(zlib.crc32(f"{case.name} {case.data} {case.size}".encode()))
    found = [each for each in (case.once(rng) for _ in range(rounds)) if each is not None]
    return sum(found) / len(found), len(found) / rounds


def holds(found: Any, truth: float) -> bool | None:
    """Return whether an interval contains the truth; None where there is no interval."""
    low, high = (found.low, found.high) if hasattr(found, "low") else found
    return None if low is None else bool(low <= truth <= high)
