"""What becomes of the file of one run; the part of an evaluation that processes share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from plangauge.batch.stream import decode_row
from plangauge.compat.autoplanbench.config import Entry
from plangauge.compat.autoplanbench.gold import gold_file, gold_length
from plangauge.compat.autoplanbench.instance import incomplete_of, instance_of
from plangauge.compat.autoplanbench.logs import FEEDBACK, Log, Task, read_log, task_in
from plangauge.compat.autoplanbench.places import load, problem_files, why_another
from plangauge.compat.autoplanbench.recording import record_of
from plangauge.compat.autoplanbench.replay import replay
from plangauge.compat.autoplanbench.transcripts import (
    is_transcript,
    read_transcript,
    replay_transcript,
    why_other_files,
)
from plangauge.episodes.outcome import result_of
from plangauge.episodes.transcript import Transcript
from plangauge.errors import ProblemError
from plangauge.records import Record
from plangauge.worlds.base import Problem

UNKNOWN = "it is not known where the domain and the problems are"


@dataclass
class Found:
    """A run: its values, or why it is incomplete.

    ``order`` puts the runs of a task in the order in which they were made.
    """

    file: str
    task: Task | None = None
    model: str = ""
    order: tuple[str, str] = ("", "")
    incremental: bool = False
    instance: dict[str, Any] | None = None
    incomplete: dict[str, Any] | None = None
    record: Record | None = None
    why_not_revalidated: str | None = None
    about_another: bool = False
    """Whether the run is about another problem than the one that has its number."""
    problems: list[ProblemError] = field(default_factory=list)
    disagreements: list[ProblemError] = field(default_factory=list)


def find(entries: Sequence[Entry], recorded: bool, number: int, line: bytes) -> Found:
    """Return what there is in a file; ``line`` names it, and the entry that it belongs to."""
    del number
    row = decode_row(line)
    return read_run(row["file"], entries[row["entry"]], recorded)


def read_run(file: str, entry: Entry, recorded: bool = False) -> Found:
    """Return what there is in the file of a run, with its record if asked for.

    Never raises, whatever the file holds.
    """
    found = Found(file)
    transcript: Transcript | None = None
    try:
        if is_transcript(file):
            log, transcript = read_transcript(file)
        else:
            log = read_log(file)
    except ProblemError as error:
        log = Log(file, task=task_in(file), damaged=True, amiss=[error])
    found.problems += log.amiss[:1] if log.foreign else log.amiss
    found.task, found.model, found.order = log.task, log.model, log.order
    found.incremental = _is_incremental(log, entry, found)
    if not log.complete:
        found.incomplete = None if log.foreign else incomplete_of(log)
        if recorded and not log.foreign:
            found.record = record_of(log, entry, None, None, None)
        return found
    problem = _problem(log, transcript, entry, found)
    if transcript is None:
        run = replay(log, problem, found.incremental)
    else:
        run = replay_transcript(log, transcript, problem)
    gold = transcript.reference if transcript else None
    if not found.about_another:  # else the gold plan is that of the other problem, too
        gold = _gold(log, entry, found, gold)
    found.disagreements = run.disagreements
    result = result_of(run.turns, initially=run.initially, reference=gold)
    found.instance = instance_of(log, run, result, gold)
    if recorded:
        found.record = record_of(log, entry, run, result, gold)
    return found


def _is_incremental(log: Log, entry: Entry, found: Found) -> bool:
    """Return whether a run went step by step: what its log says counts, not the config."""
    if log.incremental is None:
        if entry.is_complete_plan is not None:
            return not entry.is_complete_plan
        return any(event.kind == FEEDBACK for event in log.events)
    if entry.is_complete_plan is log.incremental:
        kind = "went step by step" if log.incremental else "is one of whole plans"
        written = "true" if entry.is_complete_plan else "false"
        message = f"this run {kind}, but 'is_complete_plan' is {written}; the log counts"
        found.problems.append(ProblemError(message, file=log.file, line=1))
    return log.incremental


def _problem(
    log: Log, transcript: Transcript | None, entry: Entry, found: Found
) -> Problem[int] | None:
    """Return the problem of a run; None where there is none, or another one."""
    files = problem_files(entry, log.task) if log.task is not None else None
    if files is None:
        found.why_not_revalidated = UNKNOWN
        return None
    for file in files:
        if not os.path.exists(file):  # noqa: PTH110 - paths are shown as they were given
            found.why_not_revalidated = f"there is no file {file}"
            if entry.domain_file is not None or entry.instance_dir is not None:
                found.problems.append(ProblemError("there is no such file", file=file))
            return None
    try:
        problem = load(*files)
        why = why_other_files(transcript, *files) if transcript else why_another(log, problem)
    except ProblemError as error:
        found.why_not_revalidated = f"{files[1]} cannot be read"
        found.problems.append(error)
        return None
    if why:
        found.why_not_revalidated = f"{files[1]} is another problem"
        found.about_another = True
        message = "neither executed again nor compared with a gold plan, because the run is not"
        message = f"{message} about {files[1]}: {why}"
        found.problems.append(ProblemError(message, file=log.file, line=log.summary_line))
        return None
    return problem


def _gold(log: Log, entry: Entry, found: Found, known: int | None) -> int | None:
    """Return the length of the gold plan; without one, the length that is ``known``, if any."""
    if log.task is None or not has_gold_plans(entry.gold_plan_dir):
        return known
    file = gold_file(entry.gold_plan_dir, log.task)
    if known is not None and not os.path.exists(file):  # noqa: PTH110
        return known
    try:
        length = gold_length(file)
    except ProblemError as error:
        found.problems.append(error)
        return None
    if length == 0:
        message = "the gold plan has no actions, so lengths cannot be compared with it"
        found.problems.append(ProblemError(message, file=file, line=1))
    return length


def has_gold_plans(folder: str | None) -> bool:
    """Return whether there is a folder of gold plans at all."""
    return folder is not None and os.path.isdir(folder)  # noqa: PTH112
