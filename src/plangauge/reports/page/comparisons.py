"""Two models on the same questions, and what needs no model at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from plangauge.reports.comparison import Compared, compare
from plangauge.reports.outcomes import RIGHT
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import Scores
from plangauge.scoring.baselines import BASELINES
from plangauge.statistics import StatisticsError

MOST_PAIRS = 45
"""More pairs of models than these are not compared in a page: that is ten models."""

MOST_ANSWERS = 200_000
"""Nor pairs that have more answers in all, but for the first one: some ten seconds of work."""


@dataclass(frozen=True)
class Shared:
    """Two models, and how many questions of which tasks both were asked."""

    one: str
    other: str
    tasks: dict[str, int]


def shared_by(scores: Scores) -> list[Shared]:
    """Return the pairs of models that were asked some of the same questions.

    Those that share most come first, pairs of baselines last. ``scores`` are those that `collect`
    has read with their ``questions``.
    """
    models = scores.names("model")
    found: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for task, numbers in scores.asked().items():
        every = np.unique(np.concatenate([*numbers.values()]))
        was_asked = np.zeros((len(models), len(every)), np.float32)
        for model, own in numbers.items():
            was_asked[models.index(model), np.searchsorted(every, own)] = 1
        both = was_asked @ was_asked.T
        for one, other in combinations(range(len(models)), 2):
            if both[one, other]:
                found[models[one], models[other]][task] = int(both[one, other])
    pairs = [Shared(*pair, tasks) for pair, tasks in sorted(found.items(), key=_in_order(models))]
    return sorted(pairs, key=lambda pair: (_baselines_in(pair), -sum(pair.tasks.values())))


def _in_order(models: Sequence[str]) -> Callable[[tuple[tuple[str, str], Any]], tuple[int, int]]:
    places = {model: place for place, model in enumerate(models)}
    return lambda item: (places[item[0][0]], places[item[0][1]])


def _baselines_in(pair: Shared) -> int:
    return sum(baseline_of(model) is not None for model in (pair.one, pair.other))


def chosen_pairs(scores: Scores) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the pairs of models that a page compares, and what must be known about them.

    Pairs come in the order of `shared_by`; those that share nothing are not compared.
    """
    answers = {key.model: len(group) for key, group in scores.pooled(["model"])}
    every = [(pair.one, pair.other) for pair in shared_by(scores)]
    chosen, total = list[tuple[str, str]](), 0
    for pair in every[:MOST_PAIRS]:
        total += sum(answers[model] for model in pair)
        if chosen and total > MOST_ANSWERS:
            break
        chosen.append(pair)
    if len(chosen) == len(every):
        return chosen, []
    told = f"{len(chosen)} of {len(every):,} pairs of models are compared; for others there is "
    return chosen, [f"{told}plangauge compare-runs"]


def pair_rows(scores: Scores, one: str, other: str) -> list[dict[str, Any]]:
    """Return the rows of `compare` for two models; none where they share no question.

    ``scores`` are those that `collect` has read with their ``questions``.
    """
    try:
        rows = compare(scores, one, other).rows
    except StatisticsError:
        return []
    return [{"one": one, "other": other, "label": _label(row), **row.as_dict()} for row in rows]


def _label(row: Compared) -> str:
    return row.score if row.kind == RIGHT else scale_of(row.score).text


@dataclass(frozen=True)
class Mark:
    """What a score is without any knowledge, over the questions that were answered."""

    task: str
    domain: str
    """Empty for all domains together."""
    score: str
    name: str
    mean: float
    n: int


def marks(scores: Scores) -> list[Mark]:
    """Return the mean scores of the baselines that the samples themselves state.

    ``scores`` are those that `collect` has read with their ``baselines``.
    """
    pooled: dict[tuple[str, str, str, str], list[Sequence[float]]] = defaultdict(list)
    for (task, domain, score, name), values in sorted(scores.baselines.items()):
        pooled[task, domain, score, name].append(values)
        pooled[task, "", score, name].append(values)
    told = []
    for (task, domain, score, name), groups in sorted(pooled.items()):
        ordered = np.sort(np.concatenate([np.asarray(group) for group in groups]))
        told.append(Mark(task, domain, score, name, float(ordered.mean()), len(ordered)))
    return told


def baseline_of(label: str) -> str | None:
    """Return which baseline a model is, by its name; None for any other model.

    >>> baseline_of("copy-state @ run-a"), baseline_of("gpt")
    ('copy-state', None)
    """
    name = label.partition(" @ ")[0]
    return name if name in BASELINES else None
