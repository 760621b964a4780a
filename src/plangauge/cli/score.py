"""``plangauge score``: true answers and scores for questions about actions and change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from plangauge.cli.console import (
    JOBS_OPTION,
    JSON_OPTION,
    ROOT_OPTION,
    InputError,
    print_json,
    printable,
    processes,
)

if TYPE_CHECKING:
    from plangauge.batch.suite import Conduct, Policy
    from plangauge.records import Run


@click.command(
    epilog="""\b
Examples:
  plangauge score suite responses.jsonl -o run --jobs 2
  plangauge score suite llama.csv gpt.jsonl -o run --missing skip
  plangauge score --batch answers.jsonl --root problems -o scores.jsonl --jobs 2

\b
RESPONSES: JSONL, CSV or Parquet, {"id": …, "response": …[, "model", "epoch", "stop_reason"]},
     or logs of Inspect (.eval, .json), or samples that lm-eval logged (samples_*.jsonl)
RUN: a folder with records.jsonl, records.parquet, remarks.jsonl (whatever is amiss) and
     run.json; what was interrupted is gone on with by the same command
A row of --batch: {"id": 1, "task": "effects", "domain": "d.pddl", "problem": "p.pddl",
                   "actions": ["(stack a b)"], "response": "[(on a b)] [(holding a)]"}
Exit status: 0; 1 where rows or responses are amiss; 2 bad input or wrong use."""
)
@click.argument("suite", required=False, metavar="[SUITE]")
@click.argument("responses", nargs=-1, metavar="[RESPONSES...]")
@click.option("--batch", metavar="FILE", help="Score each row of a JSONL file ('-': stdin).")
@ROOT_OPTION
@click.option("-o", "--output", metavar="OUT",
              help="The folder of the run; for --batch a file (default: stdout).")  # fmt: skip
@JOBS_OPTION
@click.option("--model", default="", metavar="NAME",
              help="Model of rows that name none (default: the file's name).")  # fmt: skip
@click.option("--missing", type=click.Choice(["score", "skip"]), default="score", show_default=True,
              help="Score what has no response as silence, or not at all.")  # fmt: skip
@click.option("--duplicates", type=click.Choice(["first", "all"]), default="first",
              show_default=True, help="Which of several responses to score.")  # fmt: skip
@click.option("--progress", is_flag=True,
              help="Plan how much nearer to the goal each plan leads.")  # fmt: skip
@click.option("--planner", default="auto", show_default=True,
              help="What plans for --progress; see 'plangauge list planners'.")  # fmt: skip
@click.option("--time-limit", type=click.IntRange(1), default=300, show_default=True,
              metavar="SECONDS", help="For each plan of --progress.")  # fmt: skip
@click.option("--format", type=click.Choice(["auto", "jsonl", "parquet", "both"]), default="auto",
              help="What records are written as (auto: both, without DuckDB JSONL).")  # fmt: skip
@click.option("--restart", is_flag=True, help="Begin anew, whatever run was interrupted there.")
@click.option("--strict", is_flag=True, help="Stop, and write nothing, if anything is amiss.")
@JSON_OPTION
@click.pass_context
def command(
    ctx: click.Context,
    /,
    suite: str | None,
    responses: tuple[str, ...],
    **options: object,
) -> None:
    """Say how much of each response is right.

    SUITE is a folder that 'plangauge generate' has written. Without any: --batch.
    """
    batch, output, root = (options.pop(name) for name in ("batch", "output", "root"))
    jobs, as_json = options.pop("jobs"), bool(options.pop("as_json"))
    assert root is None or isinstance(root, str)
    assert jobs is None or isinstance(jobs, int)
    if batch is not None:
        if suite is not None:
            raise click.UsageError("--batch needs no suite")
        _refuse(ctx, options, "a SUITE, not with --batch")
        from plangauge.cli.batch import Place, batch_options, score_batch

        place = Place(str(batch), None if output is None else str(output), as_json)
        ctx.exit(score_batch(place, *batch_options(root, jobs)))
    if suite is None or not responses or output is None:
        raise click.UsageError("give a SUITE, RESPONSES and -o RUN, or else --batch FILE")
    if root is not None:
        raise click.UsageError("--root goes with --batch")
    if not options["progress"]:
        _refuse(ctx, ("planner", "time_limit"), "--progress")
    run = _score(suite, responses, str(output), processes(jobs), options)
    _report(run, as_json)
    ctx.exit(1 if any(run.manifest["amiss"].values()) else 0)


def _refuse(ctx: click.Context, names: Iterable[str], why: str) -> None:
    """Raise `UsageError` where one of these options is given, which has no effect."""
    for name in names:
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name.replace('_', '-')} goes with {why}")


def _score(
    suite: str, responses: tuple[str, ...], output: str, jobs: int, options: dict[str, object]
) -> Run:
    from plangauge.batch.suite import score_suite
    from plangauge.cli.progress import watched
    from plangauge.integrations.responses import lines_of
    from plangauge.suites import Suite

    for file in responses:
        if not Path(file).is_file():
            raise InputError(f"{printable(file)}: there is no such file")
    opened = Suite.load(suite)
    with watched("responses", None) as advance:
        conduct, read = _conduct(options, jobs, advance), partial(lines_of, suite=opened)
        try:
            return score_suite(
                opened, [*map(Path, responses)], output, _policy(options), conduct, read
            )
        except KeyboardInterrupt:
            click.echo("the same command goes on where this one stops", err=True)
            raise


def _policy(options: dict[str, object]) -> Policy:
    from plangauge.batch.nearness import Planning
    from plangauge.batch.suite import Policy

    missing: Literal["score", "skip"] = "skip" if options["missing"] == "skip" else "score"
    duplicates: Literal["first", "all"] = "all" if options["duplicates"] == "all" else "first"
    progress = None
    if options["progress"]:
        progress = Planning(str(options["planner"]), int(str(options["time_limit"])))
    strict, model = bool(options["strict"]), str(options["model"])
    return Policy(missing, duplicates, strict, model, progress)


def _conduct(options: dict[str, object], jobs: int, advance: Callable[[int], object]) -> Conduct:
    from plangauge.batch.suite import Conduct

    format_, restart = options["format"], bool(options["restart"])
    return Conduct(jobs, format_, restart, advance, partial(click.echo, err=True))  # type: ignore[arg-type]


def _report(run: Run, as_json: bool) -> None:
    told = run.manifest
    if as_json:
        print_json(told)
    for model, statuses in told["statuses"].items():
        read = ", ".join(f"{count:,} {status}" for status, count in statuses.items())
        click.echo(f"{printable(model)}: {sum(statuses.values()):,} records: {read}", err=True)
    amiss = ", ".join(f"{count:,} {kind}" for kind, count in told["amiss"].items() if count)
    if amiss:
        click.echo(f"amiss: {amiss}; see remarks.jsonl", err=True)
