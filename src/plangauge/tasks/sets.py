"""Tasks whose answer is a set: what is scored, and what no knowledge at all would score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from plangauge.domains.words import Words, facts_of, vocabulary_of
from plangauge.metrics.answers import (
    answer_exact,
    answer_f1,
    answer_precision,
    answer_recall,
    iou,
)
from plangauge.parse.base import Status
from plangauge.parse.sets import SetReader, SetReading
from plangauge.worlds.base import Problem, S, World

Terms = frozenset[str]

SCORES: Mapping[str, Callable[[Collection[str], Collection[str]], float]] = {
    "iou": iou,
    "precision": answer_precision,
    "recall": answer_recall,
    "f1": answer_f1,
    "exact": answer_exact,
}


@dataclass(frozen=True, slots=True)
class SetTruth:
    """A true set, and the terms that its second score leaves out of both sides."""

    terms: Terms
    excluded: Terms = frozenset()
    variant: str = ""
    """Name of the score without them."""


@dataclass(frozen=True, slots=True)
class SetScores:
    """The scores of a set that was read leniently and strictly."""

    truth: SetTruth
    lenient: SetReading
    strict: SetReading

    def values(self) -> dict[str, float]:
        """Return the scores by name, those of the strict reading as ``strict_…``."""
        true, given = self.truth.terms, self.lenient
        scores = {name: _score(metric, given, true) for name, metric in SCORES.items()}
        if self.truth.variant:
            excluded = self.truth.excluded
            scores[self.truth.variant] = (
                iou(given.terms - excluded, true - excluded) if given.answered else 0.0
            )
        scores["strict_iou"] = _score(iou, self.strict, true)
        scores["strict_exact"] = _score(answer_exact, self.strict, true)
        return scores

    def notes(self) -> dict[str, object]:
        """Return how the answer was found, and what is odd about it."""
        return {
            "how": self.lenient.how,
            "repeated": self.lenient.repeated,
            "unknown": sorted(self.lenient.unknown),
            "strict_status": self.strict.status.value,
        }


def _score(
    metric: Callable[[Collection[str], Collection[str]], float], given: SetReading, true: Terms
) -> float:
    """Return the value of a metric; silence scores 0, even where nothing is true."""
    return metric(given.terms, true) if given.answered else 0.0


def baselines(truth: Terms, state: Terms, possible: int) -> dict[str, float]:
    """Return the IoU of copying the state, of answering nothing, and of listing everything.

    ``possible`` is the number of terms that there are.

    >>> baselines(frozenset(["(p)"]), frozenset(["(p)", "(q)"]), 4)
    {'copy_state': 0.5, 'empty': 0.0, 'everything': 0.25}
    """
    everything = len(truth) / possible if possible else 1.0
    return {"copy_state": iou(state, truth), "empty": float(not truth), "everything": everything}


@lru_cache(maxsize=256)
def action_reader(problem: Problem[S], words: Words | None) -> SetReader:
    """Return the reader of lists of actions."""
    return SetReader(vocabulary_of(problem, words))


@lru_cache(maxsize=256)
def fact_reader(problem: Problem[S], words: Words | None) -> SetReader:
    """Return the reader of lists of facts."""
    return SetReader(facts_of(problem, words))


def facts(problem: Problem[S], state: S) -> Terms:
    """Return the facts of a state as text."""
    return frozenset(map(str, problem.world.facts(state)))


def count_terms(world: World[S], signatures: Mapping[str, tuple[str, ...]]) -> int:
    """Return how many ground terms of the right types there are."""
    types = {type_ for signature in signatures.values() for type_ in signature}
    sizes = {type_: sum(world.is_a(obj, type_) for obj in world.objects) for type_ in types}
    return sum(prod(sizes[type_] for type_ in signature) for signature in signatures.values())


def worse(one: Status, other: Status) -> Status:
    """Return the status of an answer in two parts: silence only where both are silent."""
    if Status.TRUNCATED in (one, other):
        return Status.TRUNCATED
    return one if one is other else Status.OK
