"""The turns of a run: executed again where its problem is known, else as the log has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from plangauge.compat.autoplanbench.course import Course, Logged, Simulated
from plangauge.compat.autoplanbench.logs import Log
from plangauge.compat.autoplanbench.spoken import Spoken, Tried, planned, spoken
from plangauge.episodes.turns import Act, Turn
from plangauge.errors import ProblemError
from plangauge.reading import Said
from plangauge.worlds.base import Problem


@dataclass(slots=True)
class Replayed:
    """What happened in a run; ``incremental`` tells whether it went step by step.

    ``disagreements`` say where the log does not agree with what counts here.
    """

    incremental: bool
    turns: list[Turn] = field(default_factory=list)
    initially: bool = False
    """Whether the goal held from the start."""
    revalidated: bool = False
    """Whether the actions were executed again."""
    outputs: int = 0
    """How many texts of the model there are, up to where the problem is solved."""
    predicted: int = 0
    """How many actions the model said, counting "you are finished", but not thoughts."""
    planned: int = 0
    """How many actions the last whole plan has."""
    first_reached: int | None = None
    """After which text of the model, from 1, the goal first held; in a plan, which action."""
    goal_share: float | None = None
    """How much of the goal holds at the end; None where that is not known."""
    disagreements: list[ProblemError] = field(default_factory=list)

    @property
    def reached(self) -> bool:
        """Whether the goal held at any time."""
        return self.initially or any(act.goal for turn in self.turns for act in turn.acts)

    @property
    def solved(self) -> bool:
        """Whether the last turn solves the problem."""
        last = self.turns[-1] if self.turns else None
        ends = last is not None and last.said in (Said.FINISHED, Said.PLAN)
        return last is not None and ends and last.goal and not last.failed


def replay(log: Log, problem: Problem[Any] | None, incremental: bool) -> Replayed:
    """Return what happened in a run.

    With its problem, every action is executed again; what the log says of it does not count, and
    the run ends where the problem is first solved. Without, the log is believed, but a run without
    its goal is no success.
    """
    course: Course = Logged() if problem is None else Simulated(problem)
    run = Replayed(incremental, initially=course.goal, revalidated=problem is not None)
    for number, said in enumerate(spoken(log.events), start=1):
        run.outputs = number
        before = len(run.turns)
        run.turns += (
            _steps(run, log, said, course) if incremental else [_plan(run, log, said, course)]
        )
        if run.first_reached is None:
            run.first_reached = _reached(run.turns[before:], number if incremental else None)
        if problem is None and number == log.first_reached and incremental and log.reached_goal:
            _mark_reached(run.turns, before)
        if run.solved:
            break
    run.goal_share = course.share
    if problem is None:
        _believe(run, log)
    _compare_success(run, log)
    return run


def _steps(run: Replayed, log: Log, said: Spoken, course: Course) -> Iterator[Turn]:
    """Yield the turns of a text: one, or several where it has looking around beside actions."""
    answer = said.answer or ""
    if said.finished or not said.tried:
        run.predicted += said.finished
        kind = Said.FINISHED if said.finished else Said.THOUGHT
        yield Turn(said.text, kind, observation=answer, goal=course.goal)
        return
    run.predicted += len(said.tried)
    acts: list[Act] = []
    looked = False
    for tried in said.tried:
        if tried.looks:
            if acts:
                yield Turn(said.text, Said.ACTIONS, tuple(acts), answer, course.goal)
            yield Turn(said.text, Said.LOOK_AROUND, observation=answer, goal=course.goal)
            acts, looked = [], True
            continue
        if course.misjudged(tried):
            message = f"the log says that {tried.text} was not executed: its spelling was refused"
            _disagree(run, log, message, tried.line)
            continue
        acts.append(course.act(tried))
        _compare(run, log, tried, acts[-1])
        if not acts[-1].executed:
            break
    if acts or not looked:
        yield Turn(said.text, Said.ACTIONS, tuple(acts), answer, course.goal)


def _plan(run: Replayed, log: Log, said: Spoken, course: Course) -> Turn:
    course.restart()
    whole = [tried for tried in planned(said) if not tried.looks]
    run.planned = len(whole)
    run.predicted += 1
    acts: list[Act] = []
    for tried in whole:
        if tried.flag is None and not run.revalidated:
            break
        acts.append(course.act(tried))
        _compare(run, log, tried, acts[-1])
        if not acts[-1].executed:
            break
    return Turn(said.text, Said.PLAN, tuple(acts), said.answer or "", course.goal)


def _reached(turns: Sequence[Turn], number: int | None) -> int | None:
    """Return the number where an action reaches the goal; without one, that of the action."""
    for turn in turns:
        for position, act in enumerate(turn.acts, start=1):
            if act.goal:
                return position if number is None else number
    return None


def _believe(run: Replayed, log: Log) -> None:
    """Take over from the log where the goal held, which without the problem only it knows."""
    if log.goal:
        run.goal_share = sum(log.goal.values()) / len(log.goal)
    run.first_reached = log.first_reached if log.reached_goal else None
    if log.reached_goal and not run.incremental and run.turns:
        position = log.first_reached or len(run.turns[-1].acts)
        if 0 < position <= run.turns[-1].executed:
            _set_goal(run.turns, len(run.turns) - 1, position - 1)
    if log.reached_goal and not run.reached:
        _mark_reached(run.turns, 0)
    if log.success and log.reached_goal and all(log.goal.values()):
        kind = Said.FINISHED if run.incremental else Said.PLAN
        if not run.turns or run.turns[-1].said is not kind:
            run.turns.append(Turn("", kind))
        run.turns[-1] = replace(run.turns[-1], goal=True)


def _mark_reached(turns: list[Turn], start: int) -> None:
    """Note that the goal held after the last action executed from this turn on."""
    for number in range(len(turns) - 1, start - 1, -1):
        if turns[number].executed:
            last = max(n for n, act in enumerate(turns[number].acts) if act.executed)
            _set_goal(turns, number, last)
            return


def _set_goal(turns: list[Turn], number: int, position: int) -> None:
    acts = [*turns[number].acts]
    acts[position] = replace(acts[position], goal=True)
    turns[number] = replace(turns[number], acts=tuple(acts))


def _compare(run: Replayed, log: Log, tried: Tried, act: Act) -> None:
    if tried.flag is None or tried.flag == act.executed:
        return
    said = "executed" if tried.flag else "not executed"
    why = f"it is not executable: {act.message}" if tried.flag else "it is executable"
    _disagree(run, log, f"the log says that {tried.text} was {said}, but {why}", tried.line)


def _compare_success(run: Replayed, log: Log) -> None:
    if log.success is None or log.success == run.solved:
        return
    if not log.success:
        message = "the log says no success, but the problem is solved"
    elif run.turns and run.turns[-1].failed:
        message = "the log says success, but the plan cannot be executed"
    elif run.turns and run.turns[-1].said in (Said.FINISHED, Said.PLAN):
        message = "the log says success, but the goal is not reached"
    else:
        message = "the log says success, but the run does not end with saying so"
    _disagree(run, log, message, log.summary_line)


def _disagree(run: Replayed, log: Log, message: str, line: int | None) -> None:
    run.disagreements.append(ProblemError(message, file=log.file, line=line))
