"""VirtualHome action sequencing: what becomes of a response, by default and as published.

docs/virtualhome.md lists where the two differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from plangauge.compat.eagent import virtualhome_published as published
from plangauge.compat.eagent.virtualhome_formula import judged
from plangauge.compat.eagent.virtualhome_outcome import (
    ERRORS,
    Outcome,
    Step,
    error_info,
    record,
    summary_of,
)
from plangauge.compat.eagent.virtualhome_prompts import prompts
from plangauge.compat.eagent.virtualhome_reading import Unreadable, action_of, read_answer
from plangauge.conditions import Is
from plangauge.errors import did_you_mean
from plangauge.model import Action, Fault, Plan
from plangauge.simulate import Diagnosis, Trajectory, simulate
from plangauge.sources.eai.virtualhome import Task, load
from plangauge.worlds.virtualhome import State
from plangauge.worlds.virtualhome.rules import RULES

__all__ = ["Outcome", "evaluate", "load", "prompts", "record", "results", "summary"]

_NAMES = frozenset(RULES) - published.WITHOUT_EXECUTOR
"""The actions that an answer may name: those that the original can execute."""
_SKIPPED = frozenset((Fault.ADDITIONAL_STEP,))
_LONGEST_NAME = 80

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
    world = task.problem.world
    try:
        calls = read_answer(text, _NAMES)
    except Unreadable as error:
        return _unexecuted(task, Fault.PARSING, str(error))
    actions = [action_of(call, world.objects) for call in calls]
    slip = _hallucination(actions, world.objects) or _wrong_arguments(actions, world.objects)
    if slip is not None:
        return _unexecuted(task, *slip, actions, [{name: texts} for name, texts in calls])
    run = simulate(task.problem, Plan.of(*actions), skip=_SKIPPED)
    final = run.states[-1]
    reached = (
        sum(world.holds(final, Is(fact)) for fact in dict.fromkeys(task.state_goals)),
        sum(world.holds(final, Is(fact)) for fact in dict.fromkeys(task.relation_goals)),
        run.progress.actions,
    )
    skipped = frozenset(run.skipped)
    tried = enumerate(zip(run.states[:-1], actions, strict=False))
    done = [pair for index, pair in tried if index not in skipped]
    satisfied, share = judged(task, world, final, done)
    stop = run.faults[-1] if not run.executable else None
    return Outcome(
        executable=run.executable,
        success=run.valid,
        fault=stop.fault.value if stop else None,
        message=stop.message if stop else None,
        faults=_counted(diagnosis.fault for diagnosis in run.faults),
        reached=reached,
        goals=_number_of_goals(task),
        formula_satisfied=satisfied,
        partial_success=share,
        read=tuple(map(str, actions)),
        steps=tuple(_steps(run, actions)),
        info=_info(actions, (stop.fault, stop.action) if stop else None),
    )


def _hallucination(
    actions: Sequence[Action], objects: Mapping[str, str]
) -> tuple[Fault, str] | None:
    """Return what is named that does not exist, if anything; the class of an object does."""
    kinds = frozenset(objects.values())
    for action in actions:
        if action.name not in _NAMES:
            return Fault.HALLUCINATION, _unknown("action", action.name, _NAMES)
        for arg in action.args:
            if arg not in objects and arg not in kinds:
                return Fault.HALLUCINATION, _unknown("object", arg, objects)
    return None


def _wrong_arguments(
    actions: Sequence[Action], objects: Collection[str]
) -> tuple[Fault, str] | None:
    for action in actions:
        for arg in action.args:
            if arg not in objects:
                return Fault.ARGUMENT, f"{action.name}: the id of the {arg} is missing"
        wanted = len(RULES[action.name].parameters)
        if wanted != len(action.args):
            number = "1 object" if wanted == 1 else f"{wanted} objects"
            return Fault.ARGUMENT, f"{action.name} takes {number}, not {len(action.args)}"
    return None


def _unknown(kind: str, name: str, known: Collection[str]) -> str:
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return f"there is no {kind} {shown!a}{did_you_mean(name, known)}"


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
        return Outcome(executable=True, goals=_number_of_goals(task), read=read)
    run = published.run(task, actions)
    if run.crashed:
        listed = [{name: args} for name, args in calls]
        return _unexecuted(task, Fault.HALLUCINATION, None, actions, listed)
    reached, goals = published.matched_goals(task, run), _number_of_goals(task)
    satisfied, share = judged(task, task.published.world, run.final, run.done)
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
        goals=_number_of_goals(task),
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


def _number_of_goals(task: Task) -> tuple[int, int, int]:
    """Return how many different state, relation and action goals a task has."""
    return len(set(task.state_goals)), len(set(task.relation_goals)), len(task.action_goals)


def _counted(faults: Iterable[Fault]) -> dict[str, int]:
    return {fault.value: number for fault, number in Counter(faults).items()}
