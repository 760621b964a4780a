"""Tasks whose answer is a set: what is scored, and what no knowledge at all would score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from plangauge.metrics.answers import iou
from plangauge.metrics.base import ratio
from plangauge.reading import Reading, Vocabulary, find_set, read_strictly, read_two_strictly
from plangauge.reading.strict import read_exactly
from plangauge.worlds.base import Problem, S, World

Terms = frozenset[str]

_GRADES = ("iou", "precision", "recall", "f1", "exact")


@dataclass(frozen=True, slots=True)
class SetTruth:
    """A true set, and the terms that its second score leaves out of both sides."""

    terms: Terms
    excluded: Terms = frozenset()
    variant: str = ""
    """Name of the score without them."""


def scores_of(truth: SetTruth, lenient: Terms | None, strict: Terms | None) -> dict[str, float]:
    """Return the scores of a set by name, those of the strict reading as ``strict_…``.

    None stands for silence, which scores 0, even where nothing is true.
    """
    scores = _graded(lenient, truth.terms)
    stricter = scores if strict is lenient else _graded(strict, truth.terms)
    if truth.variant:
        left = truth.terms - truth.excluded
        scores[truth.variant] = 0.0 if lenient is None else iou(lenient - truth.excluded, left)
    scores["strict_iou"] = stricter["iou"]
    scores["strict_exact"] = stricter["exact"]
    return scores


def read_both_ways(text: str, vocabulary: Vocabulary, kind: str) -> tuple[Reading, Reading]:
    """Return how a text is read leniently and strictly: once, where that is the same.

    ``vocabulary`` and ``kind`` are those of `find_set`.
    """
    own = vocabulary if kind == "actions" else vocabulary.swapped
    exact = read_exactly(text, own, kind)
    if exact is not None:
        return exact, exact
    strictly = read_two_strictly if kind == "effects" else read_strictly
    return find_set(text, vocabulary, kind), strictly(text, own)


def notes_of(lenient: Reading, strict: Reading) -> dict[str, Any]:
    """Return how an answer was found, and what is odd about it."""
    doubts = {"doubts": [*lenient.doubts]} if lenient.doubts else {}
    return {
        "how": lenient.how,
        "repeated": lenient.repeated,
        "unknown": sorted(lenient.unknown),
        "strict_status": strict.status.value,
        **doubts,
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


def _graded(given: Terms | None, true: Terms) -> dict[str, float]:
    return dict.fromkeys(_GRADES, 0.0) if given is None else graded(given, true)


def baselines(truth: Terms, state: Terms, possible: int) -> dict[str, float]:
    """Return the IoU of copying the state, of answering nothing, and of listing everything.

    ``possible`` is the number of terms that there are.

    >>> baselines(frozenset(["(p)"]), frozenset(["(p)", "(q)"]), 4)
    {'copy_state': 0.5, 'empty': 0.0, 'everything': 0.25}
    """
    everything = len(truth) / possible if possible else 1.0
    return {"copy_state": iou(state, truth), "empty": float(not truth), "everything": everything}


def facts(problem: Problem[S], state: S) -> Terms:
    """Return the facts of a state as text."""
    return frozenset(map(str, problem.world.facts(state)))


def count_terms(world: World[S], signatures: Mapping[str, tuple[str, ...]]) -> int:
    """Return how many ground terms of the right types there are."""
    types = {type_ for signature in signatures.values() for type_ in signature}
    sizes = {type_: sum(world.is_a(obj, type_) for obj in world.objects) for type_ in types}
    return sum(prod(sizes[type_] for type_ in signature) for signature in signatures.values())
