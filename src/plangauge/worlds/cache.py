"""A cache of the most recently used problems, with the values derived from them.

What is derived from a problem, such as its vocabulary or the scorers of its questions, is stored in
`Problem.prepared`, so that it is measured and evicted with the problem.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from plangauge.worlds.base import Problem

T = TypeVar("T")

ROOM = 1 << 28
"""The bytes that the problems of a process may occupy, by their own estimate."""

_WEIGHED = 7
"""A problem is measured again at every seventh use."""


class SharedResults(Generic[T]):
    """The results of a function, shared as long as anything else refers to them.

    >>> class Text(str): pass
    >>> lowered = SharedResults(lambda text: Text(text.lower()))
    >>> one = lowered("A")
    >>> lowered("A") is one
    True
    """

    def __init__(self, make: Callable[..., T]) -> None:
        self.make = make
        self.known: WeakValueDictionary[tuple[Hashable, ...], T] = WeakValueDictionary()

    def __call__(self, *key: Hashable) -> T:
        """Return the function's result for the arguments; exceptions are not cached."""
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.make(*key)
        return found


class ProblemCache:
    """The most recently used problems; others lose the values derived from them.

    A problem is measured when it is added and, because it grows with use, now and then.
    """

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self.size = 0
        self._uses = Counter[int]()
        self._problems: OrderedDict[int, tuple[Problem[Any], int]] = OrderedDict()
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._problems)

    def use(self, problem: Problem[Any]) -> None:
        """Mark a problem as the most recently used, and evict the least recent to make room."""
        key = id(problem)
        with self._lock:
            self._uses[key] += 1
            if key in self._problems and self._uses[key] % _WEIGHED != 2:
                self._problems.move_to_end(key)
                return
            size = problem.size
            _, before = self._problems.pop(key, (problem, 0))
            self._problems[key] = problem, size
            self.size += size - before
            while self.size > self.room and len(self._problems) > 1:
                other, (oldest, freed) = self._problems.popitem(last=False)
                del self._uses[other]
                self.size -= freed
                oldest.prepared.clear()  # derived values may refer to the problem and keep it alive
            if self.size > self.room:  # even the last one alone is too large
                problem.prepared.clear()
                self.size = problem.size
                self._problems[key] = problem, self.size

    def clear(self) -> None:
        """Evict all problems."""
        with self._lock:
            for problem, _ in self._problems.values():
                problem.prepared.clear()
            self._problems.clear()
            self._uses.clear()
            self.size = 0

    def unlock(self) -> None:
        """Replace the lock in a forked process: a thread of its parent may have acquired it."""
        self._lock = RLock()


CACHE = ProblemCache()
"""The cache of this process."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CACHE.unlock)
