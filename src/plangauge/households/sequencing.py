"""Action sequences for household tasks, judged as the Embodied Agent Interface does by default.

The question is a prompt of that benchmark, so it is asked only where a problem comes from there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any, Generic, NamedTuple

from plangauge.core.conditions import Condition
from plangauge.core.errors import ProblemError
from plangauge.core.model import Action, Fault, Plan
from plangauge.core.text import encodable
from plangauge.domains.words import Words
from plangauge.households import Mistake, Place, Unreadable
from plangauge.households.projection import whole
from plangauge.households.rules import RuleWorld
from plangauge.reading.notations.actions import read_action
from plangauge.reading.result import Reading, Status
from plangauge.tasks.base import TASKS, Answer, Draft, Judgement, Question, Task, lists_in
from plangauge.worlds.base import Problem, S
from plangauge.worlds.simulate import Diagnosis, Trajectory, simulate

NAME = "action-sequencing-v1"
GRADED = "total_goal"
BINARY = "success"

_JUDGES = {
    f"plangauge.households.{world}.world": f"plangauge.households.{world}.judge"
    for world in ("virtualhome", "behavior")
}
"""Where the class of a world is → where its judge is, imported only when there is such a world."""

SKIPPED = frozenset((Fault.ADDITIONAL_STEP,))
"""A step that has only such faults is passed over, and execution goes on."""

Numbers = Mapping[str, float]
"""Kind of goals → how many there are."""


class ReadSequence(NamedTuple):
    """What was read of an answer: its parts as they are read in this world, None for nothing.

    ``mistake`` is why it cannot be executed; ``shown`` are the actions as records show them.
    """

    parts: Sequence[Any] | None
    actions: tuple[Action, ...] = ()
    mistake: Mistake | None = None
    shown: Sequence[str] = ()
    places: Sequence[Place] = ()

    def reading(self, text: str) -> Reading:
        """Return what was read of a text, and where."""
        if self.parts is None:
            why = self.mistake.message if self.mistake else ""
            return Reading(None, Status.NO_ANSWER, "json", how=why)
        used = [span for place in self.places for span in place.spans(text)]
        return Reading(Plan.of(*self.actions), notation="json", how="actions", used=tuple(used))


@dataclass(frozen=True)
class Execution(Generic[S]):
    """What became of an answer; without a ``run`` it was not executed."""

    answer: ReadSequence
    run: Trajectory[S] | None
    satisfied: tuple[bool, ...]
    """Which conditions of the goal hold where execution ends: at first, if it never begins."""
    formula: tuple[bool | None, float | None] = (None, None)
    """Whether the goal in temporal logic is satisfied, and how far the run gets, in [0, 1]."""

    @property
    def executable(self) -> bool:
        """Whether every step was executed or passed over."""
        return self.run is not None and self.run.executable

    @property
    def stop(self) -> Diagnosis | None:
        """The fault at which execution stopped; None where it did not, or never began."""
        return None if self.run is None or self.run.executable else self.run.faults[-1]

    @property
    def fault(self) -> Fault | None:
        """Why the plan fails; None for an executable one."""
        found = self.answer.mistake or self.stop
        return found.fault if found else None

    @property
    def message(self) -> str | None:
        """The fault in words."""
        found = self.answer.mistake or self.stop
        return found.message if found else None


class Judge(ABC, Generic[S]):
    """Reads, executes and scores the answers to one problem; it has one goal."""

    def __init__(self, problem: Problem[S]) -> None:
        self.problem = whole(problem)

    @property
    def world(self) -> RuleWorld[Any, Any, S]:
        """The world of the problem."""
        world = self.problem.world
        assert isinstance(world, RuleWorld)
        return world

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the goal."""
        return self.problem.goals[0].conditions

    @abstractmethod
    def read(self, text: str) -> ReadSequence:
        """Return what is read of an answer; raises `Unreadable` where it is no plan."""

    @abstractmethod
    def numbers(self, satisfied: Sequence[bool], run: Trajectory[S] | None) -> Numbers:
        """Return how many goals of each kind are reached where these conditions hold."""

    @abstractmethod
    def success(self, done: Execution[S]) -> bool:
        """Return whether an answer does what is asked."""

    def notes(self, done: Execution[S]) -> dict[str, Any]:
        """Return what a record says beside scores and fault: which steps were passed over."""
        return {"skipped": [*done.run.skipped] if done.run else []}

    @staticmethod
    @abstractmethod
    def write(plan: Plan) -> str:
        """Return a plan in the form that prompts ask for."""

    @property
    @abstractmethod
    def goals(self) -> Numbers:
        """How many goals of each kind there are."""

    def progress(self, run: Trajectory[S]) -> tuple[bool | None, float | None]:
        """Return whether the formula of the problem is satisfied, and how far a run gets."""
        return None, None

    def sequence(self, text: str) -> ReadSequence:
        """Return what is read of an answer; never raises."""
        try:
            return self.read(text)
        except Unreadable as error:
            return ReadSequence(None, mistake=Mistake(Fault.PARSING, 0, str(error)))

    def execute(self, text: str) -> Execution[S]:
        """Return the execution of an answer; never raises."""
        return self._executed(self.sequence(text))

    def why_not(self, plan: Plan) -> str | None:
        """Return why a plan is no success; None for one that is."""
        done = self._executed(ReadSequence(None, tuple(plan.actions)))
        return done.message or (None if self.success(done) else "it misses a goal")

    def scores(self, done: Execution[S]) -> dict[str, float | None]:
        """Return the scores of an answer; what is not even executed reaches nothing."""
        reached = self.numbers(done.satisfied, done.run)
        return scores(
            success=self.success(done),
            executable=done.executable,
            reached=dict.fromkeys(reached, 0) if done.run is None else reached,
            goals=self.goals,
        )

    def satisfied(self, state: S) -> tuple[bool, ...]:
        """Return which conditions of the goal hold in a state."""
        view = self.world.view(state)
        return tuple(condition.holds(view) for condition in self.conditions)

    def _executed(self, answer: ReadSequence) -> Execution[S]:
        run = None
        if answer.mistake is None:
            run = simulate(self.problem, Plan.of(*answer.actions), skip=SKIPPED)
        if run is None:
            return Execution(answer, run, self.satisfied(self.problem.initial))
        return Execution(answer, run, self.satisfied(run.states[-1]), self.progress(run))


