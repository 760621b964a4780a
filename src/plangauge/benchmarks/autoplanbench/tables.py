"""Results as the original writes them: tables separated by tabs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.reports.escape import as_cell
from plangauge.suites.files import new_file

COLUMNS = (
    "task_ids", "instance_names", "solved_successfully", "reached_goal", "n_mistakes",
    "solved_without_mistake", "reached_goal_without_stopping", "predicted_goal_erroneously",
    "unsuccessful_bec_not_reached_goal", "unsuccessful_bec_not_executable",
    "unsuccessful_bec_not_recog_goal", "look_arounds", "look_arounds_after_mistake",
    "interaction_length", "successful_plan_length", "correct_plan_length",
    "successful_interaction_length", "optimal_plan_length", "factor_plan_length",
    "factor_plan_length_correct", "reached_step_limit_wo_mistake", "reached_step_limit",
    "reached_break_limit", "stopping_reason", "step_reached_goal", "total_time",
    "total_input_tokens", "total_output_tokens", "total_tokens", "max_input_tokens",
    "max_output_tokens", "max_tokens",
)  # fmt: skip
"""The columns of the table of instances."""

COSTS = COLUMNS[-7:]
"""Those copied from the log."""

OWN_COLUMNS = (
    "outcome", "plan_length", "factor_plan_length_any", "turns", "thoughts", "first_mistake_turn",
    "first_mistake", "recovered_mistakes", "repeated_states", "wasted_actions", "revalidated",
    "n_disagreements", "model", "file",
)  # fmt: skip
"""Our additional columns."""

SUMMARY = (
    "n_instances", "n_solved_successfully", "n_solved_correctly", "accuracy", "accuracy_correct",
    "n_solved_without_mistake", "accuracy_no_mistakes", "avg_factor_plan_length",
    "avg_factor_plan_length_correct", "n_reached_goal_without_stopping",
    "n_predicted_goal_erroneously", "unsuccessful_bec_not_reached_goal",
    "unsuccessful_bec_not_executable", "unsuccessful_bec_not_recog_goal", "n_look_arounds",
    "n_look_arounds_after_mistakes", "avg_interaction_length", "avg_optimal_plan_length",
    "avg_length_successful_interactions", "avg_length_unsuccessful_interactions",
    "n_reached_step_limit_wo_mistake", "n_reached_step_limit", "n_reached_break_limit",
    "avg_length_executable_plans", "successful_tasks", "successful_tasks_without_mistakes",
    "unsuccessful_tasks", "successful_tasks_with_mistakes", "correct_tasks",
)  # fmt: skip
"""The keys of the summary."""

COUNTED = {
    "n_solved_successfully": "solved_successfully",
    "n_solved_correctly": "reached_goal",
    "n_reached_goal_without_stopping": "reached_goal_without_stopping",
    **{name: name for name in SUMMARY if name.startswith("unsuccessful_bec")},
}
"""Keys of the summary that count the instances for which a column is true."""

STEPWISE = {
    "n_predicted_goal_erroneously": "predicted_goal_erroneously",
    "n_look_arounds": "look_arounds",
    "n_look_arounds_after_mistakes": "look_arounds_after_mistake",
    "n_reached_step_limit_wo_mistake": "reached_step_limit_wo_mistake",
    "n_reached_step_limit": "reached_step_limit",
    "n_reached_break_limit": "reached_break_limit",
}
"""Keys that are sums of a column, for runs step by step."""

ONLY_STEPWISE = ("solved_without_mistake", *STEPWISE.values())
"""The columns that are undefined for whole plans."""

OWN_SUMMARY = (
    "n_incomplete", "incomplete_tasks", "accuracy_of_all", "accuracy_correct_of_all",
    "accuracy_no_mistakes_of_all", "n_duplicates", "duplicate_tasks", "revalidated",
    "n_revalidated", "n_disagreements", "avg_factor_plan_length_successful",
    "avg_length_plans_to_goal", "avg_turns", "avg_mistakes", "avg_recovered_mistakes",
    "avg_repeated_states", "avg_wasted_actions", "outcome_solved", "outcome_solved_with_mistakes",
    "outcome_reached_not_recognised", "outcome_predicted_erroneously", "outcome_not_executable",
    "outcome_not_reached", "outcome_incomplete",
)  # fmt: skip
"""Our additional keys."""


SOURCE = "Source"
"""The first key of a summary: the path of the runs."""
_BEGINNINGS = (f"{SOURCE}\t".encode(), f"{COLUMNS[0]}\t".encode())
"""How a summary and a table of instances begin."""


def write_summary(path: str, source: str, summary: Mapping[str, Any]) -> None:
    """Write a summary, a line for each key; raises `ProblemError` where it cannot be written."""
    _write(path, [(SOURCE, source), *summary.items()])


def write_instances(
    path: str, columns: Sequence[str], instances: Iterable[Mapping[str, Any]]
) -> None:
    """Write a table of instances; raises `ProblemError` where it cannot be written."""
    rows = ([instance[column] for column in columns] for instance in instances)
    _write(path, [columns, *rows])


def shown_values(values: Mapping[str, Any], places: int) -> dict[str, Any]:
    """Return values for a table: rounded, NA for undefined ones, formulas escaped.

    >>> shown_values({"accuracy": 2 / 3, "avg_turns": None, "successful_tasks": [1, 2]}, 3)
    {'accuracy': 0.667, 'avg_turns': 'NA', 'successful_tasks': [1, 2]}
    """
    return {key: _shown(value, places) for key, value in values.items()}


def _shown(value: Any, places: int) -> Any:
    if value is None:
        return "NA"
    if isinstance(value, str):
        return as_cell(value)
    return round(value, places) if isinstance(value, float) else value


def _check_free(path: str) -> None:
    """Raise `ProblemError` where there is a file other than results, such as a config."""
    if not os.path.isfile(path):  # noqa: PTH113 - paths are shown as they were given
        return
    try:
        with Path(path).open("rb") as file:
            begin = file.read(len(max(_BEGINNINGS, key=len)))
    except OSError:
        begin = b""
    if begin and not begin.startswith(_BEGINNINGS):
        message = "not overwritten, because the existing file does not hold results"
        raise ProblemError(message, file=path)


def _write(path: str, rows: Iterable[Sequence[Any]]) -> None:
    _check_free(path)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"cannot make the folder of the results: {error.strerror}"
        raise ProblemError(reason, file=path) from None
    with new_file(path) as file:
        for row in rows:
            line = "\t".join(map(str, row)) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))
