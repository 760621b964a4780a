"""What becomes of VirtualHome responses, and the result files of the original over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from plangauge.model import Fault
from plangauge.reading import Status
from plangauge.records import Record
from plangauge.tasks.households.base import encodable
from plangauge.tasks.households.virtualhome import KINDS, scores
from plangauge.tasks.sequencing import NAME, PRIMARY

GRAMMAR = {
    Fault.PARSING: "parsing",
    Fault.HALLUCINATION: "hallucination",
    Fault.ARGUMENT: "predicate_argument_number",
}
"""What keeps a plan from being executed at all → its key in a summary."""
RUNTIME = {
    Fault.WRONG_ORDER: "wrong_order",
    Fault.MISSING_STEP: "missing_step",
    Fault.AFFORDANCE: "affordance_error",
    Fault.ADDITIONAL_STEP: "additional_step",
}
"""What goes wrong while it is executed → its key in a summary."""
ERRORS = {
    Fault.PARSING: "parsing error",
    Fault.HALLUCINATION: "hallucination error",
    Fault.ARGUMENT: "parameter error",
    Fault.WRONG_ORDER: "wrong_temporal_order",
    Fault.MISSING_STEP: "missing_step",
    Fault.AFFORDANCE: "affordance_error",
}
"""Why a plan fails → the ``error_type`` in ``error_info.json``."""


@dataclass(frozen=True, slots=True)
class Step:
    """What became of an action; ``fault`` and ``reasons`` are empty for one that was executed."""

    action: str
    executed: bool
    fault: str | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a response; plain values, to be sent between processes.

    ``counted`` is False where the original leaves the task out. ``fault`` is the first that is no
    additional step, None for an executable plan; ``faults`` counts all. ``reached`` and ``goals``
    are how many state, relation and action goals were reached, and how many there are. ``info`` is
    the entry of ``error_info.json``; None where the original writes none.
    """

    counted: bool = True
    executable: bool = False
    success: bool = False
    fault: str | None = None
    message: str | None = None
    faults: Mapping[str, int] = field(default_factory=dict)
    reached: tuple[int, int, int] = (0, 0, 0)
    goals: tuple[int, int, int] = (0, 0, 0)
    formula_satisfied: bool | None = None
    """Whether the trajectory satisfies the goal in temporal logic; None where there is none."""
    partial_success: float | None = None
    """How far the run gets towards it, in [0, 1]; None where there is none."""
    read: tuple[str, ...] = ()
    """The actions that were read."""
    steps: tuple[Step, ...] = ()
    """The actions up to the one at which the execution stops."""
    info: Mapping[str, Any] | None = None


def summary_of(outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """Return the rates of a model in percent, as in ``summary.json``; None for a share of nothing.

    >>> told = summary_of([Outcome(executable=True, reached=(1, 0, 0), goals=(2, 0, 0))])
    >>> told["goal_evaluation"]["state_goal"], told["goal_evaluation"]["relation_goal"]
    (50.0, None)
    """
    counted = [outcome for outcome in outcomes if outcome.counted]
    number = len(counted)
    reached = [sum(outcome.reached[kind] for outcome in counted) for kind in range(len(KINDS))]
    goals = [sum(outcome.goals[kind] for outcome in counted) for kind in range(len(KINDS))]

    def errors(keys: Mapping[Fault, str]) -> dict[str, float | None]:
        return {
            key: _rate(sum(outcome.faults.get(fault, 0) for outcome in counted), number)
            for fault, key in keys.items()
        }

    return {
        "goal_evaluation": {
            "task_success_rate": _rate(sum(outcome.success for outcome in counted), number),
            **{f"{kind}_goal": _rate(reached[k], goals[k]) for k, kind in enumerate(KINDS)},
            "total_goal": _rate(sum(reached), sum(goals)),
        },
        "trajectory_evaluation": {
            "execution_success_rate": _rate(sum(o.executable for o in counted), number, 1),
            "grammar_error": errors(GRAMMAR),
            "runtime_error": errors(RUNTIME),
        },
    }


def error_info(outcomes: Iterable[tuple[str, Outcome]]) -> dict[str, Any]:
    """Return what became of each task, as in ``error_info.json``; of repeated ones the last."""
    return {task: dict(outcome.info) for task, outcome in outcomes if outcome.info is not None}


def record(identifier: str, model: str, outcome: Outcome) -> Record:
    """Return the record of a response; a task that is not counted has no scores."""
    return Record(
        sample=identifier,
        problem=identifier,
        domain="virtualhome",
        task=NAME,
        model=model,
        epoch=1,
        status=(Status.NO_ANSWER if outcome.fault == Fault.PARSING else Status.OK).value,
        stop_reason=None,
        primary=PRIMARY,
        score=_scores(outcome)[PRIMARY],
        scores=_scores(outcome),
        fault=outcome.fault,
        read=list(map(encodable, outcome.read)),
        notes={
            "counted": outcome.counted,
            "step": len(outcome.steps) - 1 if outcome.fault and outcome.steps else None,
            "message": outcome.message,
            "faults": dict(outcome.faults),
            "formula_satisfied": outcome.formula_satisfied,
            "steps": [asdict(step) for step in outcome.steps],
        },
    )


def _scores(outcome: Outcome) -> dict[str, float | None]:
    found = scores(
        executable=outcome.executable,
        success=outcome.success,
        reached=outcome.reached,
        goals=outcome.goals,
        partial=outcome.partial_success,
    )
    return found if outcome.counted else dict.fromkeys(found)


def _rate(part: float, whole: float, digits: int = 4) -> float | None:
    return round(100.0 * part / whole, digits) if whole else None
