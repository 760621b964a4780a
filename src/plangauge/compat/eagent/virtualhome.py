"""VirtualHome action sequencing: what becomes of a response, by default and as published.

docs/virtualhome.md lists where the two differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from plangauge.compat.eagent import virtualhome_published as published
from plangauge.compat.eagent.virtualhome_outcome import (
    ERRORS,
    Outcome,
    Step,
    error_info,
    record,
    summary_of,
)
from plangauge.model import Action, Fault
from plangauge.simulate import Diagnosis, Trajectory
from plangauge.sources.eai.virtualhome import Task, load
from plangauge.sources.eai.virtualhome_prompts import prompts
from plangauge.tasks.households.formula import judged
from plangauge.tasks.households.virtualhome import execute, number_of_goals
from plangauge.worlds.virtualhome import State

__all__ = ["Outcome", "evaluate", "load", "prompts", "record", "results", "summary"]

Outcomes = Sequence[tuple[str, Outcome]]
"""Identifiers of tasks, each with what became of a response."""


def evaluate(task: Task, entry: Mapping[str, Any], as_published: bool = False) -> Outcome:
    """Return what becomes of a response, ``entry["llm_output"]``, to a task.

    By default a plan is read robustly, every goal counts, and faults are named by the diagnosis of
    all worlds. ``as_published`` reads, executes and counts as the original does; where that crashes
    for a response, docs/virtualhome.md says what is done instead.
    """
    text = entry["llm_output"]
    return _as_published(task, text) if as_published else _by_default(task, text)


def results(model: str, outcomes: Outcomes, as_published: bool = False) -> dict[str, Any]:
    """Return what stands in each file of results, by its path.

    >>> results("m", [])["m/error_info.json"]
    {}
    """
    return {
        f"{model}/summary.json": summary(outcomes, as_published),
        f"{model}/error_info.json": error_info(outcomes),
    }


def summary(outcomes: Outcomes, as_published: bool = False) -> dict[str, Any]:
    """Return the rates of a model in percent; the layout is the same in both modes."""
    del as_published
    return summary_of(outcome for _, outcome in outcomes)


# --- by default ---------------------------------------------------------------------------------


def _by_default(task: Task, text: str) -> Outcome:
    done = execute(task.problem, text)
    run, stop = done.run, done.stop
    if run is None:
        assert done.slip is not None, "what has no slip is executed"
        listed = None if done.calls is None else [{name: texts} for name, texts in done.calls]
        return _unexecuted(task, *done.slip, done.actions, listed)
    return Outcome(
        executable=run.executable,
        success=run.valid,
        fault=done.fault.value if done.fault else None,
        message=done.message,
        faults=_counted(diagnosis.fault for diagnosis in run.faults),
        reached=done.reached,
        goals=number_of_goals(task.problem),
        formula_satisfied=done.formula_satisfied,
        partial_success=done.partial_success,
        read=tuple(map(str, done.actions)),
        steps=tuple(_steps(run, done.actions)),
        info=_info(done.actions, (stop.fault, stop.action) if stop else None),
    )


def _steps(run: Trajectory[State], actions: Sequence[Action]) -> Iterator[Step]:
    """Yield what became of the actions up to the one at which the execution stops."""
    found = {diagnosis.step: diagnosis for diagnosis in run.faults}
    tried = run.prefix + (not run.executable)
    for index, action in enumerate(actions[:tried]):
        diagnosis: Diagnosis | None = found.get(index)
        if diagnosis is None:
            yield Step(str(action), executed=True)
        else:
            reasons = tuple(map(str, diagnosis.unmet))
            yield Step(str(action), executed=False, fault=diagnosis.fault.value, reasons=reasons)


# --- as published -------------------------------------------------------------------------------


def _as_published(task: Task, text: str) -> Outcome:
    if not task.gold_reaches_goals:
        return Outcome(counted=False)
    calls = published.read_calls(text)
    fault = published.grammar_fault(calls, task.accepted)
    if calls is None or fault is not None:
        # What is no JSON is counted where it is read, and again where it is checked.
        listed = None if calls is None else [{name: args} for name, args in calls]
        times = 2 if calls is None else 1
        return _unexecuted(task, fault or Fault.PARSING, None, listed=listed, times=times)
    actions = published.actions_of(calls)
    read = tuple(map(str, actions))
    if tuple(map(published.as_step, actions)) == task.gold_steps:
        return Outcome(executable=True, goals=number_of_goals(task.problem), read=read)
    run = published.run(task, actions)
    if run.crashed:
        listed = [{name: args} for name, args in calls]
        return _unexecuted(task, Fault.HALLUCINATION, None, actions, listed)
    reached, goals = published.matched_goals(task, run), number_of_goals(task.problem)
    satisfied, share = judged(task.published, run.final, run.done)
    stop = run.stop
    return Outcome(
        executable=stop is None,
        success=reached == goals,
        fault=stop.fault.value if stop else None,
        faults=_counted(slip.fault for slip in run.slips),
        reached=reached,
        goals=goals,
        formula_satisfied=satisfied,
        partial_success=share,
        read=read,
        steps=tuple(_published_steps(run)),
        info=_info(actions, (stop.fault, actions[stop.index]) if stop else None),
    )


def _published_steps(run: published.Run) -> Iterator[Step]:
    found = {slip.index: slip for slip in run.slips}
    for index, action in enumerate(run.actions[: run.tried]):
        slip = found.get(index)
        if slip is None:
            yield Step(str(action), executed=True)
        else:
            yield Step(str(action), False, slip.fault.value, slip.reasons)


# --- both ---------------------------------------------------------------------------------------


def _unexecuted(
    task: Task,
    fault: Fault,
    message: str | None,
    actions: Sequence[Action] = (),
    listed: Sequence[Mapping[str, Any]] | None = None,
    times: int = 1,
) -> Outcome:
    """Return what becomes of a response that is not executed; ``listed`` is what was read of it."""
    info = {
        "executable": False,
        "actions": listed,
        "error_type": ERRORS[fault],
        "error_action": None,
    }
    return Outcome(
        fault=fault.value,
        message=message,
        faults={fault.value: times},
        goals=number_of_goals(task.problem),
        read=tuple(map(str, actions)),
        info=info,
    )


def _info(actions: Sequence[Action], stop: tuple[Fault, Action] | None) -> dict[str, Any]:
    """Return the entry of ``error_info.json`` of an executed plan, and where that stops."""
    return {
        "executable": stop is None,
        "actions": list(map(published.as_step, actions)),
        "error_type": ERRORS[stop[0]] if stop else None,
        "error_action": published.as_step(stop[1]) if stop else None,
    }


def _counted(faults: Iterable[Fault]) -> dict[str, int]:
    return {fault.value: number for fault, number in Counter(faults).items()}
