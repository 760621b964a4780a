"""BEHAVIOR action sequencing: what becomes of a response, by default and as published.

docs/behavior.md lists where the two differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from plangauge.compat.eagent.behavior_outcome import (
    Outcome,
    Result,
    record_of,
    summary_of,
)
from plangauge.compat.eagent.behavior_published import (
    CLASSES,
    PUBLISHED,
    UNHANDLED,
    Run,
    execute,
    telling,
)
from plangauge.compat.eagent.behavior_reading import read_published
from plangauge.compat.eagent.options import Option, is_met, options
from plangauge.errors import ProblemError
from plangauge.model import Action, Fault
from plangauge.reading.households.behavior import Item, Mistake, NoText, actions_of, find_mistake
from plangauge.records import Record
from plangauge.simulate import Diagnosis, Trajectory
from plangauge.sources.eai.behavior import BehaviorTask, read_tasks, read_template
from plangauge.tasks.households.behavior import Counts, shown_item
from plangauge.tasks.households.behavior import execute as execute_answer
from plangauge.worlds.base import Problem
from plangauge.worlds.behavior import BehaviorWorld, Scene, State

_GRAMMAR = {
    Fault.PARSING: "parsing",
    Fault.HALLUCINATION: "hallucination",
    Fault.ARGUMENT: "arguments",
}

Outcomes = Sequence[tuple[str, Outcome]]
"""Identifiers of tasks, each with what became of a response."""


class Task:
    """A task, and what is worked out once for all its responses."""

    def __init__(self, source: BehaviorTask, root: Path) -> None:
        self.source = source
        self.root = root

    @cached_property
    def words(self) -> list[str]:
        """The conditions of the goal, as prompts show them."""
        return list(map(" ".join, self.source.goal_words))

    @cached_property
    def counts(self) -> Counts:
        """What is counted of the goal."""
        return Counts.of(self.source.problem.goals[0].conditions)

    @cached_property
    def options(self) -> list[list[Option]]:
        """The options that EAI keeps of each term of the goal."""
        bddl, names = self.source.bddl, self.source.names
        return [options(term, bddl.objects, names) for term in bddl.goal]

    @cached_property
    def published(self) -> BehaviorWorld:
        """The world as EAI has it."""
        return BehaviorWorld(self.source.world.scene, PUBLISHED)

    def sized(self, sizes: Any) -> Scene:
        """Return the scene with the sizes that come with a response."""
        named = f"the response to {self.source.identifier}"
        if not isinstance(sizes, Mapping):
            raise ProblemError(f"{named}: 'sizes' must be an object, not {sizes!r:.80}")
        try:
            return self.source.world.scene.sized(sizes)
        except ProblemError as error:
            raise ProblemError(f"{named}: {error}") from None

    def satisfied(self, world: BehaviorWorld, state: State) -> list[bool]:
        """Return which conditions of the goal hold in a state."""
        view = world.view(state)
        return [condition.holds(view) for condition in self.source.problem.goals[0].conditions]


def load(root: Path) -> dict[str, Task]:
    """Return the tasks by identifier, from the folder with EAI's data."""
    return {identifier: Task(source, root) for identifier, source in read_tasks(root).items()}


def prompts(tasks: Mapping[str, Task]) -> Iterator[tuple[str, str]]:
    """Yield the identifier and the prompt of each task.

    >>> list(prompts({}))
    []
    """
    template = ""
    for identifier, task in tasks.items():
        template = template or read_template(task.root)
        yield identifier, task.source.prompt(template)


def evaluate(task: Task, entry: Mapping[str, Any], as_published: bool = False) -> Outcome:
    """Return what became of a response: of the ``llm_output`` of an entry of a response file.

    ``sizes``, if the entry has them, are the edge lengths of the boxes around objects by name.
    Raises `ProblemError` where these are malformed.
    """
    text, sizes = entry["llm_output"], entry.get("sizes")
    if as_published:
        world = BehaviorWorld(task.sized(sizes), PUBLISHED) if sizes is not None else task.published
        return _as_published(task, world, text)
    problem = task.source.problem
    if sizes is not None:
        world = BehaviorWorld(task.sized(sizes))
        problem = Problem(world, problem.initial, problem.goals, problem.name)
    return _by_default(task, problem, text)


def results(model: str, outcomes: Outcomes, as_published: bool = False) -> dict[str, Any]:
    """Return what stands in each file of results, by its path; it looks the same in both modes.

    >>> results("m", [])["log/m.json"]
    []
    """
    return {
        f"log/{model}.json": [
            {"identifier": identifier, "llm_rst": outcome.result}
            for identifier, outcome in outcomes
            if outcome.counted
        ],
        f"summary/{model}.json": summary(outcomes, as_published),
    }


def summary(outcomes: Outcomes, as_published: bool = False) -> dict[str, Any]:
    """Return the rates of a model, from 0 to 1; they are counted the same way in both modes."""
    del as_published
    return summary_of([outcome.result for _, outcome in outcomes if outcome.counted])


def record(identifier: str, model: str, outcome: Outcome) -> Record:
    """Return the record of a response."""
    return record_of(identifier, model, outcome)


