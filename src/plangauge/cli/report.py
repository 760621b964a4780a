"""``plangauge report``: all about some runs in one page."""

from __future__ import annotations

from typing import Any

import click

from plangauge.cli.choice import RUNS_ARGUMENT, choice_of, choice_options, runs_at
from plangauge.cli.console import JSON_OPTION, counted, print_json, printable
from plangauge.cli.progress import stages


@click.command(
    epilog="""\b
Examples:
  plangauge report run -o report.html
  plangauge report run-a run-b --task plan --task optimal-plan -o plans.html
  plangauge report run --suite suite --responses gpt.jsonl -o report.html

\b
The suite and the responses of a run are looked for beside it and in the current folder, and
known by their hashes. The page needs no network, and 'plangauge[report]' to be made."""
)
@RUNS_ARGUMENT
@choice_options
@click.option("-o", "--output", metavar="FILE", required=True, help="The page, an .html file.")
@click.option("--suite", "suites", multiple=True, metavar="DIR",
              help="Where a suite of the runs is (can be repeated).")  # fmt: skip
@click.option("--responses", multiple=True, metavar="FILE",
              help="Where a file of responses is (can be repeated).")  # fmt: skip
@click.option("--title", default="", metavar="TEXT", help="Default: the name of the suite.")
@click.option("--most", type=click.IntRange(1), default=10_000, show_default=True, metavar="N",
              help="Responses to hold one by one; of more, a sample.")  # fmt: skip
@JSON_OPTION
def command(
    runs: tuple[str, ...],
    *,
    output: str,
    suites: tuple[str, ...],
    responses: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Make a page of tables, figures, and each response with what became of it.

    RUN is a folder that 'plangauge score' has written. The page is one file, which works from disk.
    """
    from plangauge.integrations.responses import responses_of
    from plangauge.reports.page import Material, make_page
    from plangauge.reports.sheets import format_of

    format_of(output, (".html", ".htm"))
    opened = runs_at(runs)
    material = Material.find(opened, suites, responses, responses_of)
    title, most = options.pop("title"), options.pop("most")
    with stages() as watch:
        page = make_page(opened, material, choice_of(options), title, most, watch)
    page.write(output)
    for remark in page.remarks:
        click.echo(f"note: {printable(remark)}", err=True)
    size = len(page.data)
    if as_json:
        told = {"file": output, "bytes": size, "records": page.records, "held": page.held}
        print_json(told | {"remarks": page.remarks})
    else:
        click.echo(f"{printable(output)}: {counted(page.records, 'record')}, {size / 1e6:.1f} MB")
