"""Running a batch from the command line: files, progress, and the summary at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import click

from plangauge.batch import Options, ScoreTally, Tally, encode_row, score_rows, validate_rows
from plangauge.batch.stream import Row
from plangauge.cli.console import InputError, output_file, printable, processes, unreadable
from plangauge.cli.progress import watched
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
    return Options(folder, notation), processes(jobs)


def _run(
    batch: str,
    output: str | None,
    rows: Callable[[Iterable[bytes]], Iterator[Row]],
    tally: Counts,
) -> int:
    """Write a row for every row of a file and report the counts; return the exit status."""
    with (
        _opened(batch) as (lines, size),
        watched("judging", size) as advance,
        output_file(output) as out,
    ):
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


def _counted(lines: Iterable[bytes], advance: Callable[[int], Any]) -> Iterator[bytes]:
    for line in lines:
        advance(len(line))
        yield line
