"""The config of AutoPlanBench's evaluation, entry by entry."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plangauge.core.errors import ProblemError, did_you_mean
from plangauge.suites.files import read_bytes

_LIST = "data_to_eval"
_START = re.compile(rf'"{_LIST}"\s*:\s*\[\s*')
_NEXT = re.compile(r"\s*,?\s*")
_TEXT, _TEXT_OR_NULL, _YES_OR_NO = "a path", "a path or null", "true or false"
_KEYS: Mapping[str, str] = {
    "generated_plans_path": _TEXT,
    "evaluation_results_file": _TEXT,
    "gold_plan_dir": _TEXT_OR_NULL,
    "is_complete_plan": "true, false or null",
    "summarized": _YES_OR_NO,
    "n_decimals": "a number from 0 to 15",
    "domain_file": _TEXT_OR_NULL,
    "instance_dir": _TEXT_OR_NULL,
}
_NEEDED = ("generated_plans_path", "evaluation_results_file", "gold_plan_dir")


@dataclass(frozen=True)
class Entry:
    """An experiment, with the paths of its results and data.

    ``is_complete_plan`` is whether models gave whole plans; None if the config does not say.
    ``domain_file`` and ``instance_dir`` are the paths of the problems; None for AutoPlanBench's
    defaults, beside the gold plans.
    """

    generated_plans_path: str
    evaluation_results_file: str
    gold_plan_dir: str | None
    is_complete_plan: bool | None = None
    summarized: bool = True
    n_decimals: int = 6
    domain_file: str | None = None
    instance_dir: str | None = None
    place: str = ""
    """The file and the line of the entry."""


def read_config(path: str | Path) -> list[Entry | ProblemError]:
    """Return the entries of a config, with an error in place of each invalid one.

    Paths are unchanged: they are relative to the folder in which the command runs. Raises
    `ProblemError` where the file as a whole cannot be read.
    """
    file = str(path)
    text = read_bytes(Path(path)).decode("utf-8-sig", "replace")
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_json(error, file, text) from None
    rows = config.get(_LIST) if isinstance(config, dict) else None
    if not isinstance(rows, list):
        raise ProblemError(f'expected an object with a list of entries: {{"{_LIST}": […]}}',
                           file=file)  # fmt: skip
    if not rows:
        raise ProblemError(f'"{_LIST}" has no entries: there is nothing to evaluate', file=file)
    lines = [*_lines(text, rows)]
    return [_entry(row, file, line) for row, line in zip(rows, lines, strict=True)]


def _not_json(error: Exception, file: str, text: str) -> ProblemError:
    if not isinstance(error, json.JSONDecodeError):
        return ProblemError(f"not JSON: {error}", file=file)
    python = re.match(r"True|False|None", text[error.pos :])
    hint = "; JSON writes true, false and null" if python else ""
    return ProblemError(
        f"not JSON: {error.msg}{hint}", file=file, line=error.lineno, column=error.colno
    )


def _lines(text: str, rows: Sequence[Any]) -> Iterator[int | None]:
    """Yield the line in which each entry begins; None if it is unknown."""
    start = _START.search(text)
    position, line, decoder = 0, 1, json.JSONDecoder()
    for row in rows:
        if start is not None:
            begin = start.end()
            line += text.count("\n", position, begin)
            position = begin
            start = _next(text, position, decoder, row)
        yield None if start is None else line


def _next(text: str, position: int, decoder: json.JSONDecoder, row: Any) -> re.Match[str] | None:
    """Return the separator of an entry from the next; None if the entry differs."""
    try:
        value, end = decoder.raw_decode(text, position)
    except ValueError:
        return None
    return _NEXT.match(text, end) if value == row else None


def _entry(row: Any, file: str, line: int | None) -> Entry | ProblemError:
    wrong = [*_wrong(row)]
    if wrong:
        return ProblemError(f"this entry is passed over: {'; '.join(wrong)}", file=file, line=line)
    given = {key: value for key, value in row.items() if value is not None}
    given.setdefault("gold_plan_dir", None)
    return Entry(**given, place=file if line is None else f"{file}:{line}")


def _wrong(row: Any) -> Iterator[str]:
    if not isinstance(row, dict):
        yield "it is not an object"
        return
    for key in _NEEDED:
        if key not in row:
            yield f"{key!r} is missing"
    for key, value in row.items():
        if key not in _KEYS:
            yield f"there is no key {key!r}{did_you_mean(key, _KEYS)}"
        elif not _fits(value, key):
            yield f"{key!r} must be {_KEYS[key]}"


def _fits(value: Any, key: str) -> bool:
    kind = _KEYS[key]
    if value is None:
        return kind not in (_TEXT, _YES_OR_NO)
    if kind in (_TEXT, _TEXT_OR_NULL):
        return isinstance(value, str) and _is_path(value)
    if isinstance(value, bool):
        return key in ("is_complete_plan", "summarized")
    return key == "n_decimals" and isinstance(value, int) and 0 <= value <= 15


def _is_path(text: str) -> bool:
    try:
        return bool(os.fsencode(text)) and "\0" not in text
    except UnicodeEncodeError:  # a lone surrogate
        return False
