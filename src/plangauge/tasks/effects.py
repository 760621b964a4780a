"""What an action changes: which facts become true, which become false, or both in one answer.

A fact that is added but true already has not changed, nor has one that is deleted and added: the
definition of ACPBench and of Murthy et al.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from plangauge.domains.words import Words
from plangauge.model import Action, Plan
from plangauge.reading import Reading, Vocabulary, find_set, vocabulary_of
from plangauge.tasks.base import TASKS, Judgement, Question, Task, execute, executed
from plangauge.tasks.moves import changing
from plangauge.tasks.sets import (
    SetTruth,
    Terms,
    baselines,
    count_terms,
    facts,
    notes_of,
    read_both_ways,
    scores_of,
)
from plangauge.tasks.single import SetTask
from plangauge.worlds.base import Problem, S

SIGNS = ("positive", "negative")


def becomes_true(problem: Problem[S], states: tuple[S, ...]) -> SetTruth:
    """Return the facts that are true after the last action and were false before."""
    return SetTruth(facts(problem, states[-1]) - facts(problem, states[-2]))


def becomes_false(problem: Problem[S], states: tuple[S, ...]) -> SetTruth:
    """Return the facts that are false after the last action and were true before."""
    return SetTruth(facts(problem, states[-2]) - facts(problem, states[-1]))


class Effects(Task):
    """Both lists in one answer, each with its own scores; ``iou`` is their mean."""

    name = "effects-v1"
    summary = "list the facts that an action makes true, then those that it makes false"

    def draw(self, problem: Problem[S], rng: Random) -> tuple[Action, ...] | None:
        """Return an action that changes something; None where there is none."""
        return changing(problem, rng)

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Action] = (),
        references: Sequence[Plan] = (),
    ) -> Question[S]:
        """Return the question about the last of these actions, executed after the others."""
        del references
        actions, states = executed(self.name, problem, actions, 1)
        truths = becomes_true(problem, states), becomes_false(problem, states)
        listed = {sign: sorted(truth.terms) for sign, truth in zip(SIGNS, truths, strict=True)}
        return Question(self.name, problem, actions, listed, truths)

    def read(self, problem: Problem[S], response: str, words: Words | None = None) -> Reading:
        """Return the two sets that a response lists."""
        return find_set(response, vocabulary_of(problem, words), "effects")

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return the scores of both lists, as ``iou_positive`` and so on, and their means."""
        return self.judging(question, words)(response)

    def judging(
        self, question: Question[S], words: Words | None = None
    ) -> Callable[[str], Judgement]:
        """Return `judge` for responses to this question."""
        return partial(_judged, vocabulary_of(question.problem, words), question.details)

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return the sizes of the lists and the scores of the baselines for each."""
        problem, world = question.problem, question.problem.world
        before = facts(problem, execute(problem, question.actions)[-2])
        possible = count_terms(world, world.predicates)
        meta: dict[str, Any] = {"n_changed": sum(len(truth.terms) for truth in question.details)}
        for sign, truth in zip(SIGNS, question.details, strict=True):
            meta[f"n_{sign}"] = len(truth.terms)
            meta[f"baselines_{sign}"] = baselines(truth.terms, before, possible)
        return meta


def _judged(vocabulary: Vocabulary, truths: tuple[SetTruth, SetTruth], response: str) -> Judgement:
    lenient, strict = read_both_ways(response, vocabulary, "effects")
    given = _terms(lenient)
    values: dict[str, float] = {}
    both: list[dict[str, float]] = []
    for sign, truth, one, other in zip(SIGNS, truths, given, _terms(strict), strict=True):
        both.append(scores_of(truth, one, other))
        values |= {f"{name}_{sign}": value for name, value in both[-1].items()}
    for name in ("iou", "strict_iou"):
        values[name] = sum(scores[name] for scores in both) / 2
    for name in ("exact", "strict_exact"):
        values[name] = min(scores[name] for scores in both)
    read = {sign: sorted(terms or ()) for sign, terms in zip(SIGNS, given, strict=True)}
    return Judgement(read, lenient.status, values, notes_of(lenient, strict))


def _terms(reading: Reading) -> tuple[Terms | None, Terms | None]:
    """Return the positive and the negative effects; None for each where there is no answer."""
    if not reading.answered:
        return None, None
    effects = reading.effects
    return frozenset(effects.positive), frozenset(effects.negative)


TASKS.add(
    "positive-effects-v1",
    SetTask(
        "positive-effects-v1",
        "list the facts that an action makes true",
        becomes_true,
        changing,
        least=1,
        sign="positive",
    ),
)
TASKS.add(
    "negative-effects-v1",
    SetTask(
        "negative-effects-v1",
        "list the facts that an action makes false",
        becomes_false,
        changing,
        least=1,
        sign="negative",
    ),
)
TASKS.add("effects-v1", Effects())
