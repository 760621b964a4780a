"""Files of responses, as lines of JSON: JSONL, CSV, and Parquet where DuckDB is installed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from plangauge.batch.stream import Row, text_in
from plangauge.errors import MissingExtra, ProblemError
from plangauge.records import Response

_LONGEST_FIELD = 2**31 - 1
_ROWS = 1000


@contextmanager
def response_lines(path: Path) -> Iterator[Iterable[bytes]]:
    """Give the rows of a file, one line of JSON for each; the ending of its name says what it is.

    Raises `ProblemError` where the file cannot be read, `MissingExtra` for Parquet without DuckDB.
    """
    if path.suffix.lower() == ".parquet":
        yield _parquet(path)
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
        except OSError as error:
            raise ProblemError(f"cannot read the file: {error.strerror}", file=str(path)) from None
        if path.suffix.lower() != ".csv":
            yield file
            return
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
        yield _csv(path, stack.enter_context(text))


def response_in(row: Row, model: str) -> Response:
    """Return the response that a row holds; ``model`` stands for a name that it lacks.

    A response of null is a missing one. Raises `ProblemError` for a malformed row.
    """
    if "response" not in row:
        raise ProblemError("'response' is missing")
    ident = text_in(row, "id", "the id of a sample")
    text = None if row["response"] is None else text_in(row, "response", "a text or null")
    named = text_in(row, "model", "a name") if row.get("model") else model
    stop = text_in(row, "stop_reason", "a text") if row.get("stop_reason") else None
    return Response(ident, text, named, _epoch(row.get("epoch")), stop)


def _epoch(value: Any) -> int:
    if value in (None, ""):
        return 1
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ProblemError(f"'epoch' must be a whole number, not {value!r}")
    return value


def _csv(path: Path, text: TextIO) -> Iterator[bytes]:
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.DictReader(text)
    try:
        lacking = {"id", "response"} - set(rows.fieldnames or ())
        if lacking:
            message = f"there is no column {min(lacking)!r}"
            raise ProblemError(message, file=str(path), line=1)
        for row in rows:
            yield json.dumps({key: value for key, value in row.items() if key}).encode()
    except csv.Error as error:
        raise ProblemError(f"not CSV: {error}", file=str(path), line=rows.line_num) from None


def _parquet(path: Path) -> Iterator[bytes]:
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        raise MissingExtra("duckdb", "report") from None
    try:
        found = duckdb.connect().execute("SELECT * FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description]
        while rows := found.fetchmany(_ROWS):
            for row in rows:
                yield json.dumps(dict(zip(names, row, strict=True)), default=str).encode()
    except duckdb.Error as error:
        raise ProblemError(f"not Parquet: {error}", file=str(path)) from None
