"""``plangauge prompts``: what a model is to be asked, for whatever runs it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click


@click.command(
    epilog="""\b
Examples:
  plangauge prompts suite -o prompts.jsonl
  plangauge prompts suite | head -1

\b
A row: {"id": …, "messages": [{"role": "system", "content": …}, {"role": "user", "content": …}]}
Answer each with a row {"id": …, "response": …}; then: plangauge score suite responses.jsonl"""
)
@click.argument("suite")
@click.option("-o", "--output", metavar="FILE", help="Where the rows go (default: stdout).")
def command(*, suite: str, output: str | None) -> None:
    """Write the prompts of a suite, a row of JSON for each."""
    from plangauge.suites import Suite
    from plangauge.suites.files import as_line

    opened = Suite.load(suite)
    with output_file(output) as out:
        for sample in opened:
            out.write(as_line({"id": sample.id, "messages": opened.messages(sample)}))


@contextmanager
def output_file(path: str | None) -> Iterator[BinaryIO]:
    """Give a file to write to, standard output for None."""
    from plangauge.suites.files import new_file

    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with new_file(path) as file:
        yield file
