"""``plangauge compare-runs``: which of two models is better, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from plangauge.cli.choice import choice_of, choice_options, runs_at
from plangauge.cli.console import JSON_OPTION, console, print_json, printable

if TYPE_CHECKING:
    from plangauge.reports.comparison import Comparison
    from plangauge.reports.sheets import Sheet


_LEAST_MISSED = (10, 9, 7, 2, 8)
"""The columns that are left out where a terminal is narrow: detectable, effect, p, problems, Holm.

By their places, since a model can be called as a column is.
"""


@click.command(
    epilog="""\b
Examples:
  plangauge compare-runs run-a run-b
  plangauge compare-runs run-a run-b --task plan --task applicability
  plangauge compare-runs run --model gpt-x --model llama-y --score goal_fraction
  plangauge compare-runs run-a run-b --score right -o table.tex
  plangauge compare-runs run-a run-b --json

\b
FILE: .csv, .tsv, .json (all digits; .json has every pair), .md, .tex, .html (rounded)
Needs 'plangauge[report]'. What is tested, and what it assumes: docs/statistics.md."""
)
@click.argument("run_a")
@click.argument("run_b", required=False)
@choice_options
@click.option("--metric", default="", metavar="NAME", help="The same as --score.")
@click.option("-o", "--output", metavar="FILE", help="Write a file; its name says in which form.")
@JSON_OPTION
def command(
    run_a: str,
    run_b: str | None,
    *,
    metric: str,
    output: str | None,
    as_json: bool,
    **choice: object,
) -> None:
    """Say which of two models is better at each task, by how much, and how sure that is.

    RUN_A and RUN_B are folders that 'plangauge score' has written; the models can be in one run.
    Where there are more than two, choose them with --model. Only questions that both were asked
    are compared, problem by problem. --score right compares only how often they are right.
    """
    from plangauge.reports.comparison import compare_chosen
    from plangauge.reports.comparison_tables import FORMATS, sheet, write_comparison
    from plangauge.reports.sheets import format_of

    if metric and choice["score"] not in ("", metric):
        raise click.UsageError("--metric and --score are the same: give one of them")
    if output is not None:
        format_of(output, FORMATS)
    runs = runs_at([run_a] if run_b is None else [run_a, run_b])
    found = compare_chosen(runs, choice_of({**choice, "score": metric or choice["score"]}))
    if output is not None:
        write_comparison(found, output)
    if as_json:
        print_json(found.as_dict())
    elif output is None:
        _show(found, sheet(found, verdicts=False))


def _show(found: Comparison, sheet: Sheet) -> None:
    """Print the verdict on each task, the numbers, and what must be known about them."""
    from rich.text import Text

    from plangauge.cli.fitted import fitted
    from plangauge.reports.comparison_tables import score_text

    out = console()
    task = ""
    for row in found.rows:
        if row.task != task:
            task = row.task
            out.print(Text(printable(task), "bold"))
        style = "" if row.winner is None else "green"
        out.print(Text(f"  {score_text(row)}: {printable(row.verdict)}", style))
    out.print()
    out.print(fitted(sheet, out, _LEAST_MISSED), soft_wrap=False)
    for note in sheet.notes:
        out.print(Text(printable(note), "dim"))
