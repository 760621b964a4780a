"""A cache of bounded size."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """A cache that is emptied when its entries would exceed ``most`` in total size.

    >>> squares = BoundedCache[int, int](most=2)
    >>> [squares.put(number, number**2) for number in (1, 2, 3)], squares
    ([1, 4, 9], {3: 9})
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._size = 0

    def put(self, key: K, result: V, size: int = 1) -> V:
        """Store a result of this size, and return it."""
        self._size += size
        if self._size > self._most:
            self.clear()
            self._size = size
        self[key] = result
        return result
