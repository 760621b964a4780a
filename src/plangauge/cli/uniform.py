"""What is the same in every command: ``--quiet``, and which names and files a shell completes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr
from importlib import import_module
from pathlib import Path

import click
from click.shell_completion import CompletionItem

_REGISTRIES = {
    "approach": ("plangauge.episodes.policy", "APPROACHES"),
    "baseline": ("plangauge.baselines", "BASELINES"),
    "domains": ("plangauge.domains.base", "DOMAINS"),
    "notation": ("plangauge.parse", "NOTATIONS"),
    "planner": ("plangauge.planners", "PLANNERS"),
    "source": ("plangauge.sources", "SOURCES"),
    "tasks": ("plangauge.tasks", "TASKS"),
}
"""Parameter → module and registry with the names it takes."""

_FILES = ("FILE", "DIR", "SUITE", "RUN", "PATH", "OUT", "CONFIG")
_FILE_ARGUMENTS = ("suite", "run_a", "run_b", "path", "domain", "domains", "problem", "plan",
                   "candidate", "reference", "responses", "runs")  # fmt: skip


def finished(command: click.Command) -> click.Command:
    """Return the command, with ``--quiet`` and completion; once is enough."""
    if isinstance(command, click.Group) or any(p.name == "quiet" for p in command.params):
        return command
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = _completed(parameter)
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


class _Text(click.types.StringParamType):
    """A text of which a shell can complete names, or the last of several between commas."""

    def __init__(self, names: Callable[[], Iterable[str]], *, files: bool, several: bool) -> None:
        self._names = names
        self._files = files
        self._several = several

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so, and where it can be a file what the shell knows."""
        del ctx, param
        before, comma, last = incomplete.rpartition(",") if self._several else ("", "", incomplete)
        # Before the names, because bash forgets what came before it.
        found = [CompletionItem(incomplete, type="file")] if self._files else []
        names = (name for name in self._names() if name.startswith(last))
        return found + [CompletionItem(f"{before}{comma}{name}") for name in names]


def _completed(parameter: click.Parameter) -> _Text:
    """Return the type of a text, which knows what it can be."""
    name, metavar = str(parameter.name), parameter.metavar or ""
    is_argument = isinstance(parameter, click.Argument)
    files = name in _FILE_ARGUMENTS if is_argument else any(f in metavar for f in _FILES)
    registry = "domains" if name == "suite" and "DOMAIN" in metavar else name

    def names() -> Iterable[str]:
        if registry not in _REGISTRIES:
            return ()
        module, attribute = _REGISTRIES[registry]
        return list(getattr(import_module(module), attribute))

    return _Text(names, files=files, several=metavar == "A,B")
