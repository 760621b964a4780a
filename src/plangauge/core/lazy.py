"""Lazily computed values."""

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
