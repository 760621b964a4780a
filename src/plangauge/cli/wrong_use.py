"""What a person is told where a command cannot do its work: one line, always in one shape."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import click

from plangauge.cli.console import printable
from plangauge.errors import did_you_mean

_NOT_THERE = ("no such file", "there is no such")
_PLACE_LAST = re.compile(
    r"(?P<file>.+?): (?P<what>.+?)(?:, at|:) line (?P<line>\d+),? column (?P<column>\d+)"
    r"(?: \(char \d+\))?(?P<rest>.*)"
)
_MOST_BESIDE = 10_000
"""Of larger folders, not all names are looked at."""


def show_wrong_use(error: click.ClickException) -> None:
    """Say what is wrong, and where to look; show the help where nothing at all was given."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):  # click 8.2
        error.show()
        return
    what = " ".join(_said(error).split()).rstrip(".")
    context = getattr(error, "ctx", None)
    where = "" if context is None else f"; see: {context.command_path} --help"
    show_error(what + where)


def show_error(what: str) -> None:
    """Say what is wrong in a line, in which nothing can take over a terminal."""
    line = _place_first(" ".join(what.splitlines()))
    click.echo(f"Error: {printable(line + _nearest(line))}", err=True)


def _place_first(what: str) -> str:
    """Return a message with line and column behind the file.

    What reads a text that is in no file, such as Python's JSON, names them at the end.
    """
    found = _PLACE_LAST.fullmatch(what)
    if found is None or not _is_file(found["file"]):
        return what
    place = ":".join(found.group("file", "line", "column"))
    return f"{place}: {found['what']}{found['rest']}"


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # longer than a path can be, for example
        return False


def _nearest(what: str) -> str:
    """Return what to do about a file or folder that is not there: what is, or where it is sought.

    >>> _nearest("no-folder/x.txt: there is no such file")
    '; there is no folder no-folder'
    >>> _nearest("a.pddl:3:4: expected a name")
    ''
    """
    name, colon, why = what.partition(": ")
    if not colon or ";" in why or not any(said in why.lower() for said in _NOT_THERE):
        return ""
    path = Path(name)
    try:
        if path.exists():
            return "; it is a folder" if path.is_dir() else "; it is a file"
        if not path.parent.is_dir():
            return f"; there is no folder {path.parent}"
        beside = [each.name for each in islice(path.parent.iterdir(), _MOST_BESIDE)]
        return did_you_mean(path.name, beside) or ("" if path.is_absolute() else _where())
    except (OSError, ValueError):
        return ""


def _where() -> str:
    return f"; the current folder is {Path.cwd()}"


def _said(error: click.ClickException) -> str:
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