# --- by default ---------------------------------------------------------------------------------


def _by_default(task: Task, problem: Problem[State], text: str) -> Outcome:
    done = execute_answer(problem, text)
    run, satisfied = done.run, done.satisfied
    if done.slip is not None or run is None:
        assert done.slip is not None, "what has no slip is executed"
        return _rejected(task, done.slip, done.items)
    result = _result(task, satisfied, all(satisfied), _steps(run, done.items))
    result["error_type"]["execution_success"] = run.executable
    result["error_type"] |= {CLASSES[fault.fault]: fault.message for fault in run.faults}
    return Outcome(
        result,
        fault=done.fault.value if done.fault else None,
        message=done.message,
        read=tuple(map(str, run.plan.actions)),
        faults=tuple(map(_fault, run.faults)),
        missed=_missed(task, satisfied),
    )


def _steps(run: Trajectory[State], items: Sequence[Item]) -> list[Result]:
    """Return a record for each step up to the last that was tried."""
    faults = {fault.step: fault for fault in run.faults}
    tried = run.prefix + (not run.executable)
    steps: list[Result] = []
    for index, (action, text) in enumerate(items[:tried]):
        step: Result = {"action": action, "object": text}
        fault = faults.get(index)
        if fault is not None:
            told = {"error_type": CLASSES[fault.fault], "error_reason": fault.message}
            step["errors"] = [told]
        steps.append(step | {"execution_success": fault is None, "step": index})
    return steps


def _fault(fault: Diagnosis) -> Result:
    return {
        "step": fault.step,
        "action": str(fault.action),
        "fault": fault.fault.value,
        "message": fault.message,
        "unmet": [str(unmet.condition) for unmet in fault.unmet],
    }


# --- as published -------------------------------------------------------------------------------


def _as_published(task: Task, world: BehaviorWorld, text: str) -> Outcome:
    items = read_published(text)
    if not items:
        return _rejected(task, Mistake(Fault.PARSING, 0, "there is no action in the list"), ())
    try:
        slip = find_mistake(items, world.schemas, world.objects)
    except NoText as error:
        return _rejected(task, Mistake(Fault.PARSING, 0, str(error)), (), counted=False)
    if slip is not None:
        return _rejected(task, slip, items)
    actions = actions_of(items)
    run = execute(world, task.source.problem.initial, items, actions)
    view = world.view(run.state)
    satisfied = task.satisfied(world, run.state)
    reached = all(is_met(term, view) for term in task.options)
    result = _result(task, satisfied, reached, run.steps)
    result["error_type"]["execution_success"] = not run.stopped
    result["error_type"] |= {CLASSES[error.fault]: error.reason for error in run.classes()}
    faults = tuple(_published_faults(run, actions))
    return Outcome(
        result,
        fault=faults[-1]["fault"] if run.stopped else None,
        message=faults[-1]["message"] if run.stopped else None,
        read=tuple(map(str, actions)),
        faults=faults,
        missed=_missed(task, satisfied),
    )


def _published_faults(run: Run, actions: Sequence[Action]) -> Iterator[Result]:
    for index, errors in run.errors.items():
        fault = telling(errors).fault.value if errors else UNHANDLED
        message = "; ".join(error.reason for error in errors) or run.unhandled
        shown = {"step": index, "action": str(actions[index]), "fault": fault}
        yield shown | {"message": message, "unmet": []}


# --- in both cases ------------------------------------------------------------------------------


def _rejected(task: Task, slip: Mistake, items: Sequence[Item], *, counted: bool = True) -> Outcome:
    """Return the outcome of a response that is not executed: the first state is its last."""
    satisfied = task.satisfied(task.source.world, task.source.problem.initial)
    result = _result(task, satisfied, None, None)
    result["error_type"][_GRAMMAR[slip.fault]] = slip.message
    shown = tuple(map(shown_item, items))
    step, action = (slip.index, shown[slip.index]) if shown else (None, None)
    fault: Result = {"step": step, "action": action, "fault": slip.fault.value}
    return Outcome(
        result,
        counted,
        slip.fault.value,
        slip.message,
        read=shown,
        faults=(fault | {"message": slip.message, "unmet": []},),
        missed=_missed(task, satisfied),
    )


def _result(
    task: Task, satisfied: Sequence[bool], reached: bool | None, steps: list[Result] | None
) -> Result:
    met = [index for index, is_so in enumerate(satisfied) if is_so]
    unmet = [index for index, is_so in enumerate(satisfied) if not is_so]
    return {
        "error_type": dict.fromkeys(_GRAMMAR.values()) | {"execution_success": False},
        "goal_rst": {
            "all_goal_satisfied_ig": all(satisfied),
            "all_goal_satisfied_graph": reached,
            **task.counts.partial(satisfied),
        },
        "satisfaction_info": {"satisfied": met, "unsatisfied": unmet},
        "predicate_info": task.counts.by_predicate(satisfied),
        "execution_info": steps,
    }


def _missed(task: Task, satisfied: Sequence[bool]) -> tuple[str, ...]:
    return tuple(words for words, is_so in zip(task.words, satisfied, strict=True) if not is_so)
