"""The overview as a file: rounded for people, with every digit for machines."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Collection
from dataclasses import fields
from pathlib import Path
from typing import Any

from plangauge.errors import MissingExtra, ProblemError
from plangauge.reports.cells import TEXTS, cell, headings
from plangauge.reports.escape import as_html, as_latex, as_markdown
from plangauge.reports.outcomes import FAULTS, GOAL_MISSED
from plangauge.reports.overview import DEFINITIONS, Overview, Row
from plangauge.suites.files import as_line, as_page, new_file


def write_table(table: Overview, path: str | Path) -> None:
    """Write the table to a file; the ending of its name says in which of the `FORMATS`.

    It appears only when it is complete. Raises `ProblemError` for another ending or where nothing
    can be written, `MissingExtra` for Parquet without DuckDB.
    """
    data = FORMATS[format_of(path, FORMATS)](table)
    with new_file(path) as file:
        file.write(data)


def format_of(path: str | Path, formats: Collection[str]) -> str:
    """Return the ending of a file's name; raises `ProblemError` where it is none of the formats."""
    ending = Path(path).suffix.lower()
    if ending not in formats:
        raise ProblemError(f"its name must end in one of {', '.join(formats)}", file=str(path))
    return ending


def flat(row: Row) -> dict[str, Any]:
    """Return a row as plain values, with a column for each fault that a plan can have.

    Faults of other worlds are together in ``fault_other``.
    """
    values = {part.name: getattr(row, part.name) for part in fields(row) if part.name != "faults"}
    names = (*FAULTS, GOAL_MISSED)
    for name in names:
        values[f"fault_{name.replace(' ', '_')}"] = row.faults.get(name, 0)
    values["fault_other"] = sum(row.faults.values()) - sum(row.faults.get(n, 0) for n in names)
    return values


def _csv(table: Overview, delimiter: str = ",") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(_columns())
    writer.writerows(flat(row).values() for row in table.rows)
    return text.getvalue().encode()


def _tsv(table: Overview) -> bytes:
    return _csv(table, "\t")


def _json(table: Overview) -> bytes:
    return as_page(table.as_dict())


def _markdown(table: Overview) -> bytes:
    names, rows = _texts(table)
    sides = [":--" if name in TEXTS else "--:" for name in names]
    lines = [[*map(as_markdown, line)] for line in (names, *rows)]
    lines.insert(1, sides)
    body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    notes = "".join(f"* {as_markdown(note)}\n" for note in _notes(table))
    return f"{body}\n{notes}".encode()


def _latex(table: Overview) -> bytes:
    names, rows = _texts(table)
    head, *body = (f"{' & '.join(map(as_latex, line))} \\\\\n" for line in (names, *rows))
    notes = "".join(f"% {as_latex(note)}\n" for note in _notes(table))
    sides = "".join("l" if name in TEXTS else "r" for name in names)
    return (
        f"% needs \\usepackage{{booktabs}}\n{notes}\\begin{{tabular}}{{{sides}}}\n\\toprule\n"
        f"{head}\\midrule\n{''.join(body)}\\bottomrule\n\\end{{tabular}}\n"
    ).encode()


def _html(table: Overview) -> bytes:
    names, rows = _texts(table)
    head = "".join(f'<th scope="col">{as_html(name)}</th>' for name in names)
    body = "".join(
        f"<tr>{''.join(map(_html_cell, names, range(len(names)), line))}</tr>\n" for line in rows
    )
    notes = "".join(f"<li>{as_html(note)}</li>\n" for note in _notes(table))
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Overview</title>\n'
        f"<style>{_STYLE}</style>\n<table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>\n<ul>\n{notes}</ul>\n</html>\n"
    ).encode()


_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2em 0.6em; text-align: left; white-space: nowrap; }
th { font-weight: 600; }
thead th { border-bottom: 1px solid; }
.number, thead th.number { text-align: right; }
"""


def _html_cell(name: str, place: int, text: str) -> str:
    if place == 0:
        return f'<th scope="row">{as_html(text)}</th>'
    kind = "" if name in TEXTS else ' class="number"'
    return f"<td{kind}>{as_html(text)}</td>"


def _parquet(table: Overview) -> bytes:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "report") from None
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        database.execute("SET threads = 1")  # several may write the rows in another order
        rows, file = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
        rows.write_bytes(b"".join(as_line(flat(row)) for row in table.rows))
        found = database.read_json(str(rows), columns=_columns(), format="newline_delimited")
        found.write_parquet(str(file))
        return file.read_bytes()


def _columns() -> dict[str, str]:
    """Return the names of the columns for machines, and the type of each in SQL."""
    types = {"str": "VARCHAR", "int": "BIGINT", "float": "DOUBLE", "float | None": "DOUBLE"}
    named = {part.name: types[str(part.type)] for part in fields(Row) if part.name != "faults"}
    names = (*FAULTS, GOAL_MISSED, "other")
    return named | {f"fault_{name.replace(' ', '_')}": "BIGINT" for name in names}


def _texts(table: Overview) -> tuple[list[str], list[list[str]]]:
    """Return the headings, and the text of each cell."""
    names = [*table.by, *headings(table)]
    return names, [[cell(row, name) for name in names] for row in table.rows]


def _notes(table: Overview) -> list[str]:
    return [*table.remarks, *DEFINITIONS]


FORMATS = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".json": _json,
    ".md": _markdown,
    ".tex": _latex,
    ".html": _html,
    ".parquet": _parquet,
}
"""Ending of a file's name → what writes the table so."""
