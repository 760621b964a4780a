"""Logs of runs: files of JSON lines, of any version, complete or truncated.

A file may contain API keys; they are redacted in all texts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from plangauge.benchmarks.autoplanbench.tables import COSTS
from plangauge.core.errors import ProblemError
from plangauge.core.redaction import hidden, hiding, secrets_in
from plangauge.scoring.stream import decode_row, shown

Task: TypeAlias = "int | str"

PLAN = "Plan Model"
FEEDBACK = "Env Feedback"
TRANSLATIONS = frozenset(("Translation Model", "RuleBased"))
_NAME = re.compile(r"instance-(?P<task>[^_.]+)(?:_(?P<time>\d{4}(?:-\d\d){5}))?")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SUFFIXES = (".jsonlines", ".jsonl")
_GOAL_FACT = re.compile(r"(?:not )?\(.*\)")
_USED_KEYS = frozenset(("model_config", "task", "type", "success", "total_time", "Failed"))
"""Lines with none of these keys, such as those with prompts, are not used."""
_OURS = ("type",)
"""The kind of an event, which is a name of the original, not a secret."""
_MOST_LISTED = 20
"""How many broken lines of a file are listed individually."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a run, and its line."""

    line: int
    kind: str
    text: str | list[str]
    executable: bool | None = None


@dataclass(slots=True)
class Log:
    """The file of a run.

    ``goal`` holds the goal facts of its summary, and whether each was reached at the end.
    ``issues`` are errors in the file; ``damaged`` is whether lines of the run itself are lost.
    """

    file: str
    task: Task | None = None
    time: str = ""
    """When the run began, by the name of the file."""
    model: str = ""
    approach: str = ""
    incremental: bool | None = None
    max_steps: int | None = None
    events: list[Event] = field(default_factory=list)
    success: bool | None = None
    """None without a summary."""
    reached_goal: bool = False
    first_reached: int | None = None
    stopping_reason: str | None = None
    goal: dict[str, bool] = field(default_factory=dict)
    summary_line: int | None = None
    costs: Mapping[str, Any] = field(default_factory=dict)
    failure: str | None = None
    """Why the run was aborted."""
    issues: list[ProblemError] = field(default_factory=list)
    damaged: bool = False
    foreign: bool = False
    """Whether it is not the log of a run at all."""

    @property
    def complete(self) -> bool:
        """Whether the run was completed."""
        if self.success is None or self.damaged:
            return False
        return self.failure is None or self.stopping_reason == "reached_token_limit"

    @property
    def why_incomplete(self) -> str:
        """Why the run counts as incomplete."""
        if self.damaged:
            return "lines of the run are broken"
        if self.failure is not None:
            return f"the run was broken off: {self.failure}"
        return "the run has no end: there is no line with its success"

    @property
    def order(self) -> tuple[str, str]:
        """The key to sort several runs of a task in the order in which they were made."""
        return self.time, self.file

    @property
    def instance(self) -> str:
        """The name of the instance."""
        return Path(self.file).name if self.task is None else f"instance-{self.task}"


def log_files(path: str) -> list[str]:
    """Return the files of an experiment, sorted by name: a file, or those of a folder.

    Hidden files are left out. Raises `ProblemError` where there is no such path.
    """
    if os.path.isfile(path):  # noqa: PTH113 - paths are shown as they were given
        return [path]
    try:
        names = sorted(os.listdir(path))  # noqa: PTH208
    except OSError as error:
        raise ProblemError(f"cannot read the folder: {error.strerror}", file=path) from error
    files = (os.path.join(path, name) for name in names if not name.startswith("."))  # noqa: PTH118
    return [file for file in files if os.path.isfile(file)]  # noqa: PTH113


def rows_of(file: str) -> list[tuple[int, Mapping[str, Any] | ProblemError]]:
    """Return the number of each line that is not blank, and the object in it or an error.

    Secrets, which the file may declare anywhere, are redacted in all texts. An object that is not
    used is empty. Raises `ProblemError` where the file cannot be read.
    """
    rows = [*_rows(file)]
    configs = (row for _, row in rows if isinstance(row, Mapping) and "model_config" in row)
    hide = hiding((secret for row in configs for secret in secrets_in(_config(row))), looks=True)
    return [(n, row if isinstance(row, ProblemError) else _safe(row, hide)) for n, row in rows]


