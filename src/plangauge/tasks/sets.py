"""Tasks whose answer is a set: what is scored, and what no knowledge at all would score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from plangauge.domains.words import Words, facts_of, vocabulary_of
from plangauge.metrics.answers import iou
from plangauge.metrics.base import ratio
from plangauge.parse.base import Status
from plangauge.parse.sets import SetReader, SetReading
from plangauge.worlds.base import Problem, S, World

Terms = frozenset[str]

_Readers: TypeAlias = "dict[tuple[bool, Words | None], SetReader]"
_READERS: WeakKeyDictionary[Problem[Any], _Readers] = WeakKeyDictionary()
"""The readers of answers about a problem, which live as long as it does."""
_GRADES = ("iou", "precision", "recall", "f1", "exact")


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
        scores = _graded(given, true)
        strict = scores if self.strict is given else _graded(self.strict, true)
        if self.truth.variant:
            excluded = self.truth.excluded
            scores[self.truth.variant] = (
                iou(given.terms - excluded, true - excluded) if given.answered else 0.0
            )
        scores["strict_iou"] = strict["iou"]
        scores["strict_exact"] = strict["exact"]
        return scores

    def notes(self) -> dict[str, object]:
        """Return how the answer was found, and what is odd about it."""
        return {
            "how": self.lenient.how,
            "repeated": self.lenient.repeated,
            "unknown": sorted(self.lenient.unknown),
            "strict_status": self.strict.status.value,
        }


def graded(given: Terms, true: Terms) -> dict[str, float]:
    """Return IoU, precision, recall, F1 and exactness of a set, all in [0, 1], from one count.

    They are defined as in `plangauge.metrics.answers`.

    >>> graded(frozenset("ab"), frozenset("bc"))
    {'iou': 0.3333333333333333, 'precision': 0.5, 'recall': 0.5, 'f1': 0.5, 'exact': 0.0}
    """
    both, size, needed = len(given & true), len(given), len(true)
    return {
        "iou": ratio(both, size + needed - both, empty=1.0),
        "precision": ratio(both, size, empty=float(not needed)),
        "recall": ratio(both, needed, empty=float(not size)),
        "f1": ratio(2 * both, size + needed, empty=1.0),
        "exact": float(both == size == needed),
    }


def _graded(given: SetReading, true: Terms) -> dict[str, float]:
    """Return the scores of a reading; silence scores 0, even where nothing is true."""
    return graded(given.terms, true) if given.answered else dict.fromkeys(_GRADES, 0.0)


def baselines(truth: Terms, state: Terms, possible: int) -> dict[str, float]:
    """Return the IoU of copying the state, of answering nothing, and of listing everything.

    ``possible`` is the number of terms that there are.

    >>> baselines(frozenset(["(p)"]), frozenset(["(p)", "(q)"]), 4)
    {'copy_state': 0.5, 'empty': 0.0, 'everything': 0.25}
    """
    everything = len(truth) / possible if possible else 1.0
    return {"copy_state": iou(state, truth), "empty": float(not truth), "everything": everything}


def reader_of(problem: Problem[S], words: Words | None, *, of_actions: bool) -> SetReader:
    """Return the reader of lists of actions, or else of facts, for answers about a problem."""
    known = _READERS.setdefault(problem, {})
    found = known.get((of_actions, words))
    if found is None:
        vocabulary = (vocabulary_of if of_actions else facts_of)(problem, words)
        found = known[of_actions, words] = SetReader(vocabulary)
    return found


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
    for status in (Status.TRUNCATED, Status.UNCERTAIN):
        if status in (one, other):
            return status
    return one if one is other else Status.OK
