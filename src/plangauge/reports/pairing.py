"""What two models did on the questions that both were asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plangauge.reports.scores import Group

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Matched:
    """The mean score of each of two models on each question that both have a score for."""

    questions: NDArray[Any]
    """The numbers of the questions, each once, growing."""
    problems: NDArray[Any]
    """The number of the problem that each is about."""
    one: NDArray[Any]
    other: NDArray[Any]
    only_one: int
    """How many questions only the first model was asked."""
    only_other: int
    undefined: int
    """How many questions both were asked, but one of them has no defined score."""
    repeated: bool
    """Whether a model has answered a question several times."""

    def __len__(self) -> int:
        return len(self.questions)


def matched(one: Group, other: Group, *, right: bool = False) -> Matched:
    """Return the scores of two models by question, or whether they are ``right``.

    A model that has answered a question several times has the mean of its defined scores: epochs of
    two models have nothing to do with each other.
    """
    import numpy as np

    asked, theirs = (np.unique(np.asarray(group.questions)) for group in (one, other))
    mine, yours = _means(one, right), _means(other, right)
    shared, at, at_other = np.intersect1d(
        mine[0], yours[0], assume_unique=True, return_indices=True
    )
    problems = dict(zip(one.questions, one.problems, strict=True))
    return Matched(
        questions=shared,
        problems=np.array([problems[question] for question in shared.tolist()], int),
        one=mine[1][at],
        other=yours[1][at_other],
        only_one=len(np.setdiff1d(asked, theirs, assume_unique=True)),
        only_other=len(np.setdiff1d(theirs, asked, assume_unique=True)),
        undefined=len(np.intersect1d(asked, theirs, assume_unique=True)) - len(shared),
        repeated=len(one) > len(asked) or len(other) > len(theirs),
    )


def _means(group: Group, right: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the questions with a defined score, and the mean of each to 12 digits."""
    import numpy as np

    if right:
        judged = np.asarray(group.right)
        values = np.where(judged < 0, np.nan, judged)
    else:
        values = np.asarray(group.scores)
    known = ~np.isnan(values)
    questions, values = np.asarray(group.questions)[known], values[known]
    order = np.lexsort((values, questions))  # so that no digit depends on the order of records
    found, places, counts = np.unique(questions[order], return_inverse=True, return_counts=True)
    return found, np.round(np.bincount(places, values[order], len(found)) / counts, 12)
