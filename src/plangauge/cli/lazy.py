"""A group of commands that are imported when they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows in which module each of its commands is.

    ``modules`` maps the name of a command to a module whose ``command`` it is.
    """

    def __init__(self, *args: Any, modules: Mapping[str, str], **options: Any) -> None:
        super().__init__(*args, **options)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the mapping."""
        del ctx
        return [*self._modules]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name; None where there is none."""
        del ctx
        if cmd_name not in self._modules:
            return None
        command = importlib.import_module(self._modules[cmd_name]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return what click does, and for an unknown name an error with the closest known one."""
        from plangauge.errors import did_you_mean

        if args and args[0] not in self._modules and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self._modules)
            ctx.fail(f"there is no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)
