"""Questions whose answer is one set: applicable actions, true facts, and what becomes true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from plangauge.domains.words import Words
from plangauge.model import Action, Plan
from plangauge.parse.set_search import Sign
from plangauge.parse.sets import SetReader
from plangauge.tasks.base import Judgement, Question, Task, execute, executed
from plangauge.tasks.sets import (
    SetScores,
    SetTruth,
    Terms,
    baselines,
    count_terms,
    facts,
    reader_of,
)
from plangauge.worlds.base import Problem, S

Draw = Callable[[Problem[Any], Random], "tuple[Action, ...] | None"]


@dataclass(frozen=True)
class SetTask(Task):
    """A task about the states that some actions lead through; its answer is one set.

    ``true`` says which set, from the problem and the states; ``drawn`` draws the actions.
    """

    name: str
    summary: str
    true: Callable[[Problem[Any], tuple[Any, ...]], SetTruth]
    drawn: Draw
    of_actions: bool = False
    """Whether the answer consists of actions, not facts."""
    least: int = 0
    """How many actions a question must have."""
    sign: Sign = ""
    """Whether the question is what becomes true or what becomes false."""

    def draw(self, problem: Problem[S], rng: Random) -> tuple[Action, ...] | None:
        """Return the actions of a question drawn at random; None where there is no question."""
        return self.drawn(problem, rng)

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Action] = (),
        references: Sequence[Plan] = (),
    ) -> Question[S]:
        """Return the question about these actions; references play no part."""
        del references
        actions, states = executed(self.name, problem, actions, self.least)
        truth = self.true(problem, states)
        return Question(self.name, problem, actions, sorted(truth.terms), truth)

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return how a response is read and scored: IoU, precision, recall, F1, exact."""
        return self.judging(question, words)(response)

    def judging(
        self, question: Question[S], words: Words | None = None
    ) -> Callable[[str], Judgement]:
        """Return `judge` for responses to this question."""
        reader = reader_of(question.problem, words, of_actions=self.of_actions)
        return partial(self._judged, reader, question.details)

    def _judged(self, reader: SetReader, truth: SetTruth, response: str) -> Judgement:
        lenient, strict = reader.read_both_ways(response, self.sign)
        scores = SetScores(truth, lenient, strict)
        return Judgement(sorted(lenient.terms), lenient.status, scores.values(), scores.notes())

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return the sizes, the terms that can be left out, and the scores of the baselines."""
        problem, truth = question.problem, question.details
        states = execute(problem, question.actions)
        before, after = (facts(problem, state) for state in (states[0], states[-1]))
        world = problem.world
        signatures = world.schemas if self.of_actions else world.predicates
        state: Terms = frozenset() if self.of_actions else before
        meta: dict[str, Any] = {
            "n_truth": len(truth.terms),
            "n_changed": len(before ^ after),
            "baselines": baselines(truth.terms, state, count_terms(world, signatures)),
        }
        if self.of_actions:
            meta["no_ops"] = sorted(truth.excluded)
        return meta


def nothing(problem: Problem[S], rng: Random) -> tuple[Action, ...]:
    """Draw no actions: the question is about the initial state."""
    del problem, rng
    return ()
