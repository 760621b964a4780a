"""``plangauge statistics`` and ``compare-runs``: the uncertainty of results."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import give, print_json, printable, say, say_lines

if TYPE_CHECKING:
    from plangauge.reports.comparison import Comparison
    from plangauge.reports.differences import Differences

_KINDS = ("intervals", "repeats", "correlations", "dependence")
_DROP_FIRST = (6, 5)
"""The columns to drop first on a narrow terminal: problems, p."""
_NAMES = (0, 1)
"""Model and task, which move to the title if there is only one."""
_COMPARED_DROP_FIRST = (10, 9, 7, 2, 8)
"""The same for comparisons: detectable, effect, p, problems, Holm.

By position, since a model can have the name of a column.
"""


@click.command(
    epilog="""\b
Examples:
  plangauge statistics run
  plangauge statistics run --of repeats --task plan
  plangauge statistics run --of dependence --size objects --model gpt-x
  plangauge statistics run-a run-b --of intervals --of correlations --json

\b
intervals      means of each domain and over all, these domains being given
repeats        pass@k, pass^k, how alike answers are, variance within and between questions
correlations   between tasks, over the problems that both ask about
dependence     on the size of problems: slope, steps, odd against even
Needs 'plangauge[report]'. What is estimated, and what it assumes: docs/statistics.md."""
)
@options.RUNS
@click.option("--of", "kinds", type=click.Choice(_KINDS), multiple=True,
              help="Only these tables (can be repeated; default: all).")  # fmt: skip
@options.RECORD_OPTIONS
@click.option("--size", type=options.SIZE, default="length", show_default=True,
              help="The size of 'dependence'.")  # fmt: skip
@options.JSON
def statistics_command(runs: tuple[str, ...], **given: Any) -> None:
    """Print means, repeated answers, correlations and dependence on size, with 95 % intervals.

    RUN is a folder written by 'plangauge score'. Intervals are clustered by problem;
    caveats stand below each table.
    """
    from plangauge.reports.findings import findings

    kinds = given["kinds"] or _KINDS
    found = findings(options.load_runs(runs), kinds, options.selected(given), given["size"])
    if given["as_json"]:
        print_json({each.kind: each.as_dict() for each in found})
        return
    from plangauge.cli.tables import print_sheet

    for place, each in enumerate(found):
        if place:
            click.echo()
        sheet = each.sheet()
        same = [at for at in _NAMES if len({row[at] for row in sheet.rows}) == 1]
        common = "".join(f", {sheet.rows[0][at]}" for at in same)
        print_sheet(sheet, (*same, *_DROP_FIRST), f"{sheet.title}{common}")


@click.command(
    epilog="""\b
Examples:
  plangauge compare-runs run-a run-b
  plangauge compare-runs run-a run-b --task plan --task applicability
  plangauge compare-runs run --model gpt-x --model llama-y --primary goal-fraction
  plangauge compare-runs run-a run-b --primary right -o table.tex
  plangauge compare-runs run-a run-b run-c --json

\b
FILE: .csv, .tsv, .json (all digits; .json has every pair), .md, .tex, .html (rounded)
Needs 'plangauge[report]'. What is tested, and what it assumes: docs/statistics.md."""
)
@options.RUNS
@options.RECORD_OPTIONS
@options.EXPLAIN
@options.TABLE_OUTPUT
@options.RAW
@options.JSON
def compare_runs_command(runs: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Compare models: which is better at each task, by how much, and how certainly.

    RUN is a folder written by 'plangauge score'. Each task has a verdict in words; of more than
    two models, also a matrix of differences. Only questions that both were asked are compared,
    paired by problem. Baselines are compared only if named with --model, or if there are not
    two other models. --primary right compares only how often models are right.
    """
    from plangauge.reports import comparison
    from plangauge.reports import differences as matrices

    options.check_form(output, comparison.FORMATS)
    found = matrices.differences(options.load_runs(runs), options.selected(given))
    if len(found.models) > 2:
        write = partial(matrices.write_differences, found, raw=given["raw"])
        show = partial(_print_differences, found, verbose=given["verbose"])
        give(output, write, given["as_json"], found.as_dict, show)
        return
    (pair,) = found.comparisons
    write = partial(comparison.write_comparison, pair, raw=given["raw"])
    show = partial(_print_comparison, pair, verbose=given["verbose"])
    give(output, write, given["as_json"], pair.as_dict, show)


def _print_differences(found: Differences, *, verbose: bool) -> None:
    from plangauge.cli.tables import print_notes_of, print_sheet
    from plangauge.reports.differences import sheets

    each = sheets(found, intervals=False)
    say_lines(found.lines())
    say()
    for sheet in each:
        print_sheet(replace(sheet, notes=(), definitions=()), ())
        say()
    print_notes_of(each[0].notes, each[0].definitions, verbose=verbose)


def _print_comparison(found: Comparison, *, verbose: bool) -> None:
    """Print the verdict on each task, the numbers, and notes on them."""
    from plangauge.cli.tables import print_sheet
    from plangauge.reports.comparison import score_text, sheet

    task = ""
    for row in found.rows:
        if row.task != task:
            task = row.task
            say(printable(task), "bold")
        style = "" if row.winner is None else "green"
        say(f"  {score_text(row)}: {printable(row.verdict)}", style)
    say()
    print_sheet(sheet(found, verdicts=False), _COMPARED_DROP_FIRST, verbose=verbose)
