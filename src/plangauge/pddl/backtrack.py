"""Trying choices one after another: bindings of variables, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Choice: TypeAlias = Callable[[T], Iterator[T]]
"""What is so far → each way to go on."""


def backtrack(start: T, choices: Sequence[Choice[T]]) -> Iterator[T]:
    """Yield all that the choices make of a start, the last choice changing fastest.

    >>> list(backtrack("x", [lambda s: iter((s + "0", s + "1"))] * 2))
    ['x00', 'x01', 'x10', 'x11']
    """
    path = [iter((start,))]
    while path:
        current = next(path[-1], None)
        if current is None:
            path.pop()
        elif len(path) > len(choices):
            yield current
        else:
            path.append(choices[len(path) - 1](current))
