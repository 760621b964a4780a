"""What is done about responses that do not fit a suite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from plangauge.scoring.goal_progress import Planning


@dataclass(frozen=True, slots=True)
class Policy:
    """How responses that do not fit the suite are treated; all are counted and listed.

    A row that is malformed, has an unknown id, or a null response is never scored; unless another
    row responds to its sample, that sample is missing.
    """

    missing: Literal["score", "skip"] = "score"
    """A sample without response is scored as silence, or has no record."""
    duplicates: Literal["first", "all"] = "first"
    """Which of several responses to a sample by one model in one epoch are scored."""
    strict: bool = False
    """Any issue is an error, and no run is written."""
    model: str = ""
    """The model name for rows that have none; empty: the name of the file."""
    progress: Planning | None = None
    """How the progress of plans towards the goal is computed; None: not at all."""
