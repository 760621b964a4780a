"""Files of responses, those included that other people's runners write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from plangauge.batch.responses import response_lines
from plangauge.integrations.inspect.logs import is_log, log_lines


@contextmanager
def lines_of(path: Path) -> Iterator[Iterable[bytes]]:
    """Give the rows of a file, one line of JSON for each; its name and beginning say what it is.

    Raises `ProblemError` where it cannot be read, `MissingExtra` where what reads it is missing.
    """
    opened = log_lines if is_log(path) else response_lines
    with opened(path) as lines:
        yield lines
