"""``plangauge export trl``: a suite as rows for training with rewards."""

from __future__ import annotations

import click

from plangauge.cli.console import JSON_OPTION, counted, print_json, printable


@click.command(
    epilog="""\b
Examples:
  plangauge export trl suite -o train.jsonl
  plangauge export trl suite --plain -o train.jsonl

\b
Read it with datasets.load_dataset("json", data_files="train.jsonl"), and train with
reward_funcs=plangauge.integrations.rewards.Reward(); see docs/rewards.md."""
)
@click.argument("suite")
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the rows go.")
@click.option("--plain", is_flag=True, help="Prompts are texts, not lists of messages.")
@JSON_OPTION
def command(*, suite: str, output: str, plain: bool, as_json: bool) -> None:
    """Write the questions of a suite as rows that TRL and verifiers train with, in JSON lines.

    A row holds the prompt, the true answer, and all that its reward needs.
    """
    from plangauge.integrations.rewards import suite_rows
    from plangauge.suites.files import as_line, new_file

    count = 0
    rows = suite_rows(suite, chat=not plain)
    with new_file(output) as file:
        for row in rows:
            file.write(as_line(row))
            count += 1
    if as_json:
        print_json({"file": output, "rows": count})
    click.echo(f"{counted(count, 'row')} in {printable(output)}", err=True)
