"""``plangauge run``: ask models the questions of a suite, by means of Inspect AI."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from plangauge.integrations.inspect.running import Finished

_GENERATING = (
    "max_connections", "max_retries", "timeout", "max_tokens", "temperature", "top_p", "seed",
    "reasoning_effort", "reasoning_tokens", "cache", "batch",
)  # fmt: skip
_ACTING = ("protocol", "approach", "rules")
"""Options that are of Inspect's ``GenerateConfig``, and of episodes; those left are of its
``eval_set``."""


@click.command(
    epilog="""\b
Examples:
  plangauge run suite --model openai/gpt-5-mini -o mini
  plangauge run suite --model openai/gpt-5-mini --model anthropic/claude-sonnet-4-5 -o both
  plangauge run suite --model vllm/Qwen/Qwen3-8B --temperature 0 --epochs 5 --limit 20 -o try
  plangauge run suite --tasks acting --protocol tools --model openai/gpt-5-mini -o played
  plangauge run suite --model openai-api/my/model --model-base-url http://localhost:8000/v1 \\
      -o mine
  plangauge overview mini/run

\b
DIR: logs/ has the logs of Inspect ('inspect view --log-dir DIR/logs'), run/ the records
What was interrupted is gone on with by the same command. Options are Inspect's own; so are names
of models and where keys come from: https://inspect.aisi.org.uk/models.html
Exit status: 0; 1 where questions are left without an answer; 2 bad input or wrong use."""
)
@click.argument("suite")
@click.option("--model", "models", multiple=True, required=True, metavar="NAME",
              help="Such as openai/gpt-5-mini; may be repeated.")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder to write.")
@click.option("--tasks", default="", metavar="A,B", help="Ask these tasks only.")
@click.option("--protocol", type=click.Choice(["text", "tools"]),
              help="How episodes are played.")  # fmt: skip
@click.option("--approach", metavar="NAME", help="Of episodes, such as act, react or basic.")
@click.option("--rules", metavar="K=V,…", help="Of episodes, such as step_limit=30.")
@click.option("--limit", type=click.IntRange(1), help="Ask so many questions, the first ones.")
@click.option("--epochs", type=click.IntRange(1), help="Ask each question so many times.")
@click.option("--max-connections", type=click.IntRange(1), help="Requests at the same time.")
@click.option("--max-retries", type=click.IntRange(0), help="Retries of a request.")
@click.option("--timeout", type=click.IntRange(1), help="Seconds for a request with its retries.")
@click.option("--retry-attempts", type=click.IntRange(0), default=2, show_default=True,
              help="Rounds in which questions that ended in an error are asked again.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens of an answer.")
@click.option("--temperature", type=float, help="Temperature of sampling.")
@click.option("--top-p", type=float, help="Nucleus of sampling.")
@click.option("--seed", type=int, help="Seed of sampling, where a model takes one.")
@click.option("--reasoning-effort", metavar="EFFORT", help="Such as low, medium or high.")
@click.option("--reasoning-tokens", type=click.IntRange(1), help="Tokens for reasoning.")
@click.option("--cache", is_flag=True, default=None, help="Use answers that were given before.")
@click.option("--batch", is_flag=True, default=None, help="Use the provider's batch interface.")
@click.option("--token-limit", type=click.IntRange(1), help="Tokens for each question.")
@click.option("--cost-limit", type=float, help="Dollars for each question; needs prices.")
@click.option("--model-cost-config", metavar="FILE", help="Prices of models, as YAML or JSON.")
@click.option("--model-base-url", metavar="URL", help="Where the models are served.")
@click.option("-M", "model_args", multiple=True, metavar="K=V", help="Argument of the models.")
@click.option("--display", type=click.Choice(["full", "rich", "plain", "log", "none"]),
              help="How Inspect shows its progress (default: rich on a terminal, else none).",
              )  # fmt: skip
@JOBS_OPTION
@JSON_OPTION
@click.pass_context
def command(ctx: click.Context, /, **given: object) -> None:
    """Ask models the questions of a suite, and score what they answer.

    Inspect AI does the asking: pip install 'plangauge[inspect]'.
    """
    options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    suite, models, output = (options.pop(key) for key in ("suite", "models", "output"))
    ctx.exit(_run(suite, models, output, options))


def _run(suite: str, models: tuple[str, ...], output: str, options: dict[str, Any]) -> int:
    from plangauge.batch.suite import Conduct
    from plangauge.integrations.inspect.running import Settings, run_suite

    as_json = options.pop("as_json")
    conduct = Conduct(processes(options.pop("jobs", None)), say=partial(click.echo, err=True))
    tasks = tuple(name for part in options.pop("tasks").split(",") if (name := part.strip()))
    options["model_args"] = dict(map(_argument, options["model_args"]))
    options["retry_immediate"] = options["retry_attempts"] > 0  # which Inspect warns of otherwise
    watched = sys.stdout.isatty() and sys.stderr.isatty() and not as_json
    options.setdefault("display", "rich" if watched else "none")
    generating, acting = (
        {key: options.pop(key) for key in keys if key in options} for keys in (_GENERATING, _ACTING)
    )
    settings = Settings(generating, options, tasks, acting)
    try:
        done = run_suite(suite, models, output, settings, conduct)
    except KeyboardInterrupt:
        click.echo("the same command goes on where this one stops", err=True)
        raise
    if as_json:
        print_json(None if done.run is None else done.run.manifest)
    _report(done, output)
    return 0 if done.complete else 1


def _argument(text: str) -> tuple[str, Any]:
    """Return a name and a value, which is JSON or else text."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"-M {printable(text)}: expected K=V")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _report(done: Finished, output: str) -> None:
    if done.run is None:
        click.echo("nothing was answered; the logs say why", err=True)
        return
    for model, statuses in done.run.manifest["statuses"].items():
        read = ", ".join(f"{count:,} {status}" for status, count in statuses.items())
        click.echo(f"{printable(model)}: {counted(sum(statuses.values()), 'record')}: {read}",
                   err=True)  # fmt: skip
    failed = done.run.manifest["amiss"]["null"]
    if failed:
        why = f"{printable(output)}/run/remarks.jsonl"
        click.echo(f"{counted(failed, 'question')} without an answer; see {why}", err=True)
    if not done.complete:
        click.echo("the same command asks what is left", err=True)
    click.echo(f"plangauge overview {printable(output)}/run", err=True)
