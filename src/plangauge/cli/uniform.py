"""What is the same in every command: ``--quiet``, and that a shell completes names and files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path

import click

from plangauge.cli.offers import Text


def finished(command: click.Command) -> click.Command:
    """Return the command, with ``--quiet`` and completion; once is enough."""
    if isinstance(command, click.Group) or any(p.name == "quiet" for p in command.params):
        return command
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = Text(parameter)
    quiet = ["-q", "--quiet"]
    said = "Nothing on standard error but errors."
    command.params.append(
        click.Option(quiet, is_flag=True, expose_value=False, callback=_silence, help=said)
    )
    return command


def _silence(ctx: click.Context, parameter: click.Parameter, quiet: bool) -> None:
    """Let nothing through to standard error until the command has ended.

    Errors are exceptions, and said after that.
    """
    del parameter
    if quiet:
        ctx.find_root().with_resource(_silenced())


@contextmanager
def _silenced() -> Iterator[None]:
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        yield
