"""Reading inputs and writing outputs: colour only on terminals, model text always escaped."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import click

from plangauge.core.errors import Error
from plangauge.core.text import Line
from plangauge.core.text import counted as counted  # noqa: PLC0414 - commands have it from here
from plangauge.core.text import printable as printable  # noqa: PLC0414
from plangauge.core.text import shortened as shortened  # noqa: PLC0414

_WIDEST = 100
_MOST_ISSUES = 10


class InputError(Error):
    """A file or argument given on the command line cannot be used."""


def say(text: str = "", style: str = "", *, err: bool = False) -> None:
    """Print a line, in a style such as ``bold green`` on a terminal."""
    # An explicit stream keeps its encoding; else click writes UTF-8 to an ASCII one.
    click.echo(styled(text, style), file=sys.stderr if err else sys.stdout, color=_color())


def say_lines(lines: Iterable[Line]) -> None:
    """Print styled lines."""
    for parts in lines:
        say("".join(styled(*part) for part in parts))


def styled(text: str, style: str) -> str:
    """Return a text with the codes of a style; without a style the text itself."""
    if not style:
        return text
    words = style.split()
    color = next((word for word in words if word not in ("bold", "dim")), None)
    return click.style(text, color, bold="bold" in words or None, dim="dim" in words or None)


def _color() -> bool | None:
    """Return whether the environment forces colours or disables them; None for neither."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def line_width() -> int:
    """Return the width of lines: that of the terminal, but at most 100 characters."""
    from shutil import get_terminal_size

    return min(get_terminal_size().columns, _WIDEST) if sys.stdout.isatty() else _WIDEST


def note(text: str) -> None:
    """Print a line to standard error."""
    say(text, err=True)


def print_notes(notes: Iterable[object]) -> None:
    """Print the notes on a result to standard error."""
    for each in notes:
        note(f"note: {printable(str(each))}")


def print_issues(messages: Sequence[str], kind: str) -> None:
    """Print the first messages of a kind to standard error, and how many more there are."""
    for message in messages[:_MOST_ISSUES]:
        note(f"{kind}: {printable(message)}")
    if len(messages) > _MOST_ISSUES:
        note(f"{kind}: {len(messages) - _MOST_ISSUES:,} more; --json names all")


def print_json(value: Any) -> None:
    """Print a value as JSON in ASCII, for every terminal and pipe."""
    import json

    click.echo(json.dumps(value, indent=2, allow_nan=False))


def give(
    output: str | None,
    write: Callable[[str], object],
    as_json: bool,
    value: Callable[[], Any],
    show: Callable[[], object] = lambda: None,
) -> None:
    """Write a result to the file that was given, print its value as JSON, else show it."""
    if output is not None:
        write(output)
    if as_json:
        print_json(value())
    elif output is None:
        show()


def print_written(output: str | None, counts: Mapping[str, Any]) -> None:
    """Print the file and the counts of written rows as JSON, unless they went to stdout."""
    if output is not None:
        print_json({"file": output, **counts})


def unreadable(path: str, error: OSError | ValueError) -> InputError:
    """Return the error that a file cannot be read, with the reason."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return InputError(f"{printable(path)}: cannot read the file: {reason}")


def read_answer_file(path: str) -> str:
    """Return the text of a file, or of standard input for ``-``, whatever its bytes."""
    from plangauge.core.decoding import decoded

    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return decoded(data)


@contextmanager
def output_file(path: str | None, *inputs: str) -> Iterator[BinaryIO]:
    """Give standard output for None, else a file that appears when it is complete.

    Raises `InputError` where it would replace one of the files that are read.
    """
    from plangauge.suites.files import new_file

    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if any(map(partial(_same_file, path), inputs)):
        message = f"{printable(path)}: this file is the input; write the output to another one"
        raise InputError(message)
    with new_file(path) as file:
        yield file


def _same_file(one: str, other: str) -> bool:
    with suppress(OSError, ValueError):
        return Path(one).samefile(other)
    return False


@contextmanager
def progress_bar(label: str, total: int | None) -> Iterator[Callable[[int], object]]:
    """Give a function that advances a progress bar; it does nothing without a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda count: bar.advance(task, count)


@contextmanager
def progress_stages() -> Iterator[Callable[[str, int | None], Callable[[int], object]]]:
    """Give a function that begins a progress bar and ends the previous one."""
    with ExitStack() as stack:

        def begin(label: str, total: int | None) -> Callable[[int], object]:
            stack.close()
            return stack.enter_context(progress_bar(label, total))

        yield begin
