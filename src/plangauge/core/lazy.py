"""Values computed when they are first used, and caches of bounded size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801
    """As functools.cached_property, without the lock that this takes before Python 3.12.

    Short plans are compared in less time than the locks would take.

    >>> class Point:
    ...     @lazy
    ...     def x(self):
    ...         print("computing")
    ...         return 1
    >>> point = Point()
    >>> point.x + point.x
    computing
    2
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> T | lazy[T]:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._function(instance)
        return value


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