def scores(
    *, success: bool, executable: bool, reached: Numbers, goals: Numbers
) -> dict[str, float | None]:
    """Return the scores of an answer, all in [0, 1]; None for a share of nothing.

    >>> scores(success=False, executable=True, reached={"state": 1}, goals={"state": 2})
    {'success': 0.0, 'executable': 1.0, 'state_goal': 0.5, 'total_goal': 0.5}
    """
    shares = ((kind, reached[kind], number) for kind, number in goals.items())
    return {
        "success": float(success),
        "executable": float(executable),
        **{f"{kind}_goal": _share(part, all_) for kind, part, all_ in shares},
        "total_goal": _share(sum(reached.values()), sum(goals.values())),
    }


def _share(part: float, whole_: float) -> float | None:
    return part / whole_ if whole_ else None


@dataclass(frozen=True)
class Details:
    """What is needed for scoring, and the reference plans."""

    judge: Judge[Any]
    references: tuple[Plan, ...]


class Sequencing(Task):
    """A plan for a household task; ``total_goal`` is the share of the goals that it reaches.

    A plan that cannot be read, or names what does not exist, reaches nothing. Superfluous steps are
    passed over; at any other fault execution stops, and what is reached then counts.
    """

    name = NAME
    summary = "give a sequence of actions that does a household task"
    graded = GRADED
    binary = BINARY
    secondary = (GRADED,)
    answer = "plan"
    references = True
    availability = "imported"

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return a draft about the problem as it is; None for no household."""
        return Draft() if _module(problem) and len(problem.goals) == 1 else None

    def pose(self, problem: Problem[S], draft: Draft, references: Sequence[Plan]) -> Question[S]:
        """Return the question; its truth is the first reference, None without any.

        Raises `ProblemError` for another world than a household, for another number of goals than
        one, where there are actions or options, or where a reference is no success.
        """
        if draft.actions or draft.options:
            raise ProblemError(f"{NAME} starts from the initial state and takes no actions")
        judge = _judge(problem)
        plans = tuple(_spelt(problem, plan.actions) for plan in references)
        for plan in plans:
            if why := judge.why_not(plan):
                raise ProblemError(f"the reference plan is not valid: {why}")
        truth = [*map(str, plans[0].actions)] if plans else None
        return Question(NAME, problem, (), truth, Details(judge, plans))

    def read(self, problem: Problem[S], response: str, words: Words | None = None) -> Reading:
        """Return how an action sequence is read."""
        return _judge(problem).sequence(response).reading(response)

    def judge(self, question: Question[S], response: str, words: Words | None = None) -> Judgement:
        """Return how an action sequence is read, and how far it gets; only names are read."""
        judge: Judge[S] = question.details.judge
        done = judge.execute(response)
        reading = done.answer.reading(response)
        notes = {
            "fault": done.fault.value if done.fault else None,
            "step": done.stop.step if done.stop else None,
            "message": done.message and encodable(done.message),
            **judge.notes(done),
        }
        shown = [*done.answer.shown]
        return Judgement(shown, reading.status, judge.scores(done), notes, reading)

    def written(self, question: Question[S], answer: Answer) -> str:
        """Return a plan in the form that the prompt asks for."""
        terms = lists_in(answer).get("", ())
        actions = [action for action in map(read_action, terms) if action is not None]
        judge: Judge[S] = question.details.judge
        return judge.write(_spelt(question.problem, actions))

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return the length of the reference; silence and the empty plan reach nothing."""
        references = question.details.references
        return {
            "n_references": len(references),
            "length": len(references[0]) if references else None,
            "baselines": {"empty": 0.0},
        }


def _spelt(problem: Problem[S], actions: Iterable[Action]) -> Plan:
    return Plan.of(*map(problem.world.canonical, actions))


def _judge(problem: Problem[S]) -> Judge[S]:
    module = _module(problem)
    if module is None:
        raise ProblemError(f"{NAME} is asked only about households")
    if len(problem.goals) != 1:
        raise ProblemError(f"{NAME} needs one goal, not {len(problem.goals)}")
    judge: Judge[S] = import_module(module).Judge(problem)
    return judge


def _module(problem: Problem[Any]) -> str | None:
    return _JUDGES.get(type(whole(problem).world).__module__)


TASKS.add(NAME, Sequencing())
