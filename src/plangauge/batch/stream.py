"""Rows of JSON as a stream, worked on by one process or by several, in the same order."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from plangauge.errors import Error, ProblemError

_CHUNK = 64
_IN_FLIGHT = 4

Row: TypeAlias = dict[str, Any]
T = TypeVar("T")


def stream(
    lines: Iterable[bytes], work: Callable[[int, bytes], T], *, jobs: int = 1
) -> Iterator[T]:
    """Yield what ``work`` makes of the number and the bytes of each line that is not blank.

    Memory does not grow with the number of lines; with several ``jobs``, processes share the work,
    which must then be picklable.
    """
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    if jobs <= 1:
        return (work(number, line) for number, line in numbered)
    return _in_parallel(numbered, work, jobs)


def attempt(
    number: int, line: bytes, work: Callable[[Row], Row]
) -> tuple[Any, Row | None, str | None]:
    """Return the ``id`` of the row in a line, and what ``work`` makes of it or else the error."""
    ident: Any = None
    try:
        row = _decode(line)
        ident = row.get("id")
        return ident, work(row), None
    except Error as problem:
        return ident, None, f"line {number}: {problem}"


def text_in(row: Row, key: str, what: str = "the path of a file") -> str:
    """Return a text of a row; raises `ProblemError` where it is missing or no text."""
    value = row.get(key)
    if not isinstance(value, str):
        found = f", not {value!r}" if key in row else ""
        raise ProblemError(f"'{key}' must be {what}{found}")
    return value


def _in_parallel(
    numbered: Iterator[tuple[int, bytes]], work: Callable[[int, bytes], T], jobs: int
) -> Iterator[T]:
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    # Not forked: a fork copies the locks of whatever threads the caller runs.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: deque[Future[list[T]]] = deque()
        while chunk := list(islice(numbered, _CHUNK)):
            waiting.append(pool.submit(_chunk, chunk, work))
            if len(waiting) >= jobs * _IN_FLIGHT:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _chunk(chunk: list[tuple[int, bytes]], work: Callable[[int, bytes], T]) -> list[T]:
    return [work(number, line) for number, line in chunk]


def _decode(line: bytes) -> Row:
    import msgspec

    try:
        row = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        row = _decode_loosely(line, error)
    if not isinstance(row, dict):
        raise ProblemError('expected an object such as {"id": 1, "domain": …}')
    return row


def _decode_loosely(line: bytes, error: Exception) -> Any:
    """Decode what Python's own writer of JSON lets through: lone surrogates, for example."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise ProblemError(f"not JSON: {error}") from None


def encode_row(row: Any) -> bytes:
    r"""Return a value as JSON in UTF-8.

    >>> encode_row({"id": "é"}).decode(), encode_row({"id": "\ud800"})
    ('{"id":"é"}', b'{"id": "\\ud800"}')
    """
    import msgspec

    try:
        return msgspec.json.encode(row)
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(row).encode()
