"""Results as the original writes them: tables with tabs between the columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plangauge.compat.autoplanbench.columns import COLUMNS
from plangauge.errors import ProblemError
from plangauge.suites.files import new_file

_NO_BREAKS = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})
SOURCE = "Source"
"""The first key of a summary: where the runs are."""
_BEGINNINGS = (f"{SOURCE}\t".encode(), f"{COLUMNS[0]}\t".encode())
"""How a summary and a table of instances begin."""


def write_summary(path: str, source: str, summary: Mapping[str, Any]) -> None:
    """Write a summary, a line for each key; raises `ProblemError` where nothing can be written."""
    _write(path, [(SOURCE, source), *summary.items()])


def write_instances(
    path: str, columns: Sequence[str], instances: Iterable[Mapping[str, Any]]
) -> None:
    """Write a table of instances; raises `ProblemError` where nothing can be written."""
    rows = ([instance[column] for column in columns] for instance in instances)
    _write(path, [columns, *rows])


def shown_values(values: Mapping[str, Any], places: int) -> dict[str, Any]:
    """Return values as they stand in a table: rounded, and NA for what is not defined.

    >>> shown_values({"accuracy": 2 / 3, "avg_turns": None, "successful_tasks": [1, 2]}, 3)
    {'accuracy': 0.667, 'avg_turns': 'NA', 'successful_tasks': [1, 2]}
    """
    return {key: _shown(value, places) for key, value in values.items()}


def _shown(value: Any, places: int) -> Any:
    if value is None:
        return "NA"
    if isinstance(value, str):
        return value.translate(_NO_BREAKS)
    return round(value, places) if isinstance(value, float) else value


def _check_free(path: str) -> None:
    """Raise `ProblemError` where there is a file that holds no results, such as a config."""
    if not os.path.isfile(path):  # noqa: PTH113 - paths are shown as they were given
        return
    try:
        with Path(path).open("rb") as file:
            begin = file.read(len(max(_BEGINNINGS, key=len)))
    except OSError:
        begin = b""
    if begin and not begin.startswith(_BEGINNINGS):
        told = "not overwritten, because the file that is there holds something else than results"
        raise ProblemError(told, file=path)


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
