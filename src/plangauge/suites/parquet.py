"""Tables in Parquet, by means of DuckDB, which is imported when it is needed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from plangauge.errors import MissingExtra, ProblemError

_SETTINGS = {"threads": 1, "autoinstall_known_extensions": False}
_FETCHED = 1000
_ROW_GROUP = 8192
_LONGEST_LINE = 1 << 24
"""How many bytes of a line DuckDB takes unless it is told of a longer one."""
_HALF = b"\\ud"
_WILDCARD = re.compile(r"[*?\[]")


def is_available() -> bool:
    """Return whether DuckDB is installed."""
    return find_spec("duckdb") is not None


def require() -> None:
    """Raise `MissingExtra` where DuckDB is not installed."""
    _duckdb()


def parquet_rows(file: Path, needed: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file; raises `ProblemError` where it is none.

    It is also raised where there is no column of a name that is ``needed``.
    """
    duckdb = _duckdb()
    query = "SELECT * FROM read_parquet(?, hive_partitioning=false)"
    try:
        with duckdb.connect(config=_SETTINGS) as connection:
            found = connection.execute(query, [one_file(file)])
            names = [column[0] for column in found.description]
            check_columns(file, names, needed)
            while rows := found.fetchmany(_FETCHED):
                for row in rows:
                    yield dict(zip(names, row, strict=True))
    except (duckdb.Error, UnicodeEncodeError) as error:
        raise ProblemError(f"not Parquet: {_reason(error)}", file=str(file)) from None


def check_columns(file: Path, names: Iterable[str], needed: Collection[str]) -> None:
    """Raise `ProblemError` where a table has no column of a name that is needed."""
    lacking = set(needed) - set(names)
    if lacking:
        raise ProblemError(f"there is no column {min(lacking)!r}", file=str(file))


def write_parquet(lines: Path, file: Path, columns: Mapping[str, str]) -> None:
    r"""Write a file of JSON lines as Parquet, always the same bytes for the same lines.

    ``columns`` are names and types of DuckDB. Lists and objects in a column of texts stay JSON.
    Parquet cannot express half of a surrogate pair: in a text it becomes ``\ud800``, in JSON that
    is what it was. Memory does not grow with the number of lines. Raises `MissingExtra` without
    DuckDB.
    """
    duckdb = _duckdb()
    longest, whole = _survey(lines)
    source = lines if whole else file.with_suffix(".whole")
    target = str(file.resolve()).replace("'", "''")
    types = ", ".join(f"'{name}': '{type_}'" for name, type_ in columns.items())
    query = (
        "COPY (SELECT * FROM read_json(?, format='newline_delimited', hive_partitioning=false, "  # noqa: S608
        f"columns={{{types}}}, maximum_object_size={max(_LONGEST_LINE, 2 * longest)})) "
        f"TO '{target}' "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP})"
    )
    try:
        if not whole:
            _copy_without_halves(lines, source, columns)
        with duckdb.connect(config=_SETTINGS) as connection:
            connection.execute(query, [one_file(source)])
    except (duckdb.Error, UnicodeEncodeError) as error:
        raise ProblemError(f"cannot write Parquet: {_reason(error)}", file=str(file)) from None
    finally:
        if not whole:
            source.unlink(missing_ok=True)


def _duckdb() -> Any:
    try:
        return import_module("duckdb")
    except ImportError:
        raise MissingExtra("duckdb", "report") from None


def _reason(error: Exception) -> str:
    """Return what DuckDB says first; the query follows."""
    return str(error).partition("\n")[0]


def one_file(file: Path) -> str:
    """Return the name of one file where a pattern is expected."""
    return _WILDCARD.sub(r"[\g<0>]", str(file.resolve()))


def _survey(lines: Path) -> tuple[int, bool]:
    """Return the length of the longest line, and whether no line has half of a surrogate pair."""
    longest, whole = 0, True
    with lines.open("rb") as opened:
        for line in opened:
            longest = max(longest, len(line))
            whole = whole and _HALF not in line
    return longest, whole


def _copy_without_halves(lines: Path, target: Path, columns: Mapping[str, str]) -> None:
    with lines.open("rb") as opened, target.open("wb") as copy:
        for line in opened:
            copy.write(_without_halves(line, columns) if _HALF in line else line)


def _without_halves(line: bytes, columns: Mapping[str, str]) -> bytes:
    row = json.loads(line)
    for name, value in row.items():
        if isinstance(value, str):
            row[name] = value.encode("utf-8", "backslashreplace").decode()
        elif isinstance(value, list | dict) and columns.get(name) == "VARCHAR":
            row[name] = json.dumps(value, separators=(",", ":"))
    return json.dumps(row).encode() + b"\n"
