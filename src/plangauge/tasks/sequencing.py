"""Action sequences for household tasks, judged as the Embodied Agent Interface does by default.

The question is a prompt of that benchmark, so it is asked only where a problem comes from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any

from plangauge.domains.words import Words
from plangauge.errors import ProblemError
from plangauge.model import Action, Fault, Plan
from plangauge.reading import Status
from plangauge.reading.notations.actions import read_action
from plangauge.tasks.base import TASKS, Judgement, Listed, Question, Task
from plangauge.tasks.households.base import Judge
from plangauge.worlds.base import Problem, S
from plangauge.worlds.shown import whole

NAME = "action-sequencing-v1"
PRIMARY = "total_goal"
BINARY = "success"

_JUDGES = {
    f"plangauge.worlds.{world}.world": f"plangauge.tasks.households.{world}"
    for world in ("virtualhome", "behavior")
}
"""Where the class of a world is → where its judge is, imported only when there is such a world."""


@dataclass(frozen=True)
class Details:
    """What is needed for scoring, and the reference plans."""

    judge: Judge
    references: tuple[Plan, ...]


class Sequencing(Task):
    """A plan for a household task; ``total_goal`` is the share of the goals that it reaches.

    A plan that cannot be read, or names what does not exist, reaches nothing. Superfluous steps are
    passed over; at any other fault execution stops, and what is reached then counts.
    """

    name = NAME
    summary = "give a sequence of actions that does a household task"
    primary = PRIMARY
    binary = BINARY
    of_plans = True
    everywhere = False

    def draw(self, problem: Problem[S], rng: Random) -> tuple[Action, ...] | None:
        """Return no actions: the question starts from the initial state; None for no household."""
        del rng
        return () if _module(problem) and len(problem.goals) == 1 else None

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Action] = (),
        references: Sequence[Plan] = (),
    ) -> Question[S]:
        """Return the question; its truth is the first reference, None without any.

        Raises `ProblemError` for another world than a household, for another number of goals than
        one, where there are actions, or where a reference is no success.
        """
        if actions:
            raise ProblemError(f"{NAME} starts from the initial state and takes no actions")
        judge = _judge(problem)
        plans = tuple(_spelt(problem, plan.actions) for plan in references)
        for plan in plans:
            if why := judge.why_not(plan):
                raise ProblemError(f"the reference plan is not valid: {why}")
        truth = [*map(str, plans[0].actions)] if plans else None
        return Question(NAME, problem, (), truth, Details(judge, plans))

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return how an action sequence is read, and how far it gets."""
        return self.judging(question, words)(response)

    def judging(
        self, question: Question[S], words: Words | None = None
    ) -> Callable[[str], Judgement]:
        """Return `judge` for responses to this question; only names are read, not words."""
        del words
        judge: Judge = question.details.judge
        return lambda response: _judged(judge, response)

    def written(self, question: Question[S], answer: Listed) -> str:
        """Return a plan in the form that the prompt asks for."""
        terms = [] if answer is None or isinstance(answer, dict) else answer
        actions = [action for action in map(read_action, terms) if action is not None]
        judge: Judge = question.details.judge
        return judge.write(_spelt(question.problem, actions))

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return the length of the reference; silence and the empty plan reach nothing."""
        references = question.details.references
        return {
            "n_references": len(references),
            "length": len(references[0]) if references else None,
            "baselines": {"empty": 0.0},
        }


def _judged(judge: Judge, response: str) -> Judgement:
    found = judge.judge(response)
    status = Status.NO_ANSWER if found.fault is Fault.PARSING else Status.OK
    notes = {
        "fault": found.fault.value if found.fault else None,
        "step": found.step,
        "message": found.message,
        **found.notes,
    }
    return Judgement([*found.read], status, found.scores, notes)


def _spelt(problem: Problem[S], actions: Iterable[Action]) -> Plan:
    return Plan.of(*map(problem.world.canonical, actions))


def _judge(problem: Problem[S]) -> Judge:
    module = _module(problem)
    if module is None:
        raise ProblemError(f"{NAME} is asked only about households")
    if len(problem.goals) != 1:
        raise ProblemError(f"{NAME} needs one goal, not {len(problem.goals)}")
    judge: Judge = import_module(module).Judge(problem)
    return judge


def _module(problem: Problem[Any]) -> str | None:
    return _JUDGES.get(type(whole(problem).world).__module__)


TASKS.add(NAME, Sequencing())
