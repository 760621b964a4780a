"""Files of results: JSON in the layout of the original, whatever a model has written."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

_DEEPEST = 50


def as_results(value: Any) -> bytes:
    r"""Return a value as JSON in ASCII, which every reader of JSON takes.

    Numbers that JSON does not have become texts, and what is nested deeper than 50 is cut.

    >>> as_results([float("nan"), "\ud800"])
    b'[\n    "nan",\n    "\\ud800"\n]\n'
    """
    return (json.dumps(_plain(value, 0), indent=4, allow_nan=False) + "\n").encode()


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {key: _plain(part, depth + 1) for key, part in value.items()}
    return [_plain(part, depth + 1) for part in value]
