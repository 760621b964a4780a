"""The names and the order of what stands in the results."""

from __future__ import annotations

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
"""Those of them that the log states as they are."""

OWN_COLUMNS = (
    "outcome", "plan_length", "factor_plan_length_any", "turns", "thoughts", "first_mistake_turn",
    "first_mistake", "recovered_mistakes", "repeated_states", "wasted_actions", "revalidated",
    "n_disagreements", "model", "file",
)  # fmt: skip
"""The columns that we add behind them."""

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

OWN_SUMMARY = (
    "n_incomplete", "incomplete_tasks", "accuracy_of_all", "accuracy_correct_of_all",
    "accuracy_no_mistakes_of_all", "n_duplicates", "duplicate_tasks", "revalidated",
    "n_revalidated", "n_disagreements", "avg_factor_plan_length_successful",
    "avg_length_plans_to_goal", "avg_turns", "avg_mistakes", "avg_recovered_mistakes",
    "avg_repeated_states", "avg_wasted_actions", "outcome_solved", "outcome_solved_with_mistakes",
    "outcome_reached_not_recognised", "outcome_predicted_erroneously", "outcome_not_executable",
    "outcome_not_reached", "outcome_incomplete",
)  # fmt: skip
"""The keys that we add behind them."""
