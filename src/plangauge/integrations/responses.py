"""Files of responses, including the logs of other evaluation frameworks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from plangauge.integrations.inspect import logs as inspect
from plangauge.integrations.lm_eval import logs as lm_eval
from plangauge.scoring.records import Response
from plangauge.scoring.responses import response_lines, responses_in
from plangauge.scoring.suite import Lines
from plangauge.suites import Suite


@contextmanager
def lines_of(path: Path, suite: Suite | None = None) -> Iterator[Iterable[bytes]]:
    """Open a file as rows, one line of JSON for each; name and beginning determine its format.

    Raises `ProblemError` where it cannot be read, or is about another suite than ``suite``, and
    `MissingExtra` where the library to read it is missing.
    """
    with _reader(path, suite)(path) as lines:
        yield lines


def responses_of(path: Path, model: str) -> Iterator[Response]:
    """Yield the responses in a file; invalid rows are left out.

    Raises what `lines_of` raises.
    """
    with lines_of(path) as lines:
        yield from responses_in(lines, model)


def _reader(path: Path, suite: Suite | None) -> Lines:
    if inspect.is_log(path):
        return partial(inspect.log_lines, suite=suite)
    return partial(lm_eval.log_lines, suite=suite) if lm_eval.is_log(path) else response_lines
