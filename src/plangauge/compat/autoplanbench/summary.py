"""The documented values of an experiment, over its instances, and ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from plangauge.compat.autoplanbench.columns import OWN_SUMMARY, SUMMARY
from plangauge.episodes.outcome import Outcome

Values: TypeAlias = Mapping[str, Any]


def summary_of(
    instances: Sequence[Values],
    incomplete: Sequence[Values],
    repeated: Sequence[Any],
    incremental: bool,
) -> dict[str, Any]:
    """Return the values of an experiment, unrounded; None stands for what is not defined.

    ``instances`` are the runs that count, one for each task, ``incomplete`` is what is known of
    tasks without a complete run, and ``repeated`` are the tasks of runs that do not count because
    there is a later one. Tasks are in the order of their numbers.
    """
    counted = _Counted(instances)
    found = _counts(counted, incremental) | _means(counted) | _tasks(counted, incremental)
    faultless = len(found["successful_tasks_without_mistakes"])
    solved, reached = counted.number("solved_successfully"), counted.number("reached_goal")
    tasks = len(instances) + len(incomplete)
    found |= {
        "n_solved_without_mistake": faultless,
        "accuracy": _share(solved, len(instances)),
        "accuracy_correct": _share(reached, len(instances)),
        "accuracy_no_mistakes": _share(faultless, len(instances)),
        "n_incomplete": len(incomplete),
        "incomplete_tasks": _ordered(each["task_ids"] for each in incomplete),
        "accuracy_of_all": _share(solved, tasks),
        "accuracy_correct_of_all": _share(reached, tasks),
        "accuracy_no_mistakes_of_all": _share(faultless, tasks),
        "n_duplicates": len(repeated),
        "duplicate_tasks": _ordered(dict.fromkeys(repeated)),
    }
    found |= _outcomes(counted, len(incomplete))
    return {name: found[name] for name in (*SUMMARY, *OWN_SUMMARY)}


class _Counted:
    """The instances that count."""

    def __init__(self, instances: Sequence[Values]) -> None:
        self.instances = instances

    def number(self, name: str) -> int:
        """Return for how many a column is true."""
        return sum(each[name] is True for each in self.instances)

    def total(self, name: str) -> int:
        return sum(each[name] or 0 for each in self.instances)

    def mean(self, name: str, chosen: Callable[[Values], Any] = lambda _: True) -> float | None:
        """Return the mean of a column over the chosen instances that have a value there."""
        values = [each[name] for each in self.instances if chosen(each) and each[name] is not None]
        return sum(values) / len(values) if values else None

    def tasks(self, chosen: Callable[[Values], Any]) -> list[Any]:
        return _ordered(each["task_ids"] for each in self.instances if chosen(each))


def _counts(counted: _Counted, incremental: bool) -> dict[str, Any]:
    stepwise = {
        "n_predicted_goal_erroneously": counted.number("predicted_goal_erroneously"),
        "n_look_arounds": counted.total("look_arounds"),
        "n_look_arounds_after_mistakes": counted.total("look_arounds_after_mistake"),
        "n_reached_step_limit_wo_mistake": counted.number("reached_step_limit_wo_mistake"),
        "n_reached_step_limit": counted.number("reached_step_limit"),
        "n_reached_break_limit": counted.number("reached_break_limit"),
    }
    return (stepwise if incremental else dict.fromkeys(stepwise)) | {
        "n_instances": len(counted.instances),
        "n_solved_successfully": counted.number("solved_successfully"),
        "n_solved_correctly": counted.number("reached_goal"),
        "n_reached_goal_without_stopping": counted.number("reached_goal_without_stopping"),
        **{
            name: counted.number(name)
            for name in (
                "unsuccessful_bec_not_reached_goal",
                "unsuccessful_bec_not_executable",
                "unsuccessful_bec_not_recog_goal",
            )
        },
        "n_revalidated": counted.number("revalidated"),
        "revalidated": bool(counted.instances)
        and counted.number("revalidated") == len(counted.instances),
        "n_disagreements": counted.total("n_disagreements"),
    }


def _means(counted: _Counted) -> dict[str, float | None]:
    def solved(each: Values) -> Any:
        return each["solved_successfully"]

    def unsolved(each: Values) -> Any:
        return not each["solved_successfully"]

    return {
        "avg_factor_plan_length": counted.mean("factor_plan_length_any"),
        "avg_factor_plan_length_successful": counted.mean("factor_plan_length"),
        "avg_factor_plan_length_correct": counted.mean("factor_plan_length_correct"),
        "avg_interaction_length": counted.mean("interaction_length"),
        "avg_turns": counted.mean("turns"),
        "avg_optimal_plan_length": counted.mean("optimal_plan_length"),
        "avg_length_successful_interactions": counted.mean("interaction_length", solved),
        "avg_length_unsuccessful_interactions": counted.mean("interaction_length", unsolved),
        "avg_length_executable_plans": counted.mean("successful_plan_length"),
        "avg_length_plans_to_goal": counted.mean("correct_plan_length"),
        "avg_mistakes": counted.mean("n_mistakes"),
        "avg_recovered_mistakes": counted.mean("recovered_mistakes"),
        "avg_repeated_states": counted.mean("repeated_states"),
        "avg_wasted_actions": counted.mean("wasted_actions"),
    }


def _tasks(counted: _Counted, incremental: bool) -> dict[str, list[Any]]:
    """Return the lists of tasks; whole plans that succeed are without mistake, as documented."""

    def faulty(each: Values) -> bool:
        return incremental and each["n_mistakes"] > 0 and each["solved_without_mistake"] is False

    return {
        "successful_tasks": counted.tasks(lambda v: v["solved_successfully"]),
        "successful_tasks_without_mistakes": counted.tasks(
            lambda v: v["solved_successfully"] and not faulty(v)
        ),
        "unsuccessful_tasks": counted.tasks(lambda v: not v["solved_successfully"]),
        "successful_tasks_with_mistakes": counted.tasks(
            lambda v: v["solved_successfully"] and faulty(v)
        ),
        "correct_tasks": counted.tasks(lambda v: v["reached_goal"]),
    }


def _outcomes(counted: _Counted, incomplete: int) -> dict[str, int]:
    found = {f"outcome_{outcome.value}": 0 for outcome in Outcome}
    for each in counted.instances:
        found[f"outcome_{each['outcome']}"] += 1
    found[f"outcome_{Outcome.INCOMPLETE.value}"] += incomplete
    return found


def _share(number: int, of: int) -> float | None:
    return number / of if of else None


def _ordered(tasks: Iterable[Any]) -> list[Any]:
    return sorted(tasks, key=task_order)


def task_order(task: Any) -> tuple[bool, int, str]:
    """Return what sorts tasks: numbers first, then names, then what has neither."""
    number = task if isinstance(task, int) else 0
    return not isinstance(task, int), number, "" if task is None else str(task)
