"""``plangauge score``: true answers and scores for questions about actions and change."""

from __future__ import annotations

import click


@click.command(
    epilog="""\b
Examples:
  plangauge score --batch answers.jsonl --root problems -o scores.jsonl --jobs 2
  plangauge list tasks

\b
A row: {"id": 1, "task": "effects", "domain": "d.pddl", "problem": "p.pddl",
        "actions": ["(stack a b)"], "response": "[(on a b)] [(holding a)]"}
Exit status: 0; 1 where there are bad rows; 2 bad input or wrong use."""
)
@click.option(
    "--batch", required=True, metavar="FILE", help="Score each row of a JSONL file ('-': stdin)."
)
@click.option("--root", metavar="DIR", help="What paths in the rows are relative to (default: .).")
@click.option("-o", "--output", metavar="OUT", help="Where the rows go (default: stdout).")
@click.option("--jobs", type=click.IntRange(min=0), help="Processes (default: 1; 0: one per core).")
@click.pass_context
def command(
    ctx: click.Context, *, batch: str, root: str | None, output: str | None, jobs: int | None
) -> None:
    """Say what the true answers to questions are, and how much of each response is right."""
    from plangauge.cli.batch import batch_options, score_batch

    options, processes = batch_options(root, jobs)
    ctx.exit(score_batch(batch, output, options, processes))
