"""Polars. Tried with Polars 2.1."""

from __future__ import annotations

from typing import Any

from plangauge.arrow.columns import ArrowFunction
from plangauge.core.errors import needing

with needing("polars", "polars"):
    import polars as pl


def mapped(data: Any, function: ArrowFunction) -> Any:
    """Return the results for a frame, or lazily for a lazy frame, which are computed in one thread.

    Scores by name become lists of ``key`` and ``value``.
    """

    def apply(frame: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame(pl.from_arrow(function(frame.to_arrow())))

    if isinstance(data, pl.LazyFrame):
        empty = pl.DataFrame(pl.from_arrow(function.output_schema.empty_table()))
        return data.map_batches(apply, schema=empty.schema, validate_output_schema=True)
    return apply(data)
