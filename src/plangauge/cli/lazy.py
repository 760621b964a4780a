"""Groups of commands, each in a module that is imported when the command is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed; ``modules`` says from where."""

    def __init__(self, *args: Any, modules: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        del ctx
        return [*self.modules]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name; None where there is none."""
        del ctx
        if cmd_name not in self.modules:
            return None
        command = importlib.import_module(f"plangauge.cli.{self.modules[cmd_name]}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called; one that there is not is a wrong use."""
        from plangauge.errors import did_you_mean

        if args and args[0] not in self.modules and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.modules)
            ctx.fail(f"there is no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)
