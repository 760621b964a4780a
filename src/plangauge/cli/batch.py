"""Running a batch from the command line: files, progress, and the summary at the end."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

import click

from plangauge.batch import Options, ScoreTally, Tally, encode_row, score_rows, validate_rows
from plangauge.batch.stream import Row
from plangauge.cli.console import InputError, printable, unreadable
from plangauge.parse import NOTATIONS


class Counts(Protocol):
    """How many rows came out how; as text, one line for people."""

    bad: int

    def add(self, row: Row) -> None:
        """Count a row of results."""
        ...


def validate_batch(batch: str, output: str | None, options: Options, jobs: int) -> int:
    """Validate every row of a file; return the exit status."""
    if options.notation != "auto":
        NOTATIONS[options.notation]
    return _run(batch, output, partial(validate_rows, options=options, jobs=jobs), Tally())


def score_batch(batch: str, output: str | None, options: Options, jobs: int) -> int:
    """Score every row of a file; return the exit status."""
    return _run(batch, output, partial(score_rows, options=options, jobs=jobs), ScoreTally())


def batch_options(
    root: str | None, jobs: int | None, notation: str = "auto"
) -> tuple[Options, int]:
    """Return how rows are read and by how many processes; raise `InputError` for no such folder."""
    folder = "." if root is None else root
    if not Path(folder).is_dir():
        raise InputError(f"{printable(folder)}: there is no such folder")
    return Options(folder, notation), 1 if jobs is None else jobs or os.cpu_count() or 1


def _run(
    batch: str,
    output: str | None,
    rows: Callable[[Iterable[bytes]], Iterator[Row]],
    tally: Counts,
) -> int:
    """Write a row for every row of a file and report the counts; return the exit status."""
    with _opened(batch) as (lines, size), _progress(size) as advance, _written(output) as out:
        for row in rows(_counted(lines, advance)):
            tally.add(row)
            out.write(encode_row(row) + b"\n")
    bad = f"; {tally.bad:,} bad rows, see their 'error'" if tally.bad else ""
    click.echo(f"{tally}{bad}", err=True)
    return 1 if tally.bad else 0


@contextmanager
def _opened(path: str) -> Iterator[tuple[Iterable[bytes], int | None]]:
    """Give the lines of a file or of standard input, and the size where it is known."""
    if path == "-":
        yield sys.stdin.buffer, None
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open("rb"))
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
        yield file, os.fstat(file.fileno()).st_size


@contextmanager
def _written(path: str | None) -> Iterator[IO[bytes]]:
    """Give a file to write to that takes its name only when all has been written."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path).resolve()
    if target.is_dir():
        raise InputError(f"{printable(path)}: this is a folder")
    if target.exists() and not target.is_file():  # a pipe or a device has no other name to take
        with target.open("wb") as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot write there: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _progress(size: int | None) -> Iterator[Callable[[int], Any]]:
    """Give a function that advances a progress bar; it does nothing where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("judging", total=size)
        yield lambda count: bar.advance(task, count)


def _counted(lines: Iterable[bytes], advance: Callable[[int], Any]) -> Iterator[bytes]:
    for line in lines:
        advance(len(line))
        yield line
