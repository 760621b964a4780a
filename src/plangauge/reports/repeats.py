"""Several answers to the same questions: how often one is right, all are, and what varies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plangauge.records import Run
from plangauge.reports.collect import collect
from plangauge.reports.scores import Choice, Group, Scores
from plangauge.statistics import (
    Components,
    Estimate,
    StatisticsError,
    components,
    consistency,
    passing,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Repeats:
    """The answers of a model to the questions of a task, each of them asked several times.

    None where something is not defined: what is right, for a task without a binary score.
    """

    model: str
    task: str
    score: str
    questions: int
    least: int
    """How many answers there are to every question at least."""
    most: int
    passed: dict[int, Estimate]
    """k → pass@k: how often at least one of k answers is right."""
    always: dict[int, Estimate]
    """k → pass^k: how often all of k answers are right."""
    same: Estimate
    """How often two answers to a question are read as the same; an unread one is like another."""
    variance: Components | None
    """Of the score, between questions and within them."""


_ALL = Choice()


def repeats(runs: Sequence[Run], choice: Choice = _ALL) -> list[Repeats]:
    """Return what there is to say of models that were asked the same several times.

    A row for each model, task and score, in the order of the suite; those that answered every
    question once have none. Raises what `collect` raises, and `MissingExtra` without scipy.
    """
    return repeats_in(collect(runs, choice, questions=True))


def repeats_in(scores: Scores) -> list[Repeats]:
    """Return `repeats` of scores that `collect` has read with their ``questions``."""
    import numpy as np

    found = []
    for key, group in scores.pooled(["model", "task"]):
        questions = np.asarray(group.questions)
        _, counts = np.unique(questions, return_counts=True)
        if counts.max() < 2:
            continue
        ks = [k for k in _powers(int(counts.max())) if k <= counts.min()]
        found.append(
            Repeats(
                key.model, key.task, key.score, len(counts), int(counts.min()), int(counts.max()),
                _passing(group, ks, every=False), _passing(group, ks, every=True),
                consistency(group.readings, questions.tolist(), np.asarray(group.problems)),
                _variance(np.asarray(group.scores), questions),
            )
        )  # fmt: skip
    return found


def _powers(most: int) -> list[int]:
    """Return the numbers of answers that are looked at: 1, 2, 4, … and the most there are.

    >>> _powers(10)
    [1, 2, 4, 8, 10]
    """
    return sorted({*(2**power for power in range(most.bit_length())), most})


def _passing(group: Group, ks: Sequence[int], *, every: bool) -> dict[int, Estimate]:
    import numpy as np

    right = np.asarray(group.right)
    judged = right >= 0
    questions, problems = (np.asarray(part)[judged] for part in (group.questions, group.problems))
    found = {}
    for k in ks:
        try:
            found[k] = passing(k, right[judged], questions.tolist(), problems, every=every)
        except StatisticsError:  # what is right is not defined often enough
            break
    return found


def _variance(values: NDArray[Any], questions: NDArray[Any]) -> Components | None:
    import numpy as np

    known = ~np.isnan(values)
    try:
        return components(values[known], questions[known])
    except StatisticsError:  # one question, or no score is defined twice
        return None
