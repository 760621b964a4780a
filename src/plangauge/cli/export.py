"""``plangauge export``: a suite in the form that another program takes."""

from __future__ import annotations

import click

from plangauge.cli.lazy import LazyGroup

_FORMATS = {
    "lm-eval": "plangauge.cli.export_lm_eval",
    "openai-batch": "plangauge.cli.export_openai_batch",
    "trl": "plangauge.cli.export_trl",
}
"""Form → the module that holds its command."""


@click.command(
    cls=LazyGroup,
    modules=_FORMATS,
    epilog="""\b
Examples:
  plangauge export lm-eval suite -o folder
  plangauge export openai-batch suite --model gpt-5-mini -o batch.jsonl
  plangauge export trl suite -o train.jsonl""",
)
def command() -> None:
    """Write a suite in the form that another program takes."""
