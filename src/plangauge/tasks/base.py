"""What a task is: questions with true answers, and scores for responses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Generic, TypeAlias

from plangauge.domains.words import Words
from plangauge.errors import ProblemError
from plangauge.model import Action, Plan
from plangauge.reading import Reading, Status
from plangauge.registry import Registry
from plangauge.worlds.base import Problem, S

Listed: TypeAlias = "list[str] | dict[str, list[str]] | None"
"""Terms as ``(name arg …)``: a list, or one each for ``positive`` and ``negative``."""


@dataclass(frozen=True)
class Question(Generic[S]):
    """A problem, the actions that the question names, and the true answer.

    ``truth`` is sorted, or in the order of a plan; None where no reference plan is known.
    """

    task: str
    problem: Problem[S]
    actions: tuple[Action, ...]
    truth: Listed
    details: Any = field(default=None, repr=False)
    """What the task needs for scoring, computed once."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a response was read, and its scores by name.

    A response without an answer has the worst scores. ``notes`` say more about it: how it was
    found, how many terms were repeated, which ones nothing in the problem can be, and what the
    strict reading came to.
    """

    read: Listed
    status: Status
    scores: Mapping[str, float | None]
    notes: Mapping[str, Any] = field(default_factory=dict)


class Task(ABC):
    """A kind of question.

    Two scores stand for all: ``primary``, how much of an answer is right, and ``binary``, 1 where
    it is right and else 0.
    """

    name: str
    summary: str
    primary: str = "iou"
    binary: str = "exact"
    of_plans: bool = False
    """Whether the answer is a plan."""
    everywhere: bool = True
    """Whether it can be asked about any problem; else only where a source asks it."""
    on_request: bool = False
    """Whether it can be asked about any problem, but only where it is named."""

    in_turns: bool = False
    """Whether it takes a conversation; else one answer."""

    @abstractmethod
    def draw(self, problem: Problem[S], rng: Random) -> tuple[Action, ...] | None:
        """Return the actions of a question drawn at random; None where there is no question."""

    @abstractmethod
    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Action] = (),
        references: Sequence[Plan] = (),
    ) -> Question[S]:
        """Return the question about these actions with its true answer.

        Raises `ProblemError` where the actions cannot be executed, or there are too few of them.
        The reference plans, the stored one first, are the truth of the tasks about plans.
        """

    def read(self, problem: Problem[S], response: str, words: Words | None = None) -> Reading:
        """Return what a response says; never raises, whatever the text is.

        Raises `ProblemError` where responses are not one text to be read.
        """
        del problem, response, words
        raise ProblemError(f"the answers of {self.name} are not read like this")

    @abstractmethod
    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return how a response is read and scored; never raises, whatever the text is."""

    def judging(
        self, question: Question[S], words: Words | None = None
    ) -> Callable[[str], Judgement]:
        """Return `judge` for responses to this question, what they share being done once."""
        return lambda response: self.judge(question, response, words)

    def written(self, question: Question[S], answer: Listed) -> str:
        """Return an answer in the form that prompts ask for."""
        del question
        return written(answer)

    @abstractmethod
    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return what makes a score interpretable, as plain values for JSON."""

    def ask(
        self, problem: Problem[S], rng: Random, references: Sequence[Plan] = ()
    ) -> Question[S] | None:
        """Return a question drawn at random; None where the problem has none of this kind."""
        actions = self.draw(problem, rng)
        return None if actions is None else self.question(problem, actions, references)


TASKS: Registry[Task] = Registry("task", "plangauge.tasks")


def general_tasks() -> tuple[str, ...]:
    """Return the names of the tasks that can be asked about any problem.

    >>> "plan-v1" in general_tasks(), "action-sequencing-v1" in general_tasks()
    (True, False)
    """
    return tuple(name for name, task in TASKS.items() if task.everywhere)


def written(answer: Listed) -> str:
    """Return an answer in the form that prompts ask for.

    >>> written({"positive": ["(p a)", "(q)"], "negative": []})
    '[(p a), (q)] []'
    """
    lists = answer.values() if isinstance(answer, dict) else [answer or []]
    return " ".join(f"[{', '.join(terms)}]" for terms in lists)


def find_task(name: str) -> Task:
    """Return the task of a name; without a version, that of the newest one.

    Raises `UnknownName` where there is none.

    >>> find_task("applicability").name
    'applicability-v1'
    """
    versions = {
        int(version): task
        for task in TASKS
        for stem, _, version in [task.rpartition("-v")]
        if stem == name and version.isdigit()
    }
    return TASKS[versions[max(versions)] if versions else name]


def read_answer(
    task: str, problem: Problem[S], text: str, *, words: Words | None = None
) -> Reading:
    """Return what the answer to a question of a task says, how surely, and from where.

    ``task`` is the name of a task, with or without a version; raises `UnknownName` for another,
    and `ProblemError` for one of several turns. Never raises because of the text.

    >>> from plangauge.domains.base import DOMAINS
    >>> blocks = DOMAINS["blocksworld"]
    >>> problem = blocks.problem("(define (problem p) (:domain blocksworld) (:objects a b - block)"
    ...     "(:init (arm-empty) (on b a) (on-table a) (clear b)) (:goal (on-table b)))")
    >>> reading = read_answer("applicability", problem, "Only unstack b from a is possible.")
    >>> reading.value, reading.status.value
    (('(unstack b a)',), 'ok')
    """
    return find_task(task).read(problem, text, words)


def executed(
    name: str, problem: Problem[S], actions: Sequence[Action], least: int
) -> tuple[tuple[Action, ...], tuple[S, ...]]:
    """Return the actions of a question, as the world spells them, and the states they lead to.

    Raises `ProblemError` where one is not applicable, or there are fewer than the task needs.
    """
    spelt = tuple(map(problem.world.canonical, actions))
    if len(spelt) < least:
        raise ProblemError(f"{name} needs an action")
    return spelt, execute(problem, spelt)


def execute(problem: Problem[S], actions: Sequence[Action]) -> tuple[S, ...]:
    """Return the initial state and the one after each action.

    Raises `ProblemError` where one of them is not applicable.
    """
    states = [problem.initial]
    for action in actions:
        after = problem.world.successor(states[-1], action)
        if after is None:
            raise ProblemError(f"step {len(states)}: {action} is not applicable")
        states.append(after)
    return tuple(states)
