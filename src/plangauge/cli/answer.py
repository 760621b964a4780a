"""``plangauge answer``: what a model says, or what needs none, to know what scores are worth."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from plangauge.cli.chat import SETTINGS, chat_options, opened, selection_of, settings_of
from plangauge.cli.console import (
    ROWS_JSON_OPTION,
    InputError,
    counted,
    output_file,
    print_json,
    print_written,
    printable,
    shortened,
)

if TYPE_CHECKING:
    from plangauge.integrations.openai_chat.ask import Summary
    from plangauge.integrations.openai_chat.connection import Server

_SERVER_ONLY = ("model", "key_env", "concurrency", "retries", "backoff", "timeout", "price",
                "restart", *SETTINGS)  # fmt: skip
_MOST_ERRORS = 5


@click.command(
    epilog="""\b
Examples:
  plangauge answer suite --server http://localhost:8000/v1 --model llama -o llama.jsonl
  plangauge answer suite --server https://api.openai.com/v1 --key-env OPENAI_API_KEY \\
      --model gpt-4.1 --price 2 8 -o gpt.jsonl
  plangauge answer suite --baseline random-applicable --seed 3 -o random.jsonl
  plangauge score suite llama.jsonl gpt.jsonl random.jsonl -o run

\b
The same command goes on where it was interrupted: what is answered is not asked again.
--server needs 'plangauge[openai]'; see docs/answer.md. 'plangauge list baselines' says what each
baseline answers.
Exit status: 0; 1 where questions have no answer; 2 bad input, wrong use, or no such server."""
)
@click.argument("suite")
@click.option("--baseline", metavar="NAME", help="What answers, such as truth.")
@click.option("--server", metavar="URL", help="A chat interface of OpenAI's kind, such as …/v1.")
@click.option("--model", metavar="NAME", help="Which model of the server answers.")
@click.option("--key-env", metavar="VARIABLE", help="The environment variable with the key.")
@click.option("-o", "--output", metavar="FILE",
              help="Where the rows go (a baseline's default: stdout).")  # fmt: skip
@click.option("--seed", type=int, metavar="N",
              help="Of a baseline (default: 0), or of the model in the first epoch.")  # fmt: skip
@chat_options
@click.option("--concurrency", type=click.IntRange(1, 1000), default=8, show_default=True,
              metavar="N", help="How many questions may be open at a time.")  # fmt: skip
@click.option("--retries", type=click.IntRange(0, 100), default=8, show_default=True,
              metavar="N", help="How often to ask again before giving a question up.")  # fmt: skip
@click.option("--backoff", type=click.FloatRange(0, 600), default=0.5, show_default=True,
              metavar="SECONDS", help="The first pause before that; each is doubled.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=600, show_default=True,
              metavar="SECONDS", help="Until a reply must be complete.")  # fmt: skip
@click.option("--price", type=(click.FloatRange(0, 1e9), click.FloatRange(0, 1e9)),
              metavar="IN OUT", help="Of a million tokens of prompts and answers.")  # fmt: skip
@click.option("--restart", is_flag=True, help="Throw away what was answered before.")
@ROWS_JSON_OPTION
@click.pass_context
def command(ctx: click.Context, /, suite: str, **given: Any) -> None:
    """Answer a suite by a model or a baseline, a row of JSON for each question."""
    if (given["baseline"] is None) == (given["server"] is None):
        raise click.UsageError("give --server URL, or else --baseline NAME")
    if given["baseline"] is not None:
        _refuse(ctx, _SERVER_ONLY)
        rows = _by_baseline(suite, given["baseline"], given["seed"] or 0, given["output"])
        if given["as_json"]:
            print_written(given["output"], {"rows": rows})
        return
    for name, option in (("model", "--model NAME"), ("output", "-o FILE")):
        if not given[name]:
            raise click.UsageError(f"--server needs {option}")
    ctx.exit(_by_server(suite, given))


def _refuse(ctx: click.Context, names: Iterable[str]) -> None:
    """Raise `UsageError` where one of these options is given, which has no effect."""
    given = {parameter.name: parameter.opts[0] for parameter in ctx.command.params}
    for name in names:
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(f"{given[name]} goes with --server")


def _by_baseline(suite: str, baseline: str, seed: int, output: str | None) -> int:
    """Write the answers of a baseline; return how many."""
    from plangauge.baselines import answers
    from plangauge.cli.progress import watched
    from plangauge.suites import Suite
    from plangauge.suites.files import as_line

    asked = Suite.load(suite)
    found = answers(asked, baseline, seed)
    with watched("answers", len(asked)) as advance, output_file(output) as out:
        for response in found:
            row = {"id": response.sample, "response": response.text, "model": response.model}
            out.write(as_line(row))
            advance(1)
    return len(asked)


def _by_server(suite: str, given: dict[str, Any]) -> int:
    from plangauge.cli.progress import watched
    from plangauge.integrations.openai_chat.ask import Conduct, answer_suite

    server, settings, selection = _server(given), settings_of(given), selection_of(given)
    asked = opened(suite)
    total = sum(1 for _ in selection.questions(asked))
    with watched("answers", total) as advance:
        conduct = Conduct(given["restart"], given["price"], advance)
        summary = answer_suite(asked, given["output"], server, settings, selection, conduct)
    _report(summary, given["output"], bool(given["as_json"]))
    if summary.stopped is not None and summary.unasked:
        return 128 + summary.stopped
    return 1 if summary.failed or summary.unasked else 0


def _server(given: dict[str, Any]) -> Server:
    from plangauge.integrations.openai_chat.connection import Server

    key = None
    if given["key_env"] is not None:
        key = os.environ.get(given["key_env"], "").strip()
        if not key:  # the name is not repeated: it may be the key itself, given by mistake
            raise InputError("the environment variable that --key-env names is not set")
    patience = (given[name] for name in ("concurrency", "retries", "backoff", "timeout"))
    return Server(given["server"], key, *patience)


def _report(summary: Summary, output: str, as_json: bool) -> None:
    from dataclasses import asdict

    if as_json:
        print_json(asdict(summary))
    parts = [f"{summary.answered:,} answered"]
    parts += [f"{summary.new:,} of them new"] if summary.new < summary.answered else []
    parts += [f"{summary.failed:,} failed"] if summary.failed else []
    parts += [f"{summary.unasked:,} not asked yet"] if summary.unasked else []
    click.echo(f"{counted(summary.asked, 'question')}: {', '.join(parts)}", err=True)
    for error, count in [*summary.errors.items()][:_MOST_ERRORS]:
        click.echo(f"  {count:,}: {shortened(error, 300)}", err=True)
    spent = [f"{count:,} {kind}" for kind, count in summary.tokens.items()]
    if spent:
        cost = "" if summary.cost is None else f"; cost {summary.cost:,.4f}"
        missing = f" ({summary.uncounted:,} answers not counted)" if summary.uncounted else ""
        click.echo(f"tokens: {', '.join(spent)}{missing}{cost}", err=True)
    if summary.failed or summary.unasked:
        click.echo(f"the same command goes on with {printable(output)}", err=True)
