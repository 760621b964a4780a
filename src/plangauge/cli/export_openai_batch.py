"""``plangauge export openai-batch``: a suite as requests of OpenAI's Batch interface."""

from __future__ import annotations

from typing import Any

import click

from plangauge.cli.chat import chat_options, opened, selection_of, settings_of
from plangauge.cli.console import JSON_OPTION, counted, print_json, printable


@click.command(
    epilog="""\b
Examples:
  plangauge export openai-batch suite --model gpt-5-mini --max-tokens 8000 -o batch.jsonl
  plangauge score suite batch_output.jsonl batch_errors.jsonl -o run

\b
A batch may have 50,000 requests and 200 MB; a larger suite gives batch-1.jsonl and so on."""
)
@click.argument("suite")
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the requests go.")
@click.option("--model", required=True, metavar="NAME", help="Which model answers.")
@click.option("--seed", type=int, metavar="N", help="Of the first epoch.")
@chat_options
@JSON_OPTION
def command(*, suite: str, output: str, as_json: bool, **given: Any) -> None:
    """Write the questions of a suite as requests of a batch, a row of JSON for each.

    What the batch gives back, 'plangauge score' reads as it is, in any order.
    """
    from plangauge.integrations.openai_chat.batch_file import write_batch

    files = write_batch(opened(suite), output, settings_of(given), selection_of(given))
    if as_json:
        print_json({"files": [*map(str, files)]})
    click.echo(f"{counted(len(files), 'file')} of requests:", err=True)
    for file in files:
        click.echo(f"  {printable(str(file))}", err=True)
