"""The overview as a file: rounded for people, with every digit for machines."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from plangauge.reports.cells import TEXTS, cell, headings
from plangauge.reports.outcomes import FAULTS, GOAL_MISSED
from plangauge.reports.overview import Overview, Row
from plangauge.reports.sheets import (
    Sheet,
    as_separated,
    for_people,
    format_of,
    parquet,
)
from plangauge.suites.files import as_page, new_file


def write_table(table: Overview, path: str | Path) -> None:
    """Write the table to a file; the ending of its name says in which of the `FORMATS`.

    It appears only when it is complete. Raises `ProblemError` for another ending or where nothing
    can be written, `MissingExtra` for Parquet without DuckDB.
    """
    data = FORMATS[format_of(path, FORMATS)](table)
    with new_file(path) as file:
        file.write(data)


def flat(row: Row) -> dict[str, Any]:
    """Return a row as plain values, with a column for each fault that a plan can have.

    Faults of other worlds are together in ``fault_other``.
    """
    values = {part.name: getattr(row, part.name) for part in fields(row) if part.name != "faults"}
    values["caveats"] = "; ".join(row.caveats)
    names = (*FAULTS, GOAL_MISSED)
    for name in names:
        values[f"fault_{name.replace(' ', '_')}"] = row.faults.get(name, 0)
    values["fault_other"] = sum(row.faults.values()) - sum(row.faults.get(n, 0) for n in names)
    return values


def _csv(table: Overview) -> bytes:
    return as_separated(_columns(), (flat(row).values() for row in table.rows))


def _tsv(table: Overview) -> bytes:
    return as_separated(_columns(), (flat(row).values() for row in table.rows), "\t")


def _json(table: Overview) -> bytes:
    return as_page(table.as_dict())


def _parquet(table: Overview) -> bytes:
    return parquet(_columns(), map(flat, table.rows))


def _columns() -> dict[str, str]:
    """Return the names of the columns for machines, and the type of each in SQL."""
    types = {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "float | None": "DOUBLE"}
    types["list[str]"] = "VARCHAR"
    named = {part.name: types[str(part.type)] for part in fields(Row) if part.name != "faults"}
    names = (*FAULTS, GOAL_MISSED, "other")
    return named | {f"fault_{name.replace(' ', '_')}": "BIGINT" for name in names}


def _sheet(table: Overview) -> Sheet:
    """Return the table for people: the headings, and the text of each cell."""
    names = [*table.by, *headings(table)]
    rows = [[cell(row, name) for name in names] for row in table.rows]
    return Sheet(
        "Overview", names, rows, TEXTS, [*table.remarks, *table.caveats(), *table.definitions()]
    )


FORMATS = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".json": _json,
    **for_people(_sheet),
    ".parquet": _parquet,
}
"""Ending of a file's name → what writes the table so."""
