"""``plangauge prompts``: what a model is to be asked, for whatever runs it."""

from __future__ import annotations

import click

from plangauge.cli.console import ROWS_JSON_OPTION, output_file, print_written


@click.command(
    epilog="""\b
Examples:
  plangauge prompts suite -o prompts.jsonl
  plangauge prompts suite | head -1

\b
A row: {"id": …, "messages": [{"role": "system", "content": …}, {"role": "user", "content": …}]}
Answer each with a row {"id": …, "response": …}; then: plangauge score suite responses.jsonl"""
)
@click.argument("suite")
@click.option("-o", "--output", metavar="FILE", help="Where the rows go (default: stdout).")
@ROWS_JSON_OPTION
def command(*, suite: str, output: str | None, as_json: bool) -> None:
    """Write the prompts of a suite, a row of JSON for each."""
    from plangauge.suites import Suite
    from plangauge.suites.files import as_line

    opened = Suite.load(suite)
    with output_file(output) as out:
        for sample in opened:
            out.write(as_line({"id": sample.id, "messages": opened.messages(sample)}))
    if as_json:
        print_written(output, {"rows": len(opened)})
