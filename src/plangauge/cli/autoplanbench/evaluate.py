"""``plangauge autoplanbench evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from plangauge.cli.console import printable

if TYPE_CHECKING:
    from plangauge.compat.autoplanbench.evaluate import Evaluated


@click.command()
@click.option("-d", "config", required=True, metavar="CONFIG",
              help="JSON with the experiments to evaluate.")  # fmt: skip
@click.option("--as-published", is_flag=True,
              help="The numbers of the original, its slips included.")  # fmt: skip
@click.pass_context
def command(ctx: click.Context, /, *, config: str, as_published: bool) -> None:
    """Evaluate the runs of experiments."""
    del as_published
    ctx.exit(1 if _as_published(config) else 0)


def _as_published(config: str) -> int:
    """Evaluate as published; return how many problems there were."""
    from plangauge.compat.autoplanbench.evaluate import evaluate_as_published

    return sum(_complain(each) for each in evaluate_as_published(config, _say))


def _complain(done: Evaluated) -> int:
    for problem in done.problems:
        click.echo(f"Error: {printable(str(problem))}", err=True)
    return len(done.problems)


def _say(text: str) -> None:
    click.echo("\n".join(map(printable, text.split("\n"))))
