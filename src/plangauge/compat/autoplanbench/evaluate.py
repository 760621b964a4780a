"""Evaluating experiments, one after another; what is wrong with one does not stop the others."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from plangauge.batch.stream import encode_row, stream
from plangauge.compat.autoplanbench import tables
from plangauge.compat.autoplanbench.columns import COLUMNS, OWN_COLUMNS
from plangauge.compat.autoplanbench.config import Entry, read_config
from plangauge.compat.autoplanbench.logs import log_files
from plangauge.compat.autoplanbench.reading import Found, find, has_gold_plans
from plangauge.compat.autoplanbench.summary import summary_of, task_order
from plangauge.errors import ProblemError
from plangauge.records import Record

Values: TypeAlias = Mapping[str, Any]


@dataclass
class Evaluated:
    """An experiment: its summary and its instances, unrounded, and what is wrong with it.

    ``summary`` is None where there are no results; ``entry``, where the config has none there.
    ``problems`` say what could not be used. ``repeated`` are runs that do not count because there
    is a later one of the same task and model; ``incomplete`` are tasks without a complete run.
    """

    entry: Entry | None
    summary: Values | None = None
    instances: Sequence[Values] = ()
    incomplete: Sequence[Values] = ()
    repeated: Sequence[Values] = ()
    disagreements: Sequence[ProblemError] = ()
    not_revalidated: Mapping[str, int] = field(default_factory=dict)
    """Why runs were not executed again → how many."""
    problems: list[ProblemError] = field(default_factory=list)
    records: Sequence[Record] = ()
    """The records of the runs that count; none for an entry whose runs were told before."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        entry = self.entry
        return {
            "source": entry and entry.generated_plans_path,
            "results": entry and entry.evaluation_results_file,
            "summary": self.summary,
            "instances": [*self.instances],
            "incomplete": [*self.incomplete],
            "repeated": [*self.repeated],
            "not_revalidated": dict(self.not_revalidated),
            "disagreements": [*map(_as_row, self.disagreements)],
            "problems": [*map(_as_row, self.problems)],
        }


def evaluate(
    config: str | Path,
    jobs: int = 1,
    started: Callable[[int], Callable[[int], object]] = lambda _: lambda _: None,
    recorded: bool = False,
) -> Iterator[Evaluated]:
    """Evaluate the experiments of a config and write their results; yield each when it is done.

    ``started`` is told how many files there are, and gives what is called with 1 after each;
    records are made where they are asked for. Raises `ProblemError` where the config cannot be
    read.
    """
    entries = read_config(config)
    keys = Counter(_key(entry) for entry in entries if isinstance(entry, Entry))
    experiments = [_Experiment.of(key) for key in keys]
    progress = started(sum(len(experiment.files) for experiment in experiments))
    outcomes, upcoming = _outcomes(experiments, jobs, progress, recorded), iter(experiments)
    done: dict[Entry, Evaluated] = {}
    written: dict[str, Entry] = {}
    for entry in entries:
        if isinstance(entry, ProblemError):
            yield Evaluated(None, problems=[entry])
            continue
        key = _key(entry)
        if key not in done:
            experiment = next(upcoming)
            done[key] = _evaluated(experiment, islice(outcomes, len(experiment.files)))
        found = replace(done[key], entry=entry, problems=[*done[key].problems])
        done[key].records = ()
        keys[key] -= 1
        if not keys[key]:
            del done[key]
        if found.summary is not None:
            _write(found, entry, written)
        yield found


@dataclass
class _Experiment:
    """A folder of runs, evaluated once for all entries that name it."""

    key: Entry
    files: Sequence[str]
    problem: ProblemError | None = None

    @classmethod
    def of(cls, key: Entry) -> _Experiment:
        try:
            return cls(key, log_files(key.generated_plans_path))
        except ProblemError as error:
            return cls(key, (), error)


def _key(entry: Entry) -> Entry:
    """Return the entry without what only its output depends on."""
    return replace(entry, evaluation_results_file="", summarized=True, n_decimals=6, place="")


