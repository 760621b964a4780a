"""``plangauge overview``: one table of all scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from plangauge.cli.choice import RUNS_ARGUMENT, choice_of, choice_options, runs_at
from plangauge.cli.console import JSON_OPTION, console, print_json, printable, shortened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from plangauge.reports.overview import Overview, Row

_LEAST_MISSED = (
    "problems", "exact", "far", "faults", "near", "score", "sure right", "unread", "missing",
    "sure mean", "uncertain",
)  # fmt: skip
"""The columns that are left out where a terminal is narrow, in this order."""

_LONGEST = 40
"""Longer names are cut."""


@click.command(
    epilog="""\b
Examples:
  plangauge overview run
  plangauge overview run-a run-b --by task,model --domain depots
  plangauge overview run -o table.tex
  plangauge overview run --score strict_iou --json

\b
FILE: .csv, .tsv, .json, .parquet (all digits), .md, .tex, .html (rounded)
Intervals: 95 %, clustered by problem; see docs/reports.md for every column."""
)
@RUNS_ARGUMENT
@click.option("--by", default="model,task,domain", show_default=True, metavar="PARTS",
              help="What the rows are grouped by, in this order.")  # fmt: skip
@choice_options
@click.option("-o", "--output", metavar="FILE", help="Write a file; its name says in which form.")
@JSON_OPTION
def command(
    runs: tuple[str, ...], *, by: str, output: str | None, as_json: bool, **choice: object
) -> None:
    """Show who did how well on what: means with intervals, shares right, near and far, faults.

    RUN is a folder that 'plangauge score' has written.
    """
    from plangauge.reports.overview import overview
    from plangauge.reports.sheets import format_of
    from plangauge.reports.tables import FORMATS, write_table

    if output is not None:
        format_of(output, FORMATS)
    parts = [part.strip() for part in by.split(",") if part.strip()]
    table = overview(runs_at(runs), parts, choice_of(choice))
    for remark in table.remarks:
        click.echo(f"note: {printable(remark)}", err=True)
    if output is not None:
        write_table(table, output)
    if as_json:
        print_json(table.as_dict())
    elif output is None:
        show_overview(table)


def show_overview(table: Overview) -> None:
    """Print the table as wide as the terminal, and what its columns mean."""
    from rich.text import Text

    out = console()
    if not table.rows:
        out.print("There are no records.")
        return
    common, by = _common(table)
    if common:
        out.print(Text(printable(", ".join(common)), "bold"))
    narrowed = _fitting(table, by, out)
    out.print(narrowed, soft_wrap=False)
    for line in (*table.caveats(), *table.definitions()):
        out.print(Text(printable(line), "dim"))


def _common(table: Overview) -> tuple[list[str], list[str]]:
    """Return what is the same in all rows, and the parts that are not, or the last of them."""
    values = {part: {getattr(row, part) for row in table.rows} for part in table.by}
    same = [part for part in table.by if len(values[part]) == 1]
    if len(same) == len(table.by):
        same.pop()
    return [f"{part}: {values[part].pop()}" for part in same], [
        p for p in table.by if p not in same
    ]


def _fitting(table: Overview, by: list[str], out: Console) -> Table:
    """Return the rows as a tree: what they are grouped by is indented, each name shown once."""
    from rich.text import Text

    from plangauge.cli.fitted import fitted_rows
    from plangauge.reports.cells import TEXTS, cell, headings

    names, rows = headings(table), []
    before: list[str] = []
    for row in table.rows:
        path = _path(row, by)
        for depth in range(len(path) - 1):
            if before[: depth + 1] != path[: depth + 1]:
                head = Text("  " * depth + shortened(path[depth], _LONGEST), "bold")
                rows.append([head, *(Text() for _ in names)])
        leaf = Text("  " * (len(path) - 1) + shortened(path[-1], _LONGEST))
        rows.append([leaf, *(Text(printable(cell(row, each))) for each in names)])
        before = path
    texts = [0, *(at for at, name in enumerate(names, start=1) if name in TEXTS)]
    least_missed = [names.index(name) + 1 for name in _LEAST_MISSED if name in names]
    return fitted_rows([", ".join(by), *names], rows, texts, out, least_missed)


def _path(row: Row, by: list[str]) -> list[str]:
    """Return where a row stands in the tree: one for all domains above those for each."""
    from plangauge.reports.overview import POOLED

    path = [getattr(row, part) for part in by]
    return path[:-1] if len(path) > 1 and by[-1] == "domain" and path[-1] == POOLED else path
