"""``plangauge statistics``: what runs say of themselves, with intervals and caveats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from plangauge.cli.choice import RUNS_ARGUMENT, choice_of, choice_options, runs_at
from plangauge.cli.console import JSON_OPTION, console, print_json, printable

if TYPE_CHECKING:
    from plangauge.reports.findings import Finding

_KINDS = ("intervals", "repeats", "correlations", "dependence")
_SIZES = ("objects", "length", "cost", "actions", "truth", "changed")

_LEAST_MISSED = (6, 5)
"""The columns that are left out where a terminal is narrow: problems, p."""

_NAMES = (0, 1)
"""Model and task, which stand above the table where there is one only."""


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
@RUNS_ARGUMENT
@click.option("--of", "kinds", type=click.Choice(_KINDS), multiple=True,
              help="Only these tables (can be repeated; default: all).")  # fmt: skip
@choice_options
@click.option("--size", type=click.Choice(_SIZES), default="length", show_default=True,
              help="The size of 'dependence'.")  # fmt: skip
@JSON_OPTION
def command(
    runs: tuple[str, ...], *, kinds: tuple[str, ...], size: str, as_json: bool, **choice: object
) -> None:
    """Print means, repeated answers, correlations and dependence on size, with 95 % intervals.

    RUN is a folder that 'plangauge score' has written. Intervals are clustered by problem; what
    must be known about a number stands below its table.
    """
    from plangauge.reports.findings import findings

    found = findings(runs_at(runs), kinds or _KINDS, choice_of(choice), size)
    if as_json:
        print_json({each.kind: each.as_dict() for each in found})
        return
    for place, each in enumerate(found):
        if place:
            click.echo()
        _show(each)


def _show(found: Finding) -> None:
    """Print a table, and what must be known about it."""
    from rich.text import Text

    from plangauge.cli.fitted import fitted

    out, sheet = console(), found.sheet()
    same = [at for at in _NAMES if len({row[at] for row in sheet.rows}) == 1]
    common = "".join(f", {sheet.rows[0][at]}" for at in same)
    out.print(Text(printable(f"{sheet.title}{common}"), "bold"))
    if sheet.rows:
        out.print(fitted(sheet, out, (*same, *_LEAST_MISSED)), soft_wrap=False)
    for note in sheet.notes:
        out.print(Text(printable(note), "dim"))
