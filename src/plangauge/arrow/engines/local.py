"""This machine, without any library."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from plangauge.arrow.columns import ArrowFunction, Data
from plangauge.core.errors import ProblemError
from plangauge.core.workers import in_parallel


def mapped(data: Data, function: ArrowFunction) -> Data:
    """Return the results for a table or record batch."""
    return function(data)


def compute(
    table: pa.Table, function: ArrowFunction, jobs: int = 1, address: str = ""
) -> Iterable[pa.Table]:
    """Yield the results for each row of a table, computed by ``jobs`` processes."""
    if address:
        raise ProblemError("the engine 'local' has no address")
    rows = [table.slice(number, 1) for number in range(table.num_rows)]
    if jobs <= 1:
        return map(function, rows)
    return in_parallel(function, ((row,) for row in rows), jobs)
