"""``eagent-eval``, also ``plangauge eagent-eval``: the command of the Embodied Agent Interface."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from plangauge.cli.console import JSON_OPTION, InputError, console, print_json, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from plangauge.compat.eagent.run import Evaluated, Request

_SUPPORTED = "action_sequencing"
_OTHERS = ("goal_interpretation", "subgoal_decomposition", "transition_modeling")
_RESPONSES = "helm_output"


@click.command(
    epilog="""\b
Examples:
  eagent-eval --dataset behavior --eval-type action_sequencing --mode generate_prompts
  eagent-eval --dataset behavior --eval-type action_sequencing --mode evaluate_results \\
      --llm-response-path responses --output-dir output
  plangauge overview output/runs/behavior/*

\b
Responses: DIR/<dataset>/action_sequencing/<model>_outputs.json, a list of
{"identifier": …, "llm_output": …}. Results are in the layout of the original, and records for
'plangauge overview' in runs/. The data comes once with: plangauge fetch eai
Exit status: 0; 1 where responses are missing, repeated or unknown; 2 bad input or wrong use."""
)
@click.option("--dataset", type=click.Choice(["virtualhome", "behavior"]), default="behavior",
              show_default=True, help="Whose tasks.")  # fmt: skip
@click.option("--eval-type", type=click.Choice([_SUPPORTED, *_OTHERS]), default=_SUPPORTED,
              show_default=True, help="What is evaluated.")  # fmt: skip
@click.option("--mode", type=click.Choice(["evaluate_results", "generate_prompts"]),
              default="generate_prompts", show_default=True,
              help="Score responses, or write the prompts for them.")  # fmt: skip
@click.option("--llm-response-path", default=_RESPONSES, show_default=True, metavar="DIR",
              help="Where the responses are.")  # fmt: skip
@click.option("--output-dir", default="output", show_default=True, metavar="DIR",
              help="Where the results go.")  # fmt: skip
@click.option("--num-workers", type=click.IntRange(1), default=1, show_default=True,
              help="Processes.")  # fmt: skip
@click.option("--as-published", is_flag=True,
              help="The numbers of the original, its slips included.")  # fmt: skip
@JSON_OPTION
@click.pass_context
def command(ctx: click.Context, /, *, as_json: bool, as_published: bool, **given: object) -> None:
    """Evaluate action sequences in VirtualHome and BEHAVIOR, or write the prompts for them."""
    if given["eval_type"] != _SUPPORTED:
        raise InputError(
            f"--eval-type {given['eval_type']} is not supported yet; only {_SUPPORTED} is "
            f"(not yet: {', '.join(_OTHERS)})"
        )
    from plangauge.compat.eagent.run import Request
    from plangauge.sources.eai.fetch import data_root

    request = Request(str(given["dataset"]), data_root(), as_published)
    output = Path(str(given["output_dir"]))
    if given["mode"] == "generate_prompts":
        _write_prompts(request, output, as_json)
        return
    jobs = given["num_workers"]
    assert isinstance(jobs, int)
    done = _evaluate(request, Path(str(given["llm_response_path"])), output, jobs)
    _report(done, as_json)
    ctx.exit(1 if any(each.unknown or each.repeated or each.missing for each in done) else 0)


def main() -> None:
    """Run ``eagent-eval``, with the exits of ``plangauge``."""
    import sys

    from plangauge.cli import main as plangauge

    plangauge(["eagent-eval", *sys.argv[1:]])


def _write_prompts(request: Request, output: Path, as_json: bool) -> None:
    from plangauge.compat.eagent.run import write_prompts

    path, count = write_prompts(request, output)
    if as_json:
        print_json({"file": str(path), "prompts": count})
    click.echo(f"{count} prompts in {printable(str(path))}", err=True)


def _evaluate(request: Request, responses: Path, output: Path, jobs: int) -> list[Evaluated]:
    from plangauge.cli.progress import watched
    from plangauge.compat.eagent.run import evaluate_responses

    with watched("responses", None) as advance:
        return [*evaluate_responses(request, responses, output, jobs, advance)]


def _report(done: Sequence[Evaluated], as_json: bool) -> None:
    for each in done:
        _complain(each)
    if as_json:
        print_json({each.model: each.summary for each in done})
    else:
        out = console()
        if not out.is_terminal:
            out.width = 10_000
        out.print(_table(done), soft_wrap=False)


def _complain(each: Evaluated) -> None:
    name = printable(each.model)
    if each.resumed:
        click.echo(f"{name}: evaluated before", err=True)
    kinds = {"unknown": each.unknown, "repeated": each.repeated, "missing": each.missing}
    amiss = [
        f"{len(names)} {kind} (such as {printable(names[0])})"
        for kind, names in kinds.items()
        if names
    ]
    if amiss:
        click.echo(f"{name}: {', '.join(amiss)}; see remarks.jsonl", err=True)


def _table(done: Sequence[Evaluated]) -> Table:
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    drawn.add_column("model", no_wrap=True)
    rates = _rates(done[0].summary)
    for name in ("responses", *rates):
        drawn.add_column(name.replace("_", " "), justify="right")
    for each in done:
        values = ("–" if rate is None else f"{rate:g}" for rate in _rates(each.summary).values())
        drawn.add_row(printable(each.model), str(each.responses), *values)
    return drawn


def _rates(summary: object) -> dict[str, float | None]:
    """Return the rates of a summary, however deep they are, by their own names."""
    found: dict[str, float | None] = {}
    assert isinstance(summary, dict)
    for name, value in summary.items():
        found |= _rates(value) if isinstance(value, dict) else {name: value}
    return found
