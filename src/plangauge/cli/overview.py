"""``plangauge overview``: one table of all scores."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import give, print_notes, printable, say, shortened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from plangauge.reports.overview import Overview, Row

_DROP_FIRST = ("problems", "exact", "far", "near", "faults")
_DROP_LAST = ("score", "sure right", "unread", "missing", "sure mean", "uncertain")
"""The columns to drop on a narrow terminal, in this order; secondary scores are between them."""

_LONGEST = 40
"""Longer names are cut."""


@click.command(
    epilog="""\b
Examples:
  plangauge overview run
  plangauge overview run-a run-b --by task,model --domain depots
  plangauge overview run -o table.tex
  plangauge overview run --primary strict-iou --json

\b
FILE: .csv, .tsv, .json, .parquet (all digits), .md, .tex, .html (rounded)
Intervals: 95 %, clustered by problem; see docs/reports.md for every column."""
)
@options.RUNS
@click.option("--by", default="model,task,domain", show_default=True, metavar="PARTS",
              help="What the rows are grouped by, in this order.")  # fmt: skip
@options.RECORD_OPTIONS
@options.EXPLAIN
@options.TABLE_OUTPUT
@options.RAW
@options.JSON
def overview_command(runs: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Show one table of scores: means with intervals, shares right, secondary scores, faults.

    RUN is a folder written by 'plangauge score'.
    """
    from plangauge.reports.overview import overview
    from plangauge.reports.tables import FORMATS, write_table

    options.check_form(output, FORMATS)
    table = overview(
        options.load_runs(runs), options.names_in(given["by"]), options.selected(given)
    )
    print_notes(table.remarks)
    write = partial(write_table, table, raw=given["raw"])
    show = partial(print_overview, table, verbose=given["verbose"])
    give(output, write, given["as_json"], table.as_dict, show)


def print_overview(table: Overview, *, verbose: bool = False) -> None:
    """Print the table fitted to the terminal, and the definitions of its columns."""
    from plangauge.cli.tables import console, print_notes_of

    if not table.rows:
        say("There are no records.")
        return
    common, by = _common(table)
    if common:
        say(printable(", ".join(common)), "bold")
    out = console()
    out.print(_fitting(table, by, out), soft_wrap=False)
    print_notes_of(table.caveats(), table.definitions(), verbose=verbose)


def _common(table: Overview) -> tuple[list[str], list[str]]:
    """Return the parts common to all rows, and the others, or the last part."""
    values = {part: {getattr(row, part) for row in table.rows} for part in table.by}
    same = [part for part in table.by if len(values[part]) == 1]
    if len(same) == len(table.by):
        same.pop()
    return [f"{part}: {values[part].pop()}" for part in same], [
        p for p in table.by if p not in same
    ]


def _fitting(table: Overview, by: list[str], out: Console) -> Table:
    """Return the rows as a tree: groups are indented, and each name is shown once."""
    from rich.text import Text

    from plangauge.cli.tables import fit_rows
    from plangauge.reports.scales import scale_of
    from plangauge.reports.tables import TEXTS, cell, headings

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
    secondary = [scale_of(name).text for name in reversed(table.secondary)]
    order = (*_DROP_FIRST, *secondary, *_DROP_LAST)
    drop_first = [names.index(name) + 1 for name in order if name in names]
    return fit_rows([", ".join(by), *names], rows, texts, out, drop_first)


def _path(row: Row, by: list[str]) -> list[str]:
    """Return the sort key of a row in the tree: all domains before single ones."""
    from plangauge.reports.overview import POOLED

    path = [getattr(row, part) for part in by]
    return path[:-1] if len(path) > 1 and by[-1] == "domain" and path[-1] == POOLED else path
