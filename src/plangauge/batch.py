"""Validating many answers: one row of JSON in, one row of JSON out, in the same order."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from plangauge.errors import Error, ProblemError
from plangauge.evaluate import validate
from plangauge.pddl.domain import Domain
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import load_domain, problem_of, read_text

_CHUNK = 64
_IN_FLIGHT = 4
_RESULTS = (
    "readable", "reading", "notation", "executable", "goal_reached", "valid", "fault", "step",
    "action", "message", "unmet", "goal_fraction", "goal_missed", "length", "executed", "cost",
    "metrics",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """How rows are read."""

    root: str = "."
    """What the paths in the rows are relative to."""
    notation: str = "auto"


@dataclass
class Tally:
    """How many rows came out how."""

    rows: int = 0
    bad: int = 0
    unreadable: int = 0
    executable: int = 0
    valid: int = 0

    def add(self, row: dict[str, Any]) -> None:
        """Count a row of results."""
        self.rows += 1
        self.bad += row["error"] is not None
        self.unreadable += row["readable"] is False
        self.executable += row["executable"] is True
        self.valid += row["valid"] is True


def validate_rows(
    lines: Iterable[bytes], options: Options, *, jobs: int = 1
) -> Iterator[dict[str, Any]]:
    """Yield a row of results for each line that is not blank, in the same order.

    A line is ``{"id", "domain", "problem", "plan"}``, where the domain and the problem are paths
    and the plan is a text (or JSON that the notation ``json`` reads), with an optional
    ``"reference"`` plan and ``"notation"``. A line that cannot be used gives a row whose ``error``
    says why. Memory does not grow with the number of lines; ``jobs`` processes share the work.
    """
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    if jobs <= 1:
        return (_validate_line(number, line, options) for number, line in numbered)
    return _in_parallel(numbered, options, jobs)


def _in_parallel(
    numbered: Iterator[tuple[int, bytes]], options: Options, jobs: int
) -> Iterator[dict[str, Any]]:
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    # Not forked: a fork copies the locks of whatever threads the caller runs.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: deque[Future[list[dict[str, Any]]]] = deque()
        while chunk := list(islice(numbered, _CHUNK)):
            waiting.append(pool.submit(_validate_chunk, chunk, options))
            if len(waiting) >= jobs * _IN_FLIGHT:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _validate_chunk(chunk: list[tuple[int, bytes]], options: Options) -> list[dict[str, Any]]:
    return [_validate_line(number, line, options) for number, line in chunk]


def _validate_line(number: int, line: bytes, options: Options) -> dict[str, Any]:
    """Return the results for one line; whatever is wrong with the line itself is its ``error``."""
    ident: Any = None
    results: dict[str, Any] = dict.fromkeys(_RESULTS)
    error: str | None = None
    try:
        row = _decode(line)
        ident = row.get("id")
        results = _validate_row(row, options)
    except Error as problem:
        error = f"line {number}: {problem}"
    return {"id": ident, "error": error, **results}


def _decode(line: bytes) -> dict[str, Any]:
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


def _validate_row(row: dict[str, Any], options: Options) -> dict[str, Any]:
    root = Path(options.root)
    problem = _load(str(root / _text(row, "domain")), str(root / _text(row, "problem")))
    if row.get("plan") is None:
        raise ProblemError("'plan' is missing")
    notation = row.get("notation", options.notation)
    if not isinstance(notation, str):
        raise ProblemError(f"'notation' must be a name, not {notation!r}")
    reference = row.get("reference")
    verdict = validate(
        problem,
        _plan_text(row["plan"]),
        notation=notation,
        reference=None if reference is None else _plan_text(reference),
    )
    return verdict.as_row()


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        found = f", not {value!r}" if key in row else ""
        raise ProblemError(f"'{key}' must be the path of a file{found}")
    return value


def _plan_text(plan: Any) -> str:
    """Return a plan as text; a list or an object is written back as JSON."""
    if isinstance(plan, str):
        return plan
    return encode_row(plan).decode()


@lru_cache(maxsize=64)
def _load_domain(path: str) -> Domain:
    return load_domain(path)


@lru_cache(maxsize=256)
def _load(domain: str, problem: str) -> Problem[int]:
    return problem_of(_load_domain(domain), read_text(problem), problem)
