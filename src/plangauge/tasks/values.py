"""Tasks whose answer is one value: a number, yes or no, or an option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plangauge.domains.words import Words
from plangauge.reading import Reading
from plangauge.reading.single import NO, YES, find_choice, find_number, find_verdict
from plangauge.tasks.base import LETTERS, Answer, Judgement, Question, noted
from plangauge.tasks.states import StateTask
from plangauge.worlds.base import Problem, S


@dataclass(frozen=True)
class ValueTask(StateTask):
    """A task about the states that some actions lead through; its answer is one value.

    The only score is ``exact``, unless a subclass adds others.
    """

    graded = "exact"

    def plain(self, truth: Any) -> Answer:
        """Return the value itself."""
        value: Answer = truth
        return value

    def found(self, response: str, question: Question[Any]) -> Reading:
        """Return the reading of a response to a question."""
        return self.read(question.problem, response)

    def scores(self, given: Answer, true: Answer) -> Mapping[str, float | None]:
        """Return the scores of a value (None is silence), all in [0, 1]."""
        return {"exact": float(given is not None and given == true)}

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return the value in a response, and whether it is the true one."""
        reading = self.found(response, question)
        value: Any = reading.value
        notes = noted(reading) | ({"rivals": [*reading.rivals]} if reading.doubts else {})
        scores = self.scores(value, question.truth)
        return Judgement(value, reading.status, scores, notes, reading)

    def written(self, question: Question[S], answer: Answer) -> str:
        """Return a value in the form that prompts request; an empty text for none."""
        return "" if answer is None or isinstance(answer, list | dict) else str(answer)


class NumberTask(ValueTask):
    """A task whose answer is a number; ``closeness`` is 1 minus the relative error.

    The error is relative to the absolute true number, or to 1 if that is larger, and at most 1.
    """

    answer = "number"
    graded = "closeness"

    def read(self, problem: Problem[S], response: str, words: Words | None = None) -> Reading:
        """Return the number in a response."""
        return find_number(response)

    def scores(self, given: Answer, true: Answer) -> Mapping[str, float | None]:
        """Return ``exact`` and ``closeness``.

        >>> task = NumberTask("n-v1", "count", lambda problem, states: 4)
        >>> dict(task.scores(3, 4)), dict(task.scores(None, 4))
        ({'exact': 0.0, 'closeness': 0.75}, {'exact': 0.0, 'closeness': 0.0})
        """
        exact = super().scores(given, true)
        if not isinstance(given, int | float) or not isinstance(true, int | float):
            return {**exact, "closeness": 0.0}
        error = abs(given - true) / max(1, abs(true))
        return {**exact, "closeness": max(0.0, 1 - error)}


class VerdictTask(ValueTask):
    """A task whose answer is yes or no; ``words`` are those for either, in lower case.

    ``exact_if_yes`` and ``exact_if_no`` are ``exact`` of the questions with this answer, else
    undefined.
    """

    answer = "yes/no"
    words = YES, NO
    balanced = ("exact_if_yes", "exact_if_no")

    def scores(self, given: Answer, true: Answer) -> Mapping[str, float | None]:
        """Return ``exact``, and the same by what is true."""
        exact = float(given is not None and given == true)
        by_truth = {name: exact if true is truth else None
                    for name, truth in zip(self.balanced, (True, False), strict=True)}  # fmt: skip
        return {"exact": exact, **by_truth}

    def read(self, problem: Problem[S], response: str, words: Words | None = None) -> Reading:
        """Return whether a response says yes."""
        return find_verdict(response, *self.words)

    def written(self, question: Question[S], answer: Answer) -> str:
        """Return yes or no; an empty text for neither."""
        return {True: "yes", False: "no"}.get(answer, "") if isinstance(answer, bool) else ""


class ChoiceTask(ValueTask):
    """A task whose answer is the letter of one of the question's options."""

    answer = "choice"

    def options(self, question: Question[Any]) -> Mapping[str, str]:
        """Return the texts of the options by letter."""
        return dict(zip(LETTERS, question.options, strict=False))

    def found(self, response: str, question: Question[Any]) -> Reading:
        """Return the letter of the option selected in a response."""
        return find_choice(response, self.options(question))
