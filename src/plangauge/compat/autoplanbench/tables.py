"""Results as the original writes them: tables with tabs between the columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plangauge.suites.files import new_file

SOURCE = "Source"
"""The first key of a summary: where the runs are."""


def write_summary(path: str, source: str, summary: Mapping[str, Any]) -> None:
    """Write a summary, a line for each key; raises `ProblemError` where nothing can be written."""
    _write(path, [(SOURCE, source), *summary.items()])


def write_instances(
    path: str, columns: Sequence[str], instances: Iterable[Mapping[str, Any]]
) -> None:
    """Write a table of instances; raises `ProblemError` where nothing can be written."""
    rows = ([instance[column] for column in columns] for instance in instances)
    _write(path, [columns, *rows])


def _write(path: str, rows: Iterable[Sequence[Any]]) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with new_file(path) as file:
        for row in rows:
            line = "\t".join(map(str, row)) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))
