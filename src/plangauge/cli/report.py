"""``plangauge report`` and ``view``: all about some runs, as a file or served to a browser."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

import click

from plangauge.cli import options
from plangauge.cli.console import (
    counted,
    note,
    print_json,
    print_notes,
    printable,
    progress_stages,
)


@click.command(
    epilog="""\b
Examples:
  plangauge report run -o report.html
  plangauge report run-a run-b --task plan --task optimal-plan -o plans.html
  plangauge report run --suite suite --responses gpt.jsonl -o report.html

\b
The suite and the responses of a run are found by their hashes, beside the run and in the current
folder. Needs 'plangauge[report]'."""
)
@options.RUNS
@options.RECORD_OPTIONS
@click.option("-o", "--output", metavar="FILE", required=True, help="The page, an .html file.")
@options.SOURCES
@click.option("--title", default="", metavar="TEXT", help="Default: the name of the suite.")
@click.option("--most", type=click.IntRange(1), default=10_000, show_default=True, metavar="N",
              help="The most responses in the page; of more, a sample.")  # fmt: skip
@options.JSON
def report_command(runs: tuple[str, ...], output: str, **given: Any) -> None:
    """Make a page of tables, figures, and every response with its verdict.

    RUN is a folder written by 'plangauge score'. The page is one file that works offline.
    """
    from plangauge.integrations.responses import responses_of
    from plangauge.reports.page import Material, make_page

    options.check_form(output, (".html", ".htm"))
    opened = options.load_runs(runs)
    material = Material.find(opened, given["suites"], given["responses"], responses_of)
    with progress_stages() as stages:
        page = make_page(
            opened, material, options.selected(given), given["title"], given["most"], stages
        )
    page.write(output)
    print_notes(page.remarks)
    size = len(page.data)
    if given["as_json"]:
        row = {"file": output, "bytes": size, "records": page.records, "held": page.held}
        print_json(row | {"remarks": page.remarks})
    else:
        click.echo(f"{printable(output)}: {counted(page.records, 'record')}, {size / 1e6:.1f} MB")


@click.command(
    epilog="""\b
Examples:
  plangauge view run
  plangauge view run-a run-b --port 8000 --no-browser
  plangauge view run --suite suite --responses gpt.jsonl

\b
Only this machine can connect, with the key in the address. Ctrl-C ends it. To share a page, use
'plangauge report'. Needs 'plangauge[report,parquet]'."""
)
@options.RUNS
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N",
              help="Default: any that is free.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@options.JSON
@options.SOURCES
def view_command(runs: tuple[str, ...], port: int, **given: Any) -> None:
    """Look at runs in a browser, however many records they have.

    RUN is a folder written by 'plangauge score'. The page is that of 'plangauge report', but
    responses are loaded on demand.
    """
    from plangauge.integrations.responses import responses_of
    from plangauge.reports.page import Material
    from plangauge.reports.view.site import Site, serving

    opened = options.load_runs(runs)
    material = Material.find(opened, given["suites"], given["responses"], responses_of)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="plangauge-view-")))
        with progress_stages() as stages:
            site = stack.enter_context(closing(Site(opened, folder, material, stages)))
        served = stack.enter_context(serving(site, port))
        print_notes(site.table.remarks)
        records = site.table.records
        if given["as_json"]:
            print_json({"url": served.url, "port": served.port, "records": records})
        else:
            click.echo(f"{counted(records, 'record')} at {served.url} (Ctrl-C ends)")
        sys.stdout.flush()
        if not given["no_browser"] and not webbrowser.open(served.url):
            note("note: no browser could be opened; open the address yourself")
        _wait()


def _wait() -> None:
    """Return when Ctrl-C is pressed."""
    try:
        while True:
            sleep(3600)
    except KeyboardInterrupt:
        note("\nended")
