"""``plangauge plot``: figures of scores, for papers and for exploration."""

from __future__ import annotations

from typing import Any

import click

from plangauge.cli import options
from plangauge.cli.console import give, print_notes

_KINDS = ("ranking", "histogram", "by-size", "faults", "tasks")
_METHODS = ("spearman", "pearson")
_ONLY_FOR = {"size": "by-size", "method": "tasks"}


@click.command(
    epilog="""\b
Examples:
  plangauge plot ranking run -o ranking.pdf --task plan --by model,domain
  plangauge plot histogram run -o histogram.pdf --task applicability --domain blocksworld
  plangauge plot by-size run -o size.svg --size length --task plan --task optimal-plan
  plangauge plot faults run-a run-b -o faults.png --width 7
  plangauge plot tasks run -o tasks.svg --by domain,model --method pearson
  plangauge plot histogram run --json

\b
Kinds:
  ranking    models in order: means, 95 % intervals, what cannot be told apart, baselines
  histogram  graded scores in 20 bins, above them the share that is right
  by-size    mean scores and 95 % intervals by the size of the problem
  faults     what became of the answers, and at which step plans first went wrong
  tasks      correlations between tasks over the same problems
FILE: .svg, .png or .pdf, the same bytes each time; needs 'plangauge[figures]'."""
)
@click.argument("kind", type=click.Choice(_KINDS))
@options.RUNS
@options.RECORD_OPTIONS
@click.option("--by", default="", metavar="PARTS",
              help="Grouping: rows or lines, then columns "
              "(default: model,task; for ranking model, for tasks model,domain).")  # fmt: skip
@click.option("--size", type=options.SIZE, help="For by-size (default: objects).")
@click.option("--method", type=click.Choice(_METHODS),
              help="For tasks (default: spearman).")  # fmt: skip
@click.option("--title", metavar="TEXT", help="Default: what all records have in common.")
@click.option("--width", type=click.FloatRange(1, 50), metavar="INCHES",
              help="Default: what the panels need.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="The figure.")
@options.JSON
def plot_command(kind: str, runs: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Draw how scores are distributed, what they depend on, and what goes wrong.

    RUN is a folder written by 'plangauge score'. --json prints the numbers of the figure.
    """
    from plangauge.reports.charts import chart
    from plangauge.reports.figures import FORMATS, Look

    settings = {name: given[name] for name in _ONLY_FOR if given[name] is not None}
    for name in settings:
        if _ONLY_FOR[name] != kind:
            raise click.UsageError(f"--{name} is for '{_ONLY_FOR[name]}', not for '{kind}'")
    if output is None and not given["as_json"]:
        raise click.UsageError("give -o FILE or --json")
    options.check_form(output, FORMATS)
    made = chart(
        kind,
        options.load_runs(runs),
        options.selected(given),
        options.names_in(given["by"]),
        settings,
    )
    print_notes(made.remarks)
    look = Look(given["title"], given["width"])
    give(output, lambda file: made.write(file, look), given["as_json"], made.as_dict)
