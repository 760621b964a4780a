"""``plangauge import``: published benchmarks as suites, and their published answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli.console import JSON_OPTION, counted, print_json, printable
from plangauge.cli.progress import watched

if TYPE_CHECKING:
    from plangauge.sources import Imported
    from plangauge.sources.base import Choice


@click.command(
    epilog="""\b
Examples:
  plangauge import planbench LLMs-Planning/plan-bench -o planbench
  plangauge import planbench LLMs-Planning/plan-bench --responses my-responses -o mine
  plangauge import acpbench ACPBench -o acpbench
  plangauge import autoplanbench autoplanbench/data -o autoplanbench
  plangauge import autoplanbench autoplanbench/data --domain ferry --domain depot -o two
  plangauge fetch eai && plangauge import virtualhome -o virtualhome
  plangauge import behavior --tasks action-sequencing,effects --count 20 -o some

\b
SUITE: a folder as 'plangauge generate' writes it; published answers go to SUITE-responses.
Exit status: 0; 1 where anything published is amiss; 2 bad input or wrong use."""
)
@click.argument("source")
@click.argument("path", required=False)
@click.option("-o", "--output", required=True, metavar="SUITE", help="The folder to write.")
@click.option("--responses", multiple=True, metavar="DIR|FILE",
              help="Answers to import instead of those in PATH.")  # fmt: skip
@click.option("--domain", "published", multiple=True, metavar="NAME",
              help="A domain of autoplanbench; may be repeated (default: all).")  # fmt: skip
@click.option("--tasks", default="", metavar="A,B",
              help="Tasks, of [*]; see 'plangauge list tasks'.")  # fmt: skip
@click.option("--count", type=click.IntRange(1), metavar="N",
              help="Problems, drawn at random, of [*]; of each domain.")  # fmt: skip
@click.option("--seed", type=int, metavar="N",
              help="For what is drawn at random, of [*].")  # fmt: skip
@JSON_OPTION
@click.pass_context
def command(ctx: click.Context, /, source: str, path: str | None, **given: object) -> None:
    """Import the questions of a published benchmark, and the answers published with it.

    SOURCE is one of 'plangauge list sources'; PATH is what it publishes, as downloaded. virtualhome
    and behavior need no PATH: they are in what 'plangauge fetch eai' has fetched. What is said of
    [*] is for autoplanbench, virtualhome and behavior; the others are imported as a whole.
    """
    from plangauge.sources import import_source

    output, responses = str(given["output"]), given["responses"]
    assert isinstance(responses, tuple)
    with watched("rows", None) as advance:
        done = import_source(source, path, output, responses or None, advance, _choice(given))
    if given["as_json"]:
        print_json(_as_dict(done))
    _report(done)
    ctx.exit(1 if done.amiss else 0)


def _choice(given: Mapping[str, object]) -> Choice:
    from plangauge.sources.base import Choice

    names = map(str.strip, str(given["tasks"]).split(","))
    count, seed = given["count"], given["seed"]
    domains = given["published"]
    assert isinstance(domains, tuple)
    assert isinstance(count, int | None)
    assert isinstance(seed, int | None)
    return Choice(tuple(filter(None, names)), count, seed, domains)


def _as_dict(done: Imported) -> dict[str, Any]:
    """Return what was imported, and where to, for machines."""
    responses = None if done.responses is None else str(done.responses)
    return {
        "suite": str(done.suite.path),
        "manifest": done.suite.manifest,
        "responses": responses,
        "models": dict(done.models),
        "remarks": {"questions": dict(done.on_questions), "responses": dict(done.on_responses)},
        "amiss": bool(done.amiss),
    }


def _report(done: Imported) -> None:
    suite, told = printable(str(done.suite.path)), done.suite.manifest
    click.echo(f"{counted(len(done.suite), 'question')} in {suite}", err=True)
    _list(told["tasks"] | told["published"])
    _list(done.on_questions, "manifest.json")
    if done.responses is None:
        return
    place = printable(str(done.responses))
    responses, models = sum(done.models.values()), len(done.models)
    of = f"{counted(responses, 'response')} of {counted(models, 'model')}"
    click.echo(f"{of} in {place}", err=True)
    _list(done.on_responses, "responses.json")
    if responses:
        files = f"{place}/models/*.jsonl"
        click.echo(f"plangauge score {suite} {files} --missing skip -o RUN", err=True)


def _list(counts: Mapping[str, int], file: str = "") -> None:
    for name, count in counts.items():
        where = f"; see 'remarks' in {file}" if file else ""
        click.echo(f"  {printable(name)}: {count:,}{where}", err=True)
