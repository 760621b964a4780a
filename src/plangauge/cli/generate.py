"""``plangauge generate``: problems of domains, and questions about them, as a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from plangauge.cli.console import (
    JOBS_OPTION,
    JSON_OPTION,
    InputError,
    counted,
    print_json,
    printable,
    processes,
)
from plangauge.cli.progress import watched

if TYPE_CHECKING:
    from plangauge.suites.build import Chosen, Request


@click.command(
    epilog="""\b
Examples:
  plangauge generate blocksworld depots --count 500 -o suite
  plangauge generate blocksworld --param blocks=5 --tasks applicability,plan -o small
  plangauge generate ferry logistics --param ferry.cars=6 --obfuscate 7 -o hidden
  plangauge generate path/to/my-domain --licence MIT -o mine

\b
A folder holds domain.pddl and problems; see docs/domains.md and docs/suites.md.
Exit status: 0; 1 where questions had to be left out; 2 bad input or wrong use."""
)
@click.argument("domains", nargs=-1, required=True, metavar="DOMAIN...")
@click.option("-o", "--output", required=True, metavar="SUITE", help="The folder to write.")
@click.option("--count", type=click.IntRange(1), default=500, show_default=True,
              help="Problems of each domain; of a folder, at most.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Same seed, same suite.")
@click.option(
    "--tasks",
    metavar="A,B",
    help="Tasks, or 'all'; by default the paper's seven. See 'plangauge list tasks'.",
)
@click.option("--param", "params", multiple=True, metavar="K=V",
              help="Parameter of the generators; DOMAIN.K=V for one of them. "
                   "See 'plangauge list domains'.")  # fmt: skip
@click.option("--steps", type=click.IntRange(1, 50), default=2, show_default=True,
              help="Actions over which the state is tracked.")  # fmt: skip
@click.option("--references", type=click.IntRange(1), default=1, show_default=True,
              help="Optimal plans to store, at most.")  # fmt: skip
@click.option(
    "--planner",
    default="auto",
    show_default=True,
    help="What finds optimal plans; see 'plangauge list planners'.",
)
@click.option("--obfuscate", type=int, metavar="SEED", help="Give every symbol another name.")
@click.option("--style", type=click.Choice(["words", "random"]), default="words",
              show_default=True, help="What those names are.")  # fmt: skip
@click.option("--prompts", metavar="DIR", help="Templates to use instead of ours of that name.")
@click.option("--name", default="", help="Name of the suite (default: its domains).")
@click.option("--licence", help="Licence of the problems, where they are not generated.")
@click.option("--citation", help="Where the problems come from.")
@JOBS_OPTION
@JSON_OPTION
@click.pass_context
def command(ctx: click.Context, /, **given: object) -> None:
    """Write a suite of questions with their true answers.

    DOMAIN is the name of a domain, or a folder. --json prints the manifest of the suite.
    """
    options = dict(given)
    domains, output = options.pop("domains"), str(options.pop("output"))
    assert isinstance(domains, tuple)
    ctx.exit(_generate([*map(str, domains)], output, options))


def _generate(domains: list[str], output: str, options: dict[str, object]) -> int:
    from plangauge.suites.build import build_suite

    chosen, request = _chosen(domains, options), _request(options)
    jobs = options["jobs"]
    assert jobs is None or isinstance(jobs, int)
    with watched("problems", request.count * len(chosen)) as advance:
        suite = build_suite(output, chosen, request, processes(jobs), advance)
    left_out = len(suite.manifest["left_out"])
    if options["as_json"]:
        print_json({**suite.manifest, "manifest_sha256": suite.sha256})
    click.echo(f"{counted(len(suite), 'question')} in {printable(output)}", err=True)
    if left_out:
        why = "see 'left_out' in manifest.json"
        click.echo(f"{counted(left_out, 'question')} left out; {why}", err=True)
    return 1 if left_out else 0


def _chosen(domains: list[str], options: dict[str, object]) -> list[Chosen]:
    from plangauge.suites.build import Chosen

    given, seed, style = options["params"], options["obfuscate"], options["style"]
    assert isinstance(given, tuple)
    params = [_param(str(text), domains) for text in given]
    return [
        Chosen.of(
            name,
            {key: value for owner, key, value in params if owner in ("", name)},
            None if seed is None else (seed, style),  # type: ignore[arg-type]
        )
        for name in domains
    ]


def _param(text: str, domains: list[str]) -> tuple[str, str, str]:
    key, equals, value = text.partition("=")
    owner, dot, name = key.rpartition(".")
    if not equals or not name:
        raise InputError(f"--param {printable(text)}: expected K=V or DOMAIN.K=V")
    if dot and owner not in domains:
        raise InputError(f"--param {printable(text)}: {printable(owner)} is not among the domains")
    return owner, name, value


def _names(text: str) -> tuple[str, ...]:
    """Return what stands between commas."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _tasks(text: str) -> tuple[str, ...]:
    from plangauge.tasks import general_tasks

    return general_tasks() if text.strip() == "all" else _names(text)


def _request(options: dict[str, object]) -> Request:
    from plangauge.suites.build import DEFAULT_TASKS, Request
    from plangauge.suites.prompts import Prompts

    folder = options["prompts"]
    if folder is not None and not Path(str(folder)).is_dir():
        raise InputError(f"{printable(str(folder))}: there is no such folder")
    tasks = options["tasks"]
    same = ("count", "seed", "steps", "references", "planner", "name", "licence", "citation")
    values = {key: options[key] for key in same}
    return Request(
        tasks=DEFAULT_TASKS if tasks is None else _tasks(str(tasks)),
        prompts=Prompts(Path(str(folder)) if folder else None),
        **values,  # type: ignore[arg-type]
    )
