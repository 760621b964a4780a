"""Data sets of Hugging Face. Tried with datasets 5.2."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from plangauge.arrow.columns import NUMBERS, ArrowFunction
from plangauge.core.errors import needing

with needing("datasets", "rewards"):
    from datasets import Features

_PAIRS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.float64())]))
"""The type of scores, for which the library has no maps."""


def mapped(data: Any, function: ArrowFunction, **options: Any) -> Any:
    """Return the results for a data set; ``options`` are those of its method ``map``.

    Scores by name become lists of ``key`` and ``value``.
    """
    schema = pa.schema([
        (field.name, _PAIRS if field.type == NUMBERS else field.type)
        for field in function.output_schema
    ])  # fmt: skip

    def apply(table: pa.Table) -> pa.Table:
        return function(table).cast(schema)

    return data.with_format("arrow").map(
        apply, batched=True, remove_columns=data.column_names,
        features=Features.from_arrow_schema(schema), **options,
    )  # fmt: skip
