"""``plangauge autoplanbench``: the commands of AutoPlanBench, a file for each."""

from __future__ import annotations

import click

from plangauge.cli.lazy import LazyGroup

_COMMANDS = ("evaluate", "overview", "analyze")


@click.command(
    cls=LazyGroup,
    modules={name: f"plangauge.cli.autoplanbench.{name}" for name in _COMMANDS},
    epilog="""\b
Examples:
  plangauge autoplanbench evaluate -d eval_config.json
  plangauge autoplanbench overview -d evaluation_results -o overview.tsv
  plangauge autoplanbench analyze -o problems.tsv""",
)
def command() -> None:
    """Evaluate and compare the experiments of AutoPlanBench, and describe its problems."""
