"""Any table as a file: text for people, or every digit for machines."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from plangauge.errors import MissingExtra, ProblemError
from plangauge.reports.escape import as_html, as_latex, as_markdown
from plangauge.suites.files import as_line

T = TypeVar("T")


@dataclass(frozen=True)
class Sheet:
    """A table for people: headings, the text of each cell, and notes below.

    The columns named in ``texts`` are texts; all others are numbers, at the right.
    """

    title: str
    names: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: Collection[str]
    notes: Sequence[str] = ()


def format_of(path: str | Path, formats: Collection[str]) -> str:
    """Return the ending of a file's name; raises `ProblemError` where it is none of the formats."""
    ending = Path(path).suffix.lower()
    if ending not in formats:
        raise ProblemError(f"its name must end in one of {', '.join(formats)}", file=str(path))
    return ending


def as_separated(
    names: Iterable[str], rows: Iterable[Iterable[object]], delimiter: str = ","
) -> bytes:
    r"""Return names and rows as CSV, or as TSV; None is an empty cell.

    >>> as_separated(["a", "b"], [[1, None], ["x,y", 0.5]])
    b'a,b\n1,\n"x,y",0.5\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode()


def markdown(sheet: Sheet) -> bytes:
    """Return a table of Markdown."""
    sides = [":--" if name in sheet.texts else "--:" for name in sheet.names]
    lines = [[*map(as_markdown, line)] for line in (sheet.names, *sheet.rows)]
    lines.insert(1, sides)
    body = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    notes = "".join(f"* {as_markdown(note)}\n" for note in sheet.notes)
    return f"{body}\n{notes}".encode()


def latex(sheet: Sheet) -> bytes:
    """Return a ``tabular`` for LaTeX with booktabs."""
    head, *body = (
        f"{' & '.join(map(as_latex, line))} \\\\\n" for line in (sheet.names, *sheet.rows)
    )
    notes = "".join(f"% {as_latex(note)}\n" for note in sheet.notes)
    sides = "".join("l" if name in sheet.texts else "r" for name in sheet.names)
    return (
        f"% needs \\usepackage{{booktabs}}\n{notes}\\begin{{tabular}}{{{sides}}}\n\\toprule\n"
        f"{head}\\midrule\n{''.join(body)}\\bottomrule\n\\end{{tabular}}\n"
    ).encode()


def html(sheet: Sheet) -> bytes:
    """Return a page of HTML."""
    head = "".join(f'<th scope="col">{as_html(name)}</th>' for name in sheet.names)
    numbers = [name not in sheet.texts for name in sheet.names]
    body = "".join(
        f"<tr>{''.join(map(_html_cell, numbers, range(len(numbers)), line))}</tr>\n"
        for line in sheet.rows
    )
    notes = "".join(f"<li>{as_html(note)}</li>\n" for note in sheet.notes)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{as_html(sheet.title)}</title>\n"
        f"<style>{_STYLE}</style>\n<table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>\n<ul>\n{notes}</ul>\n</html>\n"
    ).encode()


def for_people(sheet_of: Callable[[T], Sheet]) -> dict[str, Callable[[T], bytes]]:
    """Return ending of a file's name → what writes the sheet of something in this form."""
    forms = {".md": markdown, ".tex": latex, ".html": html}
    return {ending: partial(_written, sheet_of, form) for ending, form in forms.items()}


def _written(sheet_of: Callable[[T], Sheet], form: Callable[[Sheet], bytes], thing: T) -> bytes:
    return form(sheet_of(thing))


def parquet(columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return rows as Parquet, always the same bytes for the same rows.

    ``columns`` are names and types of SQL. Raises `MissingExtra` without DuckDB.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "report") from None
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        database.execute("SET threads = 1")  # several may write the rows in another order
        lines, file = Path(folder) / "rows.jsonl", Path(folder) / "rows.parquet"
        lines.write_bytes(b"".join(as_line(row) for row in rows))
        found = database.read_json(str(lines), columns={**columns}, format="newline_delimited")
        found.write_parquet(str(file))
        return file.read_bytes()


_STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2em 0.6em; text-align: left; white-space: nowrap; }
th { font-weight: 600; }
thead th { border-bottom: 1px solid; }
.number, thead th.number { text-align: right; }
"""


def _html_cell(is_number: bool, place: int, text: str) -> str:
    if place == 0:
        return f'<th scope="row">{as_html(text)}</th>'
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}>{as_html(text)}</td>"
