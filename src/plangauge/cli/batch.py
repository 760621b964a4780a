"""Running a batch from the command line: files, progress, and the summary at the end."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import click

from plangauge.batch import Options, Tally, encode_row, validate_rows
from plangauge.cli.console import InputError, printable, unreadable
from plangauge.parse import NOTATIONS


def validate_batch(batch: str, output: str | None, options: Options, jobs: int) -> int:
    """Validate every row of a file; return the exit status."""
    if options.notation != "auto":
        NOTATIONS[options.notation]
    if not Path(options.root).is_dir():
        raise InputError(f"{printable(options.root)}: there is no such folder")
    tally = Tally()
    with _opened(batch) as (lines, size), _progress(size) as advance, _written(output) as out:
        for row in validate_rows(_counted(lines, advance), options, jobs=jobs):
            tally.add(row)
            out.write(encode_row(row) + b"\n")
    _report(tally)
    return 1 if tally.bad else 0


def _report(tally: Tally) -> None:
    line = (
        f"{tally.rows:,} rows: {tally.valid:,} valid, {tally.executable:,} executable, "
        f"{tally.unreadable:,} unreadable"
    )
    bad = f"; {tally.bad:,} bad rows, see their 'error'" if tally.bad else ""
    click.echo(line + bad, err=True)


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
        task = bar.add_task("validating", total=size)
        yield lambda count: bar.advance(task, count)


def _counted(lines: Iterable[bytes], advance: Callable[[int], Any]) -> Iterator[bytes]:
    for line in lines:
        advance(len(line))
        yield line
