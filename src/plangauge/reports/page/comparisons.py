"""Two models on the same questions, and what needs no model at all."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from plangauge.baselines import BASELINES
from plangauge.reports.page.chosen import ChosenRun
from plangauge.reports.scales import scale_of
from plangauge.statistics import mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PAIRS = 300
"""More pairs of models than these are not compared in the page."""

_SCORED_BY = {"iou": "baselines", "goal_share": "baselines", "total_goal": "baselines"}
"""Score → where the ``meta`` of a record says what it is without any knowledge."""


@dataclass(frozen=True)
class Pair:
    """How two models did on the questions that both answered; ``difference`` is one less other."""

    one: str
    other: str
    task: str
    score: str
    n: int
    problems: int
    better: int
    """How often the first one is better."""
    same: int
    worse: int
    mean_one: float
    mean_other: float
    difference: float
    low: float | None
    high: float | None


@dataclass
class Columns:
    """The scores of all records by model and task, for what the other reports do not count."""

    scores: dict[tuple[str, str, str], tuple[array[int], array[float], array[int]]]
    """Model, task and score → number of the question and epoch, score, number of the problem."""
    baselines: dict[tuple[str, str, str, str], tuple[array[float], array[int]]]
    """Task, domain, score and baseline → its scores, and numbers of problems."""


def columns(
    runs: Sequence[ChosenRun], labels: Mapping[tuple[int, str], str], score: str = ""
) -> Columns:
    """Return the scores of all records."""
    found = Columns({}, {})
    questions: dict[tuple[str, str, int], int] = {}
    problems: dict[tuple[str, str], int] = {}
    seen: set[int] = set()
    for number, run in enumerate(runs):
        suite = run.suite
        for record in run:
            name = score or record.primary
            value = record.scores.get(name) if score else record.score
            question = questions.setdefault((suite, record.sample, record.epoch), len(questions))
            problem = problems.setdefault((suite, record.problem), len(problems))
            key = labels[number, record.model], record.task, name
            if key not in found.scores:
                found.scores[key] = array("q"), array("d"), array("q")
            numbers, values, about = found.scores[key]
            numbers.append(question)
            values.append(nan if value is None else value)
            about.append(problem)
            if question not in seen:
                seen.add(question)
                told = record.meta.get(_SCORED_BY.get(name, ""))
                place = record.task, record.domain, name
                _add_baselines(found.baselines, place, told, problem)
    return found


def _add_baselines(
    found: dict[tuple[str, str, str, str], tuple[array[float], array[int]]],
    place: tuple[str, str, str],
    told: Any,
    problem: int,
) -> None:
    for baseline, value in (told if isinstance(told, Mapping) else {}).items():
        if isinstance(value, int | float) and isfinite(value):
            values, about = found.setdefault((*place, str(baseline)), (array("d"), array("q")))
            values.append(value)
            about.append(problem)


def pairs(found: Columns, models: Sequence[str], tasks: Sequence[str]) -> list[Pair]:
    """Return how each two models did on what both answered, by task.

    Questions are matched with their epoch; where a model has several records of one, the first
    counts. The interval of the mean difference is clustered by problem.
    """
    compared = []
    scores = {score for _, _, score in found.scores}
    for one, other in [*combinations(models, 2)][:MOST_PAIRS]:
        for task in tasks:
            for score in sorted(scores):
                left, right = (found.scores.get((m, task, score)) for m in (one, other))
                if left and right:
                    pair = _pair(one, other, (task, score), _matched(left, right))
                    compared += [pair] if pair else []
    return compared


def _matched(left: Any, right: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the two scores of each question that both have, and its problem."""
    import numpy as np

    numbers, at = np.unique(np.asarray(left[0]), return_index=True)
    others, at_other = np.unique(np.asarray(right[0]), return_index=True)
    _, mine, theirs = np.intersect1d(numbers, others, assume_unique=True, return_indices=True)
    one = np.asarray(left[1])[at[mine]]
    other = np.asarray(right[1])[at_other[theirs]]
    known = ~np.isnan(one) & ~np.isnan(other)
    return one[known], other[known], np.asarray(left[2])[at[mine]][known]


def _pair(
    one: str,
    other: str,
    what: tuple[str, str],
    matched: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
) -> Pair | None:
    import numpy as np

    mine, theirs, problems = matched
    scale = scale_of(what[1])
    widest = scale.bounds[1] - scale.bounds[0]
    found = mean(mine - theirs, problems, bounds=(-widest, widest))
    if found is None:
        return None
    ahead = int((scale.closeness(mine) > scale.closeness(theirs)).sum())
    same = int((mine == theirs).sum())
    return Pair(
        one, other, *what, found.n, found.clusters, ahead, same, found.n - ahead - same,
        float(np.sort(mine).mean()), float(np.sort(theirs).mean()),
        found.value, found.low, found.high,
    )  # fmt: skip


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


def marks(found: Columns) -> list[Mark]:
    """Return the mean scores of the baselines that the samples themselves state."""
    import numpy as np

    pooled: dict[tuple[str, str, str, str], list[array[float]]] = defaultdict(list)
    for (task, domain, score, name), (values, _) in sorted(found.baselines.items()):
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