def _outcomes(
    experiments: Sequence[_Experiment],
    jobs: int,
    progress: Callable[[int], object],
    recorded: bool,
) -> Iterator[Found]:
    lines = (
        encode_row({"file": file, "entry": number})
        for number, experiment in enumerate(experiments)
        for file in experiment.files
    )
    work = partial(find, tuple(experiment.key for experiment in experiments), recorded)
    for found in stream(lines, work, jobs=jobs):
        progress(1)
        yield found


def _evaluated(experiment: _Experiment, outcomes: Iterator[Found]) -> Evaluated:
    runs = [*outcomes]
    done = Evaluated(experiment.key)
    if experiment.problem is not None:
        done.problems.append(experiment.problem)
        return done
    done.problems = _unique(problem for run in runs for problem in run.problems)
    done.problems += _of_the_folder(experiment, runs)
    counted, done.repeated = _counted(runs)
    done.instances = [run.instance for run in counted if run.instance is not None]
    done.incomplete = [run.incomplete for run in counted if run.incomplete is not None]
    done.records = [run.record for run in counted if run.record is not None]
    done.disagreements = [each for run in counted for each in run.disagreements]
    reasons = Counter(run.why_not_revalidated for run in counted if run.why_not_revalidated)
    done.not_revalidated = dict(reasons)
    repeated = [each["task_ids"] for each in done.repeated]
    done.summary = summary_of(
        done.instances, done.incomplete, repeated, _mode(experiment.key, counted)
    )
    return done


def _of_the_folder(experiment: _Experiment, runs: Sequence[Found]) -> Iterator[ProblemError]:
    key = experiment.key
    unknown = any(run.instance and run.instance["optimal_plan_length"] is None for run in runs)
    if unknown and not has_gold_plans(key.gold_plan_dir):
        told = "'gold_plan_dir' is null" if key.gold_plan_dir is None else "there is no such folder"
        message = f"{told}: without gold plans, lengths cannot be compared with them"
        yield ProblemError(message, file=key.gold_plan_dir)
    if not runs:
        yield ProblemError("there are no files", file=key.generated_plans_path)
    elif not any(run.instance for run in runs):
        yield ProblemError("there is no complete run", file=key.generated_plans_path)


def _mode(key: Entry, counted: Sequence[Found]) -> bool:
    """Return whether an experiment went step by step: what all of its runs say, or the config."""
    told = {run.incremental for run in counted}
    return told.pop() if len(told) == 1 else not key.is_complete_plan


def _counted(runs: Sequence[Found]) -> tuple[list[Found], list[Values]]:
    """Return the run that counts for each task and model, the last complete one, and the others."""
    groups: dict[tuple[str, Any], list[Found]] = {}
    for run in runs:
        if run.instance is not None or run.incomplete is not None:
            name = run.file if run.task is None else run.task
            groups.setdefault((run.model, name), []).append(run)
    counted: list[Found] = []
    repeated: list[Values] = []
    for group in groups.values():
        *others, last = sorted(group, key=lambda run: (run.instance is not None, run.order))
        counted.append(last)
        repeated += (
            {"task_ids": run.task, "file": run.file, "counted": last.file} for run in others
        )
    return sorted(counted, key=lambda run: (task_order(run.task), run.order)), repeated


def _unique(problems: Iterator[ProblemError]) -> list[ProblemError]:
    return [*{str(problem): problem for problem in problems}.values()]


def _write(done: Evaluated, entry: Entry, written: dict[str, Entry]) -> None:
    path = entry.evaluation_results_file
    place = os.path.abspath(path)  # noqa: PTH100
    if place in written:
        message = f"not written, because the entry at {written[place].place} has the same file"
        done.problems.append(ProblemError(message, file=path))
        return
    written[place] = entry
    try:
        if entry.summarized:
            summary = tables.shown_values(done.summary or {}, entry.n_decimals)
            tables.write_summary(path, entry.generated_plans_path, summary)
        else:
            rows = (tables.shown_values(each, entry.n_decimals) for each in done.instances)
            tables.write_instances(path, (*COLUMNS, *OWN_COLUMNS), rows)
    except ProblemError as error:
        done.problems.append(error)


def _as_row(problem: ProblemError) -> dict[str, Any]:
    return {"file": problem.file, "line": problem.line, "message": problem.reason}
