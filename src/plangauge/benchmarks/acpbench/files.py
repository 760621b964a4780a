"""The rows of ACPBench's files, whatever their format."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from plangauge.benchmarks.base import encodable
from plangauge.core.errors import ProblemError
from plangauge.suites.files import read_bytes, unpacked
from plangauge.suites.parquet import parquet_rows

ENDINGS = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".parquet")

Row: TypeAlias = Mapping[str, Any]


def rows_of(file: Path) -> Iterator[Any]:
    """Yield the rows of a file; raises `ProblemError` where it is malformed."""
    if file.suffix == ".parquet":
        yield from parquet_rows(file)
        return
    data = read_bytes(file)
    try:
        if file.suffix == ".gz":
            data = b"".join(unpacked(gzip.GzipFile(fileobj=BytesIO(data)).read, str(file)))
        lines: Iterable[bytes] = data.splitlines() if ".jsonl" in file.suffixes else (data,)
        values = [json.loads(line) for line in lines if line.strip()]
    except ProblemError:
        raise
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise ProblemError(f"not JSON: {error}") from None
    for value in values:
        yield from value if isinstance(value, list) else (value,)


def is_name(ident: Any) -> TypeGuard[int | str]:
    """Return whether an id can be part of a sample's id: a number, or a text of one line."""
    if isinstance(ident, str):
        return ident.isprintable() and ident.strip() == ident != "" and "/" not in ident
    return isinstance(ident, int) and not isinstance(ident, bool)


def text_of(row: Row, key: str) -> str:
    """Return a text of a row; raises `ProblemError` where it is missing, or cannot be written."""
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise ProblemError(f"there is no {key!r}")
    if encodable(value) != value:
        raise ProblemError(f"{key!r} cannot be written")
    return value
