"""``plangauge answer``: responses without a model, to know what scores are worth."""

from __future__ import annotations

import click

from plangauge.cli.console import output_file


@click.command(
    epilog="""\b
Examples:
  plangauge answer suite --baseline truth -o truth.jsonl
  plangauge answer suite --baseline random-applicable --seed 3 -o random.jsonl
  plangauge score suite truth.jsonl random.jsonl -o run

\b
'plangauge list baselines' says what each answers, docs/suites.md what it scores."""
)
@click.argument("suite")
@click.option("--baseline", required=True, metavar="NAME", help="What answers, such as truth.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same answers.")
@click.option("-o", "--output", metavar="FILE", help="Where the rows go (default: stdout).")
def command(*, suite: str, baseline: str, seed: int, output: str | None) -> None:
    """Answer a suite by a baseline, a row of JSON for each question."""
    from plangauge.baselines import answers
    from plangauge.cli.progress import watched
    from plangauge.suites import Suite
    from plangauge.suites.files import as_line

    opened = Suite.load(suite)
    found = answers(opened, baseline, seed)
    with watched("answers", len(opened)) as advance, output_file(output) as out:
        for response in found:
            row = {"id": response.sample, "response": response.text, "model": response.model}
            out.write(as_line(row))
            advance(1)
