"""``plangauge view``: the page of runs with many records, served to a browser on this machine."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

import click

from plangauge.cli.choice import RUNS_ARGUMENT, runs_at
from plangauge.cli.console import JSON_OPTION, counted, print_json, printable
from plangauge.cli.progress import stages


@click.command(
    epilog="""\b
Examples:
  plangauge view run
  plangauge view run-a run-b --port 8000 --no-browser
  plangauge view run --suite suite --responses gpt.jsonl

\b
Only this machine is served, and only who knows the address, which has a key.
Needs 'plangauge[report]'. Ctrl-C ends it. To hand a page on: plangauge report."""
)
@RUNS_ARGUMENT
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N",
              help="Default: any that is free.")  # fmt: skip
@click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")
@JSON_OPTION
@click.option("--suite", "suites", multiple=True, metavar="DIR",
              help="Where a suite of the runs is (can be repeated).")  # fmt: skip
@click.option("--responses", multiple=True, metavar="FILE",
              help="Where a file of responses is (can be repeated).")  # fmt: skip
def command(
    runs: tuple[str, ...],
    *,
    port: int,
    no_browser: bool,
    as_json: bool,
    suites: tuple[str, ...],
    responses: tuple[str, ...],
) -> None:
    """Look at runs in a browser, however many records they have.

    RUN is a folder that 'plangauge score' has written. The page is that of 'plangauge report', but
    responses are looked up when they are asked for.
    """
    from plangauge.integrations.responses import responses_of
    from plangauge.reports.page import Material
    from plangauge.reports.view import Site, serving

    opened = runs_at(runs)
    material = Material.find(opened, suites, responses, responses_of)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="plangauge-view-")))
        with stages() as watch:
            site = stack.enter_context(closing(Site(opened, folder, material, watch)))
        served = stack.enter_context(serving(site, port))
        for remark in site.table.remarks:
            click.echo(f"note: {printable(remark)}", err=True)
        records = site.table.records
        if as_json:
            print_json({"url": served.url, "port": served.port, "records": records})
        else:
            click.echo(f"{counted(records, 'record')} at {served.url} (Ctrl-C ends)")
        sys.stdout.flush()
        if not no_browser and not webbrowser.open(served.url):
            click.echo("note: no browser could be opened; open the address yourself", err=True)
        _wait()


def _wait() -> None:
    """Return when Ctrl-C is pressed."""
    try:
        while True:
            sleep(3600)
    except KeyboardInterrupt:
        click.echo("\nended", err=True)
