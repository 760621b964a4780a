"""Running a batch from the command line: files, progress, and the summary at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from plangauge.batch import (
    Options,
    ReadTally,
    ScoreTally,
    Tally,
    encode_row,
    read_rows,
    score_rows,
    validate_rows,
)
from plangauge.batch.stream import Row
from plangauge.cli.console import (
    InputError,
    output_file,
    print_written,
    printable,
    processes,
    unreadable,
)
from plangauge.cli.progress import watched
from plangauge.reading import NOTATIONS


class Place(NamedTuple):
    """Where rows come from, where they go (None: stdout), and whether counts are told as JSON."""

    batch: str
    output: str | None
    as_json: bool


def validate_batch(place: Place, options: Options, jobs: int) -> int:
    """Validate every row of a file; return the exit status."""
    if options.notation != "auto":
        NOTATIONS[options.notation]
    return _run(place, partial(validate_rows, options=options, jobs=jobs), Tally())


def score_batch(place: Place, options: Options, jobs: int) -> int:
    """Score every row of a file; return the exit status."""
    return _run(place, partial(score_rows, options=options, jobs=jobs), ScoreTally())


def read_batch(place: Place, options: Options, jobs: int) -> int:
    """Read the answer in every row of a file; return the exit status."""
    return _run(place, partial(read_rows, options=options, jobs=jobs), ReadTally(), "reading")


def batch_options(
    root: str | None, jobs: int | None, notation: str = "auto"
) -> tuple[Options, int]:
    """Return how rows are read and by how many processes; raise `InputError` for no such folder."""
    folder = "." if root is None else root
    if not Path(folder).is_dir():
        raise InputError(f"{printable(folder)}: there is no such folder")
    return Options(folder, notation), processes(jobs)


def _run(
    place: Place,
    rows: Callable[[Iterable[bytes]], Iterator[Row]],
    tally: Tally | ScoreTally | ReadTally,
    doing: str = "judging",
) -> int:
    """Write a row for every row of a file and report the counts; return the exit status."""
    with (
        _opened(place.batch) as (lines, size),
        watched(doing, size) as advance,
        output_file(place.output) as out,
    ):
        for row in rows(_counted(lines, advance)):
            tally.add(row)
            out.write(encode_row(row) + b"\n")
    if place.as_json:
        print_written(place.output, asdict(tally))
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
