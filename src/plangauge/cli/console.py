"""Writing to a terminal or a pipe: colour only where it is seen, model text always as text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from plangauge.errors import Error

if TYPE_CHECKING:
    from rich.console import Console

JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
ROWS_JSON_OPTION = click.option(
    "--json", "as_json", is_flag=True,
    help="Print JSON for machines, a line for each row; with -o, what was written.",
)  # fmt: skip
"""``--json`` of a command whose results are rows, which are JSON wherever they go."""

NOTATION_OPTION = click.option(
    "--notation",
    default="auto",
    show_default=True,
    help="How plans are written; see 'plangauge list notations'.",
)

JOBS_OPTION = click.option(
    "--jobs", type=click.IntRange(min=0), help="Processes (default: 1; 0: one per core)."
)
ROOT_OPTION = click.option(
    "--root", metavar="DIR", help="What paths in the batch are relative to (default: .)."
)


class InputError(Error):
    """A file or argument given on the command line cannot be used."""


def processes(jobs: int | None) -> int:
    """Return how many processes ``--jobs`` asks for."""
    return 1 if jobs is None else jobs or os.cpu_count() or 1


def console() -> Console:
    """Return the console for standard output; it takes no markup from the text it is given."""
    from rich.console import Console

    wide = None if sys.stdout.isatty() else 120
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=wide)


def printable(text: str) -> str:
    r"""Return text without control characters, so that no answer can take over a terminal.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, length: int = 100) -> str:
    """Return printable text, cut to a length."""
    return printable(text if len(text) <= length else text[: length - 1] + "…")


def counted(number: int, noun: str) -> str:
    """Return how many there are of something.

    >>> counted(1, "question"), counted(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def print_json(value: Any) -> None:
    """Print a value as JSON, in ASCII, so that every terminal and pipe can take it."""
    click.echo(json.dumps(value, indent=2, allow_nan=False))


def print_written(output: str | None, counts: Mapping[str, Any]) -> None:
    """Print, as JSON, which file rows were written to, and how many; nothing for rows on stdout."""
    if output is not None:
        print_json({"file": output, **counts})


def unreadable(path: str, error: OSError | ValueError) -> InputError:
    """Return the error that a file cannot be read, with the reason."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return InputError(f"{printable(path)}: cannot read the file: {reason}")


def read_answer_file(path: str) -> str:
    """Return the text of a file, or of standard input for ``-``, whatever bytes it holds."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    return data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")


@contextmanager
def output_file(path: str | None) -> Iterator[BinaryIO]:
    """Give standard output for None, else a file that takes its name when all has been written."""
    from plangauge.suites.files import new_file

    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with new_file(path) as file:
        yield file
