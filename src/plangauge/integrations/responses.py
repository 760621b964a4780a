"""Files of responses, those included that other people's runners write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from plangauge.batch.responses import response_lines, responses_in
from plangauge.batch.suite import Lines
from plangauge.integrations.inspect import logs as inspect
from plangauge.integrations.lm_eval import logs as lm_eval
from plangauge.records import Response
from plangauge.suites import Suite


@contextmanager
def lines_of(path: Path, suite: Suite | None = None) -> Iterator[Iterable[bytes]]:
    """Give the rows of a file, one line of JSON for each; its name and beginning say what it is.

    Raises `ProblemError` where it cannot be read, or says that it was not this ``suite`` that was
    asked, and `MissingExtra` where what reads it is missing.
    """
    with _reader(path, suite)(path) as lines:
        yield lines


def responses_of(path: Path, model: str) -> Iterator[Response]:
    """Yield the responses in a file; rows that are none are left out.

    Raises what `lines_of` raises.
    """
    with lines_of(path) as lines:
        yield from responses_in(lines, model)


def _reader(path: Path, suite: Suite | None) -> Lines:
    if inspect.is_log(path):
        return partial(inspect.log_lines, suite=suite)
    return partial(lm_eval.log_lines, suite=suite) if lm_eval.is_log(path) else response_lines
