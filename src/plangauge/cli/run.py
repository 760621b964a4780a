"""``plangauge run``: ask models the questions of a suite with Inspect AI."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from plangauge.cli import options
from plangauge.cli.console import InputError, counted, note, print_json, printable
from plangauge.cli.score import print_statuses

if TYPE_CHECKING:
    from plangauge.integrations.inspect.running import Finished

_GENERATING = (
    "max_connections", "max_retries", "timeout", "max_tokens", "temperature", "top_p", "seed",
    "reasoning_effort", "reasoning_tokens", "cache", "batch",
)  # fmt: skip
_ACTING = ("protocol", "approach", "rules")
"""Options of Inspect's ``GenerateConfig``, and of episodes; the others are of its ``eval_set``."""


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
DIR: logs/ has Inspect's logs ('inspect view --log-dir DIR/logs'), run/ the records
Rerun the command to resume an interrupted run. The options, the names of models and the sources
of keys are Inspect's: https://inspect.aisi.org.uk/models.html
Exit status: 0; 1 where questions have no answer; 2 bad input or wrong use."""
)
@click.argument("suite")
@click.option("--model", "models", multiple=True, required=True, metavar="NAME",
              help="Such as openai/gpt-5-mini (can be repeated).")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder to write.")
@options.tasks("Ask only questions of these tasks.")
@click.option("--protocol", type=click.Choice(["text", "tools"]),
              help="How episodes are played.")  # fmt: skip
@click.option(
    "--approach", metavar="NAME", help="Approach of episodes, such as act, react or basic."
)
@click.option("--rules", metavar="K=V,…", help="Rules of episodes, such as step_limit=30.")
@click.option("--limit", type=click.IntRange(1), help="Ask only the first N questions.")
@click.option("--epochs", type=click.IntRange(1), help="How often to ask each question.")
@click.option("--max-connections", type=click.IntRange(1), help="Requests at the same time.")
@click.option("--max-retries", type=click.IntRange(0), help="Retries of a request.")
@click.option("--timeout", type=click.IntRange(1), help="Seconds for a request, retries included.")
@click.option("--retry-attempts", type=click.IntRange(0), default=2, show_default=True,
              help="Further rounds for questions that ended in an error.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens of an answer.")
@click.option("--temperature", type=float, help="Sampling temperature.")
@click.option("--top-p", type=float, help="Nucleus sampling.")
@click.option("--seed", type=int, help="Seed of sampling, for models that take one.")
@click.option("--reasoning-effort", metavar="EFFORT", help="Such as low, medium or high.")
@click.option("--reasoning-tokens", type=click.IntRange(1), help="Tokens for reasoning.")
@click.option("--cache", is_flag=True, default=None, help="Use cached answers.")
@click.option("--batch", is_flag=True, default=None, help="Use the provider's batch interface.")
@click.option("--token-limit", type=click.IntRange(1), help="Tokens for each question.")
@click.option("--cost-limit", type=float, help="Dollars for each question; needs prices.")
@click.option("--model-cost-config", metavar="FILE", help="Prices of models, as YAML or JSON.")
@click.option("--model-base-url", metavar="URL", help="URL of the server of the models.")
@click.option("-M", "model_args", multiple=True, metavar="K=V", help="Argument of the models.")
@click.option("--display", type=click.Choice(["full", "rich", "plain", "log", "none"]),
              help="How Inspect shows its progress (default: rich on a terminal, else none).",
              )  # fmt: skip
@options.JOBS
@options.JSON
@click.pass_context
def run_command(ctx: click.Context, /, suite: str, output: str, **given: Any) -> None:
    """Ask models the questions of a suite, and score their answers.

    Inspect AI does the asking: pip install 'plangauge[inspect]'.
    """
    given = {key: value for key, value in given.items() if value is not None}
    ctx.exit(_run(suite, given.pop("models"), output, given))


def _run(suite: str, models: tuple[str, ...], output: str, given: dict[str, Any]) -> int:
    from plangauge.integrations.inspect.running import Settings, run_suite
    from plangauge.scoring.suite import RunOptions

    as_json = given.pop("as_json")
    writing = RunOptions(options.processes(given.pop("jobs", None)), say=note)
    tasks = given.pop("tasks")
    given["model_args"] = dict(map(_argument, given["model_args"]))
    given["retry_immediate"] = given["retry_attempts"] > 0  # else Inspect warns
    watched = sys.stdout.isatty() and sys.stderr.isatty() and not as_json
    given.setdefault("display", "rich" if watched else "none")
    generating, acting = (
        {key: given.pop(key) for key in keys if key in given} for keys in (_GENERATING, _ACTING)
    )
    settings = Settings(generating, given, tasks, acting)
    try:
        done = run_suite(suite, models, output, settings, writing)
    except KeyboardInterrupt:
        note("rerun the command to resume")
        raise
    if as_json:
        print_json(None if done.run is None else done.run.manifest)
    _report(done, output)
    return 0 if done.complete else 1


def _argument(text: str) -> tuple[str, Any]:
    """Return a name and a value, which is JSON or else text."""
    key, value = options.key_value("-M", text)
    if not key:
        raise InputError(f"-M {printable(text)}: expected K=V")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _report(done: Finished, output: str) -> None:
    if done.run is None:
        note("no question was answered; see the logs")
        return
    print_statuses(done.run.manifest)
    failed = done.run.manifest["amiss"]["null"]
    if failed:
        why = f"{printable(output)}/run/remarks.jsonl"
        note(f"{counted(failed, 'question')} without an answer; see {why}")
    if not done.complete:
        note("rerun the command to ask the remaining questions")
    note(f"plangauge overview {printable(output)}/run")
