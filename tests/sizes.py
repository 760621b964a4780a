"""How much is tried: a part by default, everything by ``pytest -m long``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

LONG = pytest.mark.long


def examples(number: int) -> int:
    """Return how many of so many examples of a law are tried."""
    return max(1, number * settings().max_examples // 100)


def sized(name: str, some: int, every: int) -> pytest.MarkDecorator:
    """Give a test a number: one that makes it quick by default, and in a long test the whole."""
    return pytest.mark.parametrize(name, [some, pytest.param(every, marks=LONG)])


def one_in(number: int) -> pytest.MarkDecorator:
    """Give a test a ``step``: by default one in so many cases is tried, in a long test each."""
    return sized("step", number, 1)


def chosen(cases: Iterable[Any], number: int) -> list[Any]:
    """Mark all cases of a test as long but one in so many; a tuple is one of several parameters."""
    values = (case if type(case) is tuple else (case,) for case in cases)
    return [
        pytest.param(*case, marks=[LONG] * (place % number > 0))
        for place, case in enumerate(values)
    ]
