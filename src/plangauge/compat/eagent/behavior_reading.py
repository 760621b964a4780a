"""Reading action sequences for BEHAVIOR as the Embodied Agent Interface does."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

from plangauge.reading.households.behavior import Item, strict_items

_LONGEST_LITERAL = 1_000_000
"""Up to here, in characters, a list that is no JSON is read as a Python literal."""


def read_published(text: str) -> list[Item]:
    """Return the items that EAI reads: from the first ``[`` to the first ``]``, as Python.

    Where that is no list of literals, there are none; items without both keys are passed over. (It
    evaluates what a model wrote. Here only literals are read, and only up to 1,000,000 characters
    of what is not JSON as well.)

    >>> read_published("Plan: [{'action': 'OPEN', 'object': 'box_1'}, 'x'] or [{}]")
    [('OPEN', 'box_1')]
    >>> read_published("[1]: [{'action': 'OPEN', 'object': 'box_1'}]")
    []
    """
    start, end = text.find("["), text.find("]")
    literal = text[start : end + 1] if start >= 0 else ""
    items: Sequence[Any] | None = None
    if "\\" not in literal:  # where JSON and Python agree on what a text is
        items = strict_items(literal)
    if items is None:
        items = _evaluated(literal)
    return [
        (item["action"], item["object"])
        for item in items
        if isinstance(item, dict) and "action" in item and "object" in item
    ]


def _evaluated(literal: str) -> Sequence[Any]:
    if len(literal) > _LONGEST_LITERAL:
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes that mean nothing
            value = ast.literal_eval(literal)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return ()
    return value if isinstance(value, list) else ()
