"""What becomes of BEHAVIOR responses: what is counted, records, and the summary of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from plangauge.model import Fault
from plangauge.reading import Status
from plangauge.records import Record
from plangauge.tasks.households.behavior import scores as scores_of
from plangauge.tasks.sequencing import NAME, PRIMARY

Result: TypeAlias = dict[str, Any]

_ERRORS = {
    "wrong_order": "ErrorType.WRONG_TEMPORAL_ORDER",
    "missing_step": "ErrorType.MISSING_STEP",
    "affordance": "ErrorType.AFFORDANCE_ERROR",
    "additional_step": "ErrorType.ADDITIONAL_STEP",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a response; plain values, to be sent between processes.

    ``result`` is EAI's ``llm_rst``. With ``counted`` False EAI's own evaluation ends in an
    exception, so that the task is missing from its results. ``fault`` is the first that is no
    additional step, None for an executable plan; ``faults`` are all, with step, action, message and
    unmet conditions.
    """

    result: Mapping[str, Any]
    counted: bool = True
    fault: str | None = None
    message: str | None = None
    read: tuple[str, ...] = ()
    """The actions that were read."""
    faults: tuple[Mapping[str, Any], ...] = ()
    missed: tuple[str, ...] = field(default=())
    """The conditions of the goal that are not met, as prompts show them."""


def record_of(identifier: str, model: str, outcome: Outcome) -> Record:
    """Return the record of a response; a task that is not counted has no scores."""
    goal, error = outcome.result["goal_rst"], outcome.result["error_type"]
    executed = outcome.result["execution_info"] is not None
    scores = scores_of(
        goal,
        executed=executed,
        success=goal["all_goal_satisfied_graph"] is True,
        executable=error["execution_success"],
    )
    if not outcome.counted:
        scores = dict.fromkeys(scores)
    return Record(
        sample=identifier,
        problem=identifier,
        domain="behavior",
        task=NAME,
        model=model,
        epoch=1,
        status=(Status.NO_ANSWER if outcome.fault == Fault.PARSING else Status.OK).value,
        stop_reason=None,
        primary=PRIMARY,
        score=scores[PRIMARY],
        scores=scores,
        fault=outcome.fault,
        read=list(outcome.read),
        notes={
            "counted": outcome.counted,
            "step": outcome.faults[-1]["step"] if outcome.fault and executed else None,
            "message": outcome.message,
            "faults": list(outcome.faults),
            "goal_missed": list(outcome.missed),
        },
    )


def summary_of(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return EAI's summary of the results of a model, rounded to 4 digits.

    Rates are over the results that are there; goals are counted over all of them together. What
    would be divided by 0 is 0.
    """
    goals = [result["goal_rst"] for result in results]
    errors = [result["error_type"] for result in results]
    number = len(results)

    def share(kind: str) -> float:
        met = sum(goal[f"satisfied_{kind}predicates"] for goal in goals)
        return _rate(met, sum(goal[f"tot_{kind}predicates"] for goal in goals))

    def with_error(key: str) -> float:
        return _rate(sum(error.get(key) is not None for error in errors), number)

    return {
        "goal_evaluation": {
            "task_success_rate": _rate(
                sum(goal["all_goal_satisfied_graph"] is True for goal in goals), number
            ),
            "state_goal": share("node_"),
            "relation_goal": share("edge_"),
            "action_goal": 0,
            "total_goal": share(""),
        },
        "trajectory_evaluation": {
            "execution_success_rate": _rate(
                sum(error["execution_success"] for error in errors), number
            ),
            "grammar_error": {
                "parsing": with_error("parsing"),
                "hallucination": with_error("hallucination"),
                "predicate_argument_number": with_error("arguments"),
            },
            "runtime_error": {name: with_error(key) for name, key in _ERRORS.items()},
        },
    }


def _rate(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
