"""The documented values of one run, and ours."""

from __future__ import annotations

from typing import Any

from plangauge.compat.autoplanbench.columns import COLUMNS, COSTS, OWN_COLUMNS
from plangauge.compat.autoplanbench.logs import Log
from plangauge.compat.autoplanbench.replay import Replayed
from plangauge.episodes.outcome import Outcome, Result
from plangauge.episodes.turns import Turn
from plangauge.reading import Said

NOT_REVALIDATED = ("repeated_states", "wasted_actions")
"""What only a simulation can tell."""


def instance_of(log: Log, run: Replayed, result: Result, gold: int | None) -> dict[str, Any]:
    """Return the values of a complete run; None stands for what is not defined.

    ``gold`` is the length of the gold plan, None where there is none to compare with.
    """
    success, reached = result.success, run.reached
    mode = _stepwise(log, run, result) if run.incremental else _of_plans(run, result)
    length, to_goal = mode.pop("length"), _to_goal(run) if reached else None
    values = {
        "task_ids": log.task,
        "instance_names": log.instance,
        "solved_successfully": success,
        "reached_goal": reached,
        "reached_goal_without_stopping": reached and not success,
        "successful_plan_length": length if success else None,
        "correct_plan_length": to_goal,
        "successful_interaction_length": mode["interaction_length"] if success else None,
        "optimal_plan_length": gold,
        "factor_plan_length": _ratio(length, gold) if success else None,
        "factor_plan_length_correct": _ratio(to_goal, gold),
        "stopping_reason": log.stopping_reason,
        "step_reached_goal": 0 if run.initially else run.first_reached,
        **{name: log.costs.get(name) for name in COSTS},
    }
    values |= mode | _own(log, run, result)
    values |= {"plan_length": length, "factor_plan_length_any": _ratio(length, gold)}
    return {name: values[name] for name in (*COLUMNS, *OWN_COLUMNS)}


def _own(log: Log, run: Replayed, result: Result) -> dict[str, Any]:
    first = result.first_mistake
    own = {
        "outcome": result.outcome.value,
        "turns": run.outputs,
        "thoughts": result.thoughts,
        "first_mistake_turn": first.turn + 1 if first else None,
        "first_mistake": first.kind if first else None,
        "recovered_mistakes": result.recovered,
        "repeated_states": result.repeated_states,
        "wasted_actions": result.wasted,
        "revalidated": run.revalidated,
        "n_disagreements": len(run.disagreements),
        "model": log.model,
        "file": log.file,
    }
    return own if run.revalidated else own | dict.fromkeys(NOT_REVALIDATED)


def _stepwise(log: Log, run: Replayed, result: Result) -> dict[str, Any]:
    success, reached, none = result.success, run.reached, result.mistakes == 0
    first = result.first_mistake
    by_action = first is not None and not run.turns[first.turn].wrongly_finished
    limit = log.max_steps
    return {
        "n_mistakes": result.mistakes,
        "solved_without_mistake": success and none,
        "predicted_goal_erroneously": any(turn.wrongly_finished for turn in run.turns),
        "unsuccessful_bec_not_reached_goal": none and not reached,
        "unsuccessful_bec_not_executable": not success and by_action,
        "unsuccessful_bec_not_recog_goal": none and reached and not success,
        "look_arounds": result.looks,
        "look_arounds_after_mistake": result.looks_after_mistakes,
        "interaction_length": run.predicted,
        "reached_step_limit_wo_mistake": none and not success and not reached,
        "reached_step_limit": None if limit is None else not success and run.outputs >= limit,
        "reached_break_limit": None if limit is None else not success and run.outputs < limit,
        "length": result.executed,
    }


def _of_plans(run: Replayed, result: Result) -> dict[str, Any]:
    success, last = result.success, _last_plan(run)
    executable = last is not None and not last.failed
    return dict.fromkeys(_ONLY_STEPWISE) | {
        "n_mistakes": result.mistakes,
        "unsuccessful_bec_not_reached_goal": executable and not run.reached,
        "unsuccessful_bec_not_executable": not success and not executable,
        "unsuccessful_bec_not_recog_goal": executable and run.reached and not success,
        "interaction_length": run.outputs,
        "length": run.planned,
    }


_ONLY_STEPWISE = (
    "solved_without_mistake", "predicted_goal_erroneously", "look_arounds",
    "look_arounds_after_mistake", "reached_step_limit_wo_mistake", "reached_step_limit",
    "reached_break_limit",
)  # fmt: skip


def _last_plan(run: Replayed) -> Turn | None:
    last = run.turns[-1] if run.turns else None
    return last if last is not None and last.said is Said.PLAN else None


def _to_goal(run: Replayed) -> int | None:
    """Return how many executed actions led to the goal for the first time, in the run or plan."""
    if run.initially:
        return 0
    if not run.revalidated and run.first_reached is None:
        return None  # the log does not tell when
    done = 0
    for turn in run.turns:
        done = 0 if turn.said is Said.PLAN else done
        for act in turn.acts:
            done += act.executed
            if act.goal:
                return done
    return None


def _ratio(length: int | None, gold: int | None) -> float | None:
    return None if length is None or not gold else length / gold


def incomplete_of(log: Log) -> dict[str, Any]:
    """Return what there is to say about a run that did not come to its end."""
    return {
        "task_ids": log.task,
        "instance_names": log.instance,
        "outcome": Outcome.INCOMPLETE.value,
        "why": log.why_incomplete,
        "model": log.model,
        "file": log.file,
    }
