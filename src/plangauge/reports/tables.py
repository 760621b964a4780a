"""The overview in words and as a file: rounded for people, with every digit for machines."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from plangauge.reports.outcomes import FAULTS, GOAL_MISSED
from plangauge.reports.overview import Overview, Row
from plangauge.reports.scales import scale_of
from plangauge.reports.sheets import Sheet, Table, for_people, parquet, separated, write_as
from plangauge.statistics import LEVEL
from plangauge.suites.files import as_page

TEXTS = ("model", "task", "domain", "score", "faults")
"""The columns that are texts; all others are numbers."""

INTERVAL = f"{LEVEL:.0%} interval"
_SHARES = {name: name for name in ("right", "exact", "near", "far", "missing", "uncertain")} | {
    "unread": "unreadable",
    "sure right": "right_certain",
}
_MEANS = {"mean": "mean", "sure mean": "mean_certain"}
_SHOWN_FAULTS = 2
_PARTS = ("faults", "secondary")
"""The fields of a row that have several columns."""


def headings(table: Overview) -> list[str]:
    """Return the headings of what was measured; a column that would say nothing is left out."""
    missing = ["missing"] if any(row.missing for row in table.rows) else []
    faults = ["faults"] if any(row.faults for row in table.rows) else []
    shares = ["right", "exact", "near", "far", "unread"]
    if all(row.exact is None for row in table.rows):
        shares = [name for name in shares if name not in ("exact", "near", "far")]
    doubt = ["uncertain", "sure mean", "sure right"] if table.uncertain else []
    graded = [scale_of(name).text for name in table.secondary]
    return ["score", "n", "problems", "mean", INTERVAL, *shares, *missing, *doubt, *graded, *faults]


def cell(row: Row, heading: str) -> str:
    """Return what stands under a heading, or under the name of a part that rows are grouped by."""
    if heading in _SHARES:
        return percent(getattr(row, _SHARES[heading]))
    if heading == "n" and row.scored < row.n:
        return f"{row.scored:,} of {row.n:,}"
    if heading in ("n", "problems"):
        return f"{getattr(row, heading):,}"
    if heading in _MEANS:
        return number(getattr(row, _MEANS[heading]))
    if heading == INTERVAL:
        return interval(row.low, row.high)
    if heading == "score":
        return f"{row.label} ↓" if row.better == "lower" else row.label
    if heading == "faults":
        return _faults(row)
    secondary = {scale_of(name).text: value for name, value in row.secondary.items()}
    return str(getattr(row, heading)) if hasattr(row, heading) else number(secondary.get(heading))


def number(value: float | None) -> str:
    """Return a score as text, with three digits after the point.

    >>> number(0.25)
    '0.250'
    """
    return "–" if value is None else f"{value:.3f}"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval as text.

    >>> interval(0.25, 0.5)
    '[0.250, 0.500]'
    """
    return "–" if low is None or high is None else f"[{number(low)}, {number(high)}]"


def chance(p: float | None) -> str:
    """Return a p-value as text.

    >>> chance(0.04), chance(0.0004)
    ('0.040', '<0.001')
    """
    return "–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def percent(value: float | None) -> str:
    """Return a share as text; only nothing is 0%, and only all is 100%.

    >>> percent(7 / 501), percent(0.0001), percent(0.9999)
    ('1.4%', '<0.1%', '>99.9%')
    """
    if value is None:
        return "–"
    if 0 < value < 0.0005 or 0.9995 <= value < 1:
        return "<0.1%" if value < 0.5 else ">99.9%"
    return f"{value:.1%}"


def _faults(row: Row) -> str:
    """Return the commonest faults."""
    shown = [f"{name.replace('_', ' ')} {count:,}" for name, count in row.faults.items()]
    more = [f"{len(shown) - _SHOWN_FAULTS} more"] if len(shown) > _SHOWN_FAULTS + 1 else []
    return ", ".join([*shown[:_SHOWN_FAULTS], *more] if more else shown)


def write_table(table: Overview, path: str | Path, *, raw: bool = False) -> None:
    """Write the table to a file; the ending of its name says in which of the `FORMATS`.

    It appears only when it is complete. ``raw`` leaves texts in .csv and .tsv as they are, even
    where a spreadsheet takes them for formulas. Raises `ProblemError` for another ending or where
    nothing can be written, `MissingExtra` for Parquet without DuckDB.
    """
    write_as(path, FORMATS, table, raw=raw)


def flat(row: Row) -> dict[str, Any]:
    """Return a row as plain values, with a column for each fault that a plan can have.

    Faults of other worlds are together in ``fault_other``; secondary scores have columns, too.
    """
    values = {part.name: getattr(row, part.name) for part in fields(row) if part.name not in _PARTS}
    values["caveats"] = "; ".join(row.caveats)
    values |= {f"secondary_{name}": value for name, value in row.secondary.items()}
    names = (*FAULTS, GOAL_MISSED)
    for name in names:
        values[f"fault_{name.replace(' ', '_')}"] = row.faults.get(name, 0)
    values["fault_other"] = sum(row.faults.values()) - sum(row.faults.get(n, 0) for n in names)
    return values


def _table(table: Overview) -> Table:
    columns = _columns(table)
    rows = map(flat, table.rows)
    return [*columns], ([row.get(name) for name in columns] for row in rows)


def _parquet(table: Overview) -> bytes:
    columns = _columns(table)
    return parquet(columns, ({name: row.get(name) for name in columns}
                             for row in map(flat, table.rows)))  # fmt: skip


def _columns(table: Overview) -> dict[str, str]:
    """Return the names of the columns for machines, and the type of each in SQL."""
    types = {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "float | None": "DOUBLE"}
    types["list[str]"] = "VARCHAR"
    named = {part.name: types[str(part.type)] for part in fields(Row) if part.name not in _PARTS}
    named |= {f"secondary_{name}": "DOUBLE" for name in table.secondary}
    names = (*FAULTS, GOAL_MISSED, "other")
    return named | {f"fault_{name.replace(' ', '_')}": "BIGINT" for name in names}


def _sheet(table: Overview) -> Sheet:
    """Return the table for people: the headings, and the text of each cell."""
    names = [*table.by, *headings(table)]
    rows = [[cell(row, name) for name in names] for row in table.rows]
    notes = [*table.remarks, *table.caveats()]
    return Sheet("Overview", names, rows, TEXTS, notes, table.definitions())


FORMATS = {
    **separated(_table),
    ".json": lambda table: as_page(table.as_dict()),
    **for_people(_sheet),
    ".parquet": _parquet,
}
"""Ending of a file's name → what writes the table so."""
