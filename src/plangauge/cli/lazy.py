"""A group of commands that are imported when they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows in which module each of its commands is.

    ``modules`` maps the name of a command to a module whose ``command`` it is; ``sections`` maps
    the headings of the help to the names below them, with what each is for (default: all below one
    heading, as they say themselves). Every command gets what `plangauge.cli.uniform` adds.
    """

    def __init__(
        self,
        *args: Any,
        modules: Mapping[str, str],
        sections: Mapping[str, Mapping[str, str]] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._modules = modules
        self._sections = sections

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the mapping."""
        del ctx
        return [*self._modules]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name; None where there is none."""
        from plangauge.cli.uniform import finished

        del ctx
        if cmd_name not in self._modules:
            return None
        command = importlib.import_module(self._modules[cmd_name]).command
        assert isinstance(command, click.Command)
        return finished(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands below their headings, all in one column."""
        if self._sections is None:
            super().format_commands(ctx, formatter)
            return
        widest = max(map(len, self._modules))
        for title, summaries in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), said) for name, said in summaries.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return what click does, and for an unknown name an error with the closest known one."""
        from plangauge.errors import did_you_mean

        if args and args[0] not in self._modules and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self._modules)
            ctx.fail(f"there is no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)


def every_command(
    command: click.Command, ctx: click.Context
) -> Iterator[tuple[click.Context, click.Command]]:
    """Yield a command and all below it, each with the context that its help is written in."""
    yield ctx, command
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from every_command(below, click.Context(below, info_name=name, parent=ctx))
