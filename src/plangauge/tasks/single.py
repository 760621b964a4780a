"""Questions whose answer is one set: applicable actions, true facts, and what becomes true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Literal

from plangauge.domains.words import Words
from plangauge.model import Action, Plan
from plangauge.reading import Reading, Vocabulary, find_set, vocabulary_of
from plangauge.tasks.base import Judgement, Question, Task, execute, executed
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
    sign: Literal["", "positive", "negative"] = ""
    """Whether the question is what becomes true or what becomes false."""

    @property
    def kind(self) -> str:
        """What the answer lists: actions, the facts of a state, or those that become so."""
        return "actions" if self.of_actions else self.sign or "state"

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

    def read(self, problem: Problem[S], response: str, words: Words | None = None) -> Reading:
        """Return the set that a response lists."""
        return find_set(response, vocabulary_of(problem, words), self.kind)

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return how a response is read and scored: IoU, precision, recall, F1, exact."""
        return self.judging(question, words)(response)

    def judging(
        self, question: Question[S], words: Words | None = None
    ) -> Callable[[str], Judgement]:
        """Return `judge` for responses to this question."""
        vocabulary = vocabulary_of(question.problem, words)
        return partial(self._judged, vocabulary, question.details)

    def _judged(self, vocabulary: Vocabulary, truth: SetTruth, response: str) -> Judgement:
        lenient, strict = read_both_ways(response, vocabulary, self.kind)
        terms = lenient.terms
        given = terms if lenient.answered else None
        strictly = given if strict is lenient else strict.terms if strict.answered else None
        scores = scores_of(truth, given, strictly)
        return Judgement(sorted(terms), lenient.status, scores, notes_of(lenient, strict))

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
