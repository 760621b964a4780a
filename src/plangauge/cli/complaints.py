"""What was amiss, said briefly on standard error."""

from __future__ import annotations

from collections.abc import Sequence

import click

from plangauge.cli.console import printable

_MOST = 10


def complain(messages: Sequence[str], kind: str) -> None:
    """Show the first messages of a kind on standard error, and how many more there are."""
    for message in messages[:_MOST]:
        click.echo(f"{kind}: {printable(message)}", err=True)
    if len(messages) > _MOST:
        click.echo(f"{kind}: {len(messages) - _MOST:,} more; --json names all", err=True)
