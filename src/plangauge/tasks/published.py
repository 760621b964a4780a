"""Published questions answered by yes, no or a letter, about problems that exist in words only.

Such a question has no problem in PDDL from which its truth could be computed: the published key is
the truth. The problem that a suite stores for it holds the key and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.model import Plan
from plangauge.tasks.base import LETTERS, TASKS, Draft, Question
from plangauge.tasks.values import ChoiceTask, ValueTask, VerdictTask
from plangauge.worlds.base import Problem, S

KEY_DOMAIN = "(define (domain published) (:predicates (answer ?key)))\n"
"""The domain of the problems that hold a published key."""


def key_problem(key: str) -> str:
    """Return the problem that holds a published key: ``yes``, ``no``, or the letter of an option.

    >>> print(key_problem("yes"), end="")
    (define (problem key) (:domain published) (:objects yes)
      (:init (answer yes)) (:goal (answer yes)))
    """
    return (
        f"(define (problem key) (:domain published) (:objects {key})\n"
        f"  (:init (answer {key})) (:goal (answer {key})))\n"
    )


def _key(problem: Problem[Any]) -> str:
    """Return the published key in lower case; empty unless there is exactly one."""
    facts = [fact for fact in problem.world.facts(problem.initial) if fact.predicate == "answer"]
    return facts[0].args[0].lower() if len(facts) == 1 and len(facts[0].args) == 1 else ""


class _Published(ValueTask):
    availability = "imported"

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return the scores of silence and of guessing, and that the truth is published."""
        chance = 1 / max(2, len(question.options))
        return {"published": True, "baselines": {"empty": 0.0, "chance": chance}}


class PublishedVerdict(_Published, VerdictTask):
    """A published question of yes or no."""


class PublishedChoice(_Published, ChoiceTask):
    """A published question whose answer is the letter of an option, or its text."""

    def pose(self, problem: Problem[S], draft: Draft, references: Sequence[Plan]) -> Question[S]:
        """Return the question which of the options is right.

        Raises `ProblemError` unless the key is the letter of one of 2 to 26 options.
        """
        if not 2 <= len(draft.options) <= len(LETTERS):
            raise ProblemError(f"{self.name} needs 2 to {len(LETTERS)} options")
        asked = super().pose(problem, Draft(draft.actions), references)
        if asked.truth not in [*LETTERS[: len(draft.options)]]:
            raise ProblemError(f"the key {asked.truth} is not the letter of an option")
        return Question(self.name, problem, asked.actions, asked.truth, None, draft.options)


for _task in (
    PublishedVerdict(
        "published-yes-no-v1",
        "answer a published question by yes or no",
        lambda problem, _: {"yes": True, "no": False}.get(_key(problem)),
    ),
    PublishedChoice(
        "published-choice-v1",
        "choose an option of a published question",
        lambda problem, _: _key(problem).upper() or None,
    ),
):
    TASKS.add(_task.name, _task)
