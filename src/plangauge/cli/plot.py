"""``plangauge plot``: figures of scores, for papers and for a look."""

from __future__ import annotations

from typing import Any

import click

from plangauge.cli.choice import RUNS_ARGUMENT, choice_of, choice_options, runs_at
from plangauge.cli.console import JSON_OPTION, print_json, printable

_KINDS = ("histogram", "by-size", "faults", "tasks")
_SIZES = ("objects", "length", "cost", "actions", "truth", "changed")
_METHODS = ("spearman", "pearson")
_ONLY_FOR = {"size": "by-size", "method": "tasks"}


@click.command(
    epilog="""\b
Examples:
  plangauge plot histogram run -o histogram.pdf --task applicability --domain blocksworld
  plangauge plot by-size run -o size.svg --size length --task plan --task optimal-plan
  plangauge plot faults run-a run-b -o faults.png --width 7
  plangauge plot tasks run -o tasks.svg --by domain,model --method pearson
  plangauge plot histogram run --json

\b
Kinds:
  histogram  graded scores in 20 bins, above them the share that is right
  by-size    mean scores and 95 % intervals by the size of the problem
  faults     what became of the answers, and at which step plans first went wrong
  tasks      correlations between tasks over the same problems
FILE: .svg, .png or .pdf, the same bytes each time; needs 'plangauge[report]'."""
)
@click.argument("kind", type=click.Choice(_KINDS))
@RUNS_ARGUMENT
@choice_options
@click.option("--by", default="", metavar="PARTS",
              help="What is told apart: rows or lines, then columns "
              "(default: model,task; for tasks model,domain).")  # fmt: skip
@click.option("--size", type=click.Choice(_SIZES), help="For by-size (default: objects).")
@click.option("--method", type=click.Choice(_METHODS),
              help="For tasks (default: spearman).")  # fmt: skip
@click.option("--title", metavar="TEXT", help="Default: what all records have in common.")
@click.option("--width", type=click.FloatRange(1, 50), metavar="INCHES",
              help="Default: what the panels need.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="The figure.")
@JSON_OPTION
def command(kind: str, runs: tuple[str, ...], **options: Any) -> None:
    """Draw how scores are distributed, what they depend on, and what goes wrong.

    RUN is a folder that 'plangauge score' has written. --json prints the numbers of the figure.
    """
    from plangauge.reports.charts import chart
    from plangauge.reports.figures import FORMATS, Look
    from plangauge.reports.sheets import format_of

    output, as_json = options.pop("output"), options.pop("as_json")
    look = Look(options.pop("title"), options.pop("width"))
    given = _of_kind(kind, {name: options.pop(name) for name in _ONLY_FOR})
    if output is None and not as_json:
        raise click.UsageError("give -o FILE or --json")
    if output is not None:
        format_of(output, FORMATS)
    by = [part.strip() for part in options.pop("by").split(",") if part.strip()]
    made = chart(kind, runs_at(runs), choice_of(options), by, given)
    for remark in made.remarks:
        click.echo(f"note: {printable(remark)}", err=True)
    if output is not None:
        made.write(output, look)
    if as_json:
        print_json(made.as_dict())


def _of_kind(kind: str, options: dict[str, str | None]) -> dict[str, str]:
    """Return the options that were given; one for another kind of figure is wrong use."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if _ONLY_FOR[name] != kind:
            raise click.UsageError(f"--{name} is for '{_ONLY_FOR[name]}', not for '{kind}'")
    return given