def _config(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration without the task, which is not secret."""
    return {key: value for key, value in row.items() if key != "task"}


def _safe(row: Mapping[str, Any], hide: Callable[[str], str]) -> Mapping[str, Any]:
    """Return an object without secrets; of its keys, only goal facts may contain one."""
    safe = {hide(name) if "(" in name else name: value for name, value in row.items()}
    redacted: Mapping[str, Any] = hidden(safe, hide, _OURS)
    return redacted


def _rows(file: str) -> Iterator[tuple[int, Mapping[str, Any] | ProblemError]]:
    try:
        with Path(file).open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                content = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
                if content.strip():
                    yield number, _row(content, file, number)
    except OSError as error:
        raise ProblemError(f"cannot read the file: {error.strerror}", file=file) from None


def read_log(file: str) -> Log:
    """Return the log in a file; raises `ProblemError` where it cannot be read at all."""
    name = _NAME.search(Path(file).name)
    log = Log(file, time=(name["time"] or "") if name else "")
    broken: list[ProblemError] = []
    last = 0
    for number, row in rows_of(file):
        last = number
        if isinstance(row, ProblemError):
            broken.append(row)
        else:
            _take(log, number, row)
    if log.task is None:
        log.task = task_in(Path(file).name)
    _note_broken(log, broken, last)
    if log.task is None:
        known = Path(file).suffix.lower() in _SUFFIXES
        log.foreign = log.success is None and not log.events and not known
        message = "no number of a task, neither in a line with 'task' nor in the file's name"
        message = "this is no run of AutoPlanBench" if log.foreign else message
        log.issues[:0] = [ProblemError(message, file=file, line=1)]
    return log


def task_in(name: str) -> Task | None:
    """Return the task in the name of a file; None if there is none.

    >>> task_in("openai_chat_instance-7_2026-01-01-00-00-06.jsonlines"), task_in("x.jsonl")
    (7, None)
    """
    found = _NAME.search(name)
    if not found:
        return None
    return int(found["task"]) if found["task"].isdecimal() else found["task"]


def _row(line: bytes, file: str, number: int) -> Mapping[str, Any] | ProblemError:
    try:
        row = decode_row(line)
    except ProblemError as error:
        reason = error.reason.partition(" such as")[0]
        return ProblemError(f"this line is passed over: {reason}", file=file, line=number)
    return {} if _USED_KEYS.isdisjoint(row) else row


def _note_broken(log: Log, broken: list[ProblemError], last: int) -> None:
    """Record broken lines; those after the summary do not damage the run."""
    end = log.summary_line
    log.damaged = any(end is None or (error.line or 0) < end for error in broken)
    for error in broken[:_MOST_LISTED]:
        torn = error.line == last and end is None
        hint = "; the file seems to be cut off here" if torn else ""
        log.issues.append(ProblemError(error.reason + hint, file=log.file, line=error.line))
    if len(broken) > _MOST_LISTED:
        message = f"{len(broken) - _MOST_LISTED} more lines are passed over"
        log.issues.append(ProblemError(message, file=log.file, line=broken[_MOST_LISTED].line))


def _take(log: Log, number: int, row: Mapping[str, Any]) -> None:
    if "model_config" in row or "task" in row:
        _take_metadata(log, number, row)
    if "type" in row:
        _take_event(log, number, row)
    if "success" in row:
        _take_summary(log, number, row)
    if "total_time" in row:
        # The original writes null for 0.
        found = {key: 0 if row[key] is None else row[key] for key in COSTS if key in row}
        log.costs = {key: value for key, value in found.items() if _is_number(value)}
    if "Failed" in row:
        log.failure = _failure(row)


def _failure(row: Mapping[str, Any]) -> str:
    """Return the error of a run in brief."""
    kind, message = str(row.get("Error_type", "")), str(row.get("Error_message", ""))
    reason = " ".join(filter(None, (re.sub(r"<class '(.*)'>", r"\1:", kind), message)))
    return shown(reason)[1:-1] if reason else "it failed"


def _take_metadata(log: Log, number: int, row: Mapping[str, Any]) -> None:
    task = row.get("task")
    named = task.get("task_num") if isinstance(task, dict) else None
    if isinstance(named, int | str) and not isinstance(named, bool):
        log.task = named
    else:
        message = f"'task_num' must be a number or a name, not {shown(named)}"
        log.issues.append(ProblemError(message, file=log.file, line=number))
    config = row.get("model_config")
    plan = config.get("plan") if isinstance(config, dict) else None
    if isinstance(plan, dict):
        log.model = str(plan.get("model_path") or plan.get("model_name") or "")
    if isinstance(row.get("incremental"), bool):
        log.incremental = row["incremental"]
    if isinstance(row.get("max_steps"), int):
        log.max_steps = row["max_steps"]
    log.approach = str(row.get("planning_approach") or "")


def _take_event(log: Log, number: int, row: Mapping[str, Any]) -> None:
    text = row.get("text")
    if not isinstance(text, str):
        text = [str(part) for part in text] if isinstance(text, list) else ""
    flag = row.get("executable")
    log.events.append(
        Event(number, str(row["type"]), text, flag if isinstance(flag, bool) else None)
    )


def _take_summary(log: Log, number: int, row: Mapping[str, Any]) -> None:
    log.success, log.reached_goal = row["success"] is True, row.get("reached_goal") is True
    log.summary_line = number
    first, reason = row.get("step_reached_goal_first"), row.get("stopping_reason")
    log.first_reached = first if isinstance(first, int) else None
    log.stopping_reason = reason if isinstance(reason, str) and reason != "NA" else None
    log.goal = {
        key: value[0] is True
        for key, value in row.items()
        if _GOAL_FACT.fullmatch(key) and isinstance(value, list) and value
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
