"""What a page says about all records, about those of each task, and about those of each domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from plangauge.core.errors import ProblemError
from plangauge.reports import by_size, histogram
from plangauge.reports.columns import SIZES
from plangauge.reports.leaderboard import leaderboard_of
from plangauge.reports.outcomes import binary_of
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import Scores
from plangauge.scoring.baselines import BASELINES

_BY = ("model", "task")


@dataclass(frozen=True, slots=True)
class Selection:
    """All records, or those of one task or domain."""

    part: Literal["", "task", "domain"] = ""
    name: str = ""

    @property
    def key(self) -> str:
        """What it is called in the data of a page; empty for all records.

        >>> Selection("task", "plan-v1").key
        'task=plan-v1'
        """
        return f"{self.part}={self.name}" if self.part else ""

    def of(self, scores: Scores) -> Scores:
        """Return the scores of what is selected."""
        if not self.part:
            return scores
        groups = {
            k: group for k, group in scores.groups.items() if getattr(k, self.part) == self.name
        }
        return Scores(groups, [], scores.questions, scores.suites, scores.labels, scores.baselines)


def selections(scores: Scores) -> list[Selection]:
    """Return what can be selected: everything first; a single task or domain is everything."""
    found = [Selection()]
    parts: tuple[Literal["task", "domain"], ...] = ("task", "domain")
    for part in parts:
        names = scores.names(part)
        found += [Selection(part, name) for name in names if len(names) > 1]
    return found


def numbers(scores: Scores, selection: Selection) -> dict[str, Any]:
    """Return the numbers of the tables and figures about a selection.

    ``scores`` are those that `collect` has read with their ``questions``, ``baselines`` and sizes.
    """
    chosen = selection.of(scores)
    aside = [model for model in scores.names("model") if baseline_of(model)]
    try:
        found = leaderboard_of(chosen, aside)
    except ProblemError:  # no score is defined
        rankings, remarks = list[dict[str, Any]](), list[str]()
    else:
        rankings, remarks = [asdict(each) for each in found.rankings], found.remarks
    return {
        "rankings": rankings,
        "remarks": remarks,
        "failing": _failing(chosen),
        "sizes": _sizes(chosen),
        "histograms": _histograms(chosen),
        "marks": _marks(chosen),
    }


def _failing(scores: Scores) -> list[dict[str, Any]]:
    """Return at which steps plans failed, counted from 0: pairs of a step and how often."""
    return [
        {
            "model": key.model,
            "task": key.task,
            "n": len(own),
            "steps": sorted(own.steps.items()),
        }
        for key, own in scores.pooled(_BY)
        if own.steps
    ]


def _sizes(scores: Scores) -> dict[str, Any]:
    """Return the means by each size that the records tell, of each model at each task."""
    found: dict[str, list[dict[str, Any]]] = {}
    for task in scores.names("task"):
        own = Selection("task", task).of(scores)
        for size in SIZES:
            try:
                curves = by_size.numbers(own, _BY, size).curves
            except ProblemError:
                continue  # no record tells this size
            found.setdefault(size, []).extend(
                {"model": curve.row, "task": task, **asdict(curve)} for curve in curves
            )
    return found


def _histograms(scores: Scores) -> list[dict[str, Any]]:
    """Return how often each twentieth of the range of a graded score is met."""
    return [
        {
            "model": key.model,
            "task": key.task,
            "score": key.score,
            "counts": histogram.counts(group.scores[~np.isnan(group.scores)]),
        }
        for key, group in scores.pooled(_BY)
        if scale_of(key.score).unit and key.score != binary_of(key.task)
    ]


def _marks(scores: Scores) -> list[dict[str, Any]]:
    """Return the mean scores of the baselines that the samples themselves state."""
    cells = {(key.task, key.domain) for key in scores.groups}
    pooled: dict[tuple[str, str], list[Sequence[float]]] = {}
    for (task, domain, score, name), values in sorted(scores.baselines.items()):
        if (task, domain) in cells:
            pooled.setdefault((score, name), []).append(values)
    return [
        {"score": score, "name": name, "mean": float(np.sort(np.concatenate(groups)).mean())}
        for (score, name), groups in sorted(pooled.items())
    ]


def baseline_of(label: str) -> str | None:
    """Return which baseline a model is, by its name; None for any other model.

    >>> baseline_of("copy-state @ run-a"), baseline_of("gpt")
    ('copy-state', None)
    """
    name = label.partition(" @ ")[0]
    return name if name in BASELINES else None
