"""Errors and warnings on standard error: one line each, in a uniform format."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TextIO

import click

from plangauge.cli.console import printable
from plangauge.core.errors import ProblemWarning, did_you_mean

_MISSING = ("no such file", "there is no such")
_PLACE_LAST = re.compile(
    r"(?P<file>.+?): (?P<what>.+?)(?:, at|:) line (?P<line>\d+),? column (?P<column>\d+)"
    r"(?: \(char \d+\))?(?P<rest>.*)"
)
_MOST_NEIGHBOURS = 10_000
"""The maximum number of names of a folder that are compared."""
_MOST_WARNINGS = 10


def show_usage_error(error: click.ClickException) -> None:
    """Print a usage error and where to look; the help for a call without arguments."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # click 8.2
        error.show()
        return
    what = " ".join(_usage_message(error).split()).rstrip(".")
    context = getattr(error, "ctx", None)
    where = "" if context is None else f"; see: {context.command_path} --help"
    show_error(what + where)


def show_error(what: str) -> None:
    """Print an error in one line without control characters."""
    line = _place_first(" ".join(what.splitlines()))
    click.echo(f"Error: {printable(line + _nearest(line))}", err=True)


def _place_first(what: str) -> str:
    """Return a message with line and column after the file.

    Parsers of texts without a file, such as Python's JSON, give them at the end.
    """
    found = _PLACE_LAST.fullmatch(what)
    if found is None or not _is_file(found["file"]):
        return what
    place = ":".join(found.group("file", "line", "column"))
    return f"{place}: {found['what']}{found['rest']}"


def _is_file(name: str) -> bool:
    return os.path.isfile(name)  # noqa: PTH113


def _nearest(what: str) -> str:
    """Return a hint for a missing file or folder: a similar name, or the missing parent.

    >>> _nearest("no-folder/x.txt: there is no such file")
    '; there is no folder no-folder'
    >>> _nearest("a.pddl:3:4: expected a name")
    ''
    """
    name, colon, why = what.partition(": ")
    if not colon or ";" in why or not any(reason in why.lower() for reason in _MISSING):
        return ""
    from pathlib import Path

    path = Path(name)
    try:
        if path.exists():
            return "; it is a folder" if path.is_dir() else "; it is a file"
        if not path.parent.is_dir():
            return f"; there is no folder {path.parent}"
        beside = [each.name for each in islice(path.parent.iterdir(), _MOST_NEIGHBOURS)]
        return did_you_mean(path.name, beside) or ("" if path.is_absolute() else _where())
    except (OSError, ValueError):
        return ""


def _where() -> str:
    return f"; the current folder is {os.getcwd()}"  # noqa: PTH109


def _usage_message(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        hint = did_you_mean(error.option_name, error.possibilities or ())
        return f"there is no option {error.option_name}{hint}"
    parameter = getattr(error, "param", None)
    if parameter is None:
        text = error.format_message()
        return text[:1].lower() + text[1:] if text[1:2].islower() else text
    name = parameter.opts[-1]
    if isinstance(parameter, click.Argument):
        name = (parameter.metavar or name.upper()).strip("[.]")
    if isinstance(error, click.MissingParameter):
        return f"{name} is missing{_choices(parameter)}"
    return f"{name}: {error.message}"


def _choices(parameter: click.Parameter) -> str:
    kind = parameter.type
    return f"; there are {', '.join(kind.choices)}" if isinstance(kind, click.Choice) else ""


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print each warning about domains and problems once, and only the first few."""
    shown = set[str]()
    usual = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not isinstance(message, ProblemWarning):
            usual(message, category, filename, lineno, file, line)
        elif (text := str(message)) not in shown and len(shown) <= _MOST_WARNINGS:
            shown.add(text)
            more = "more files are doubtful, and not named here"
            click.echo(
                f"warning: {more if len(shown) > _MOST_WARNINGS else printable(text)}", err=True
            )

    with warnings.catch_warnings():
        warnings.simplefilter("always", ProblemWarning)
        warnings.showwarning = show
        yield
