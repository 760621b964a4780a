"""Facts by predicate, indexed on demand by the argument places of a join."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from plangauge.pddl.types import Types

Row: TypeAlias = tuple[str, ...]
"""The arguments of a fact, or the values of some variables."""

Objects: TypeAlias = Callable[[Types], Mapping[str, None]]
"""Types → the objects of any of them, in the order of their declaration."""


def picker(places: Sequence[int]) -> Callable[[Row], Row]:
    """Return the function that takes the values at these places from a row.

    >>> picker([2, 0])(("a", "b", "c")), picker([1])(("a", "b", "c")), picker([])(("a",))
    (('c', 'a'), ('b',), ())
    """
    if len(places) > 1:
        return itemgetter(*places)
    start = places[0] if places else 0
    return itemgetter(slice(start, start + len(places)))


class Access(NamedTuple):
    """How facts are looked up: by the values at some places, for those at other places."""

    known: tuple[int, ...]
    fresh: tuple[int, ...]
    types: tuple[Types, ...]
    """The types of the values at the fresh places."""
    same: tuple[tuple[int, int], ...] = ()
    """Places that must have the same value."""


class Relation:
    """The facts of one predicate.

    >>> road = Relation([("a", "b"), ("a", "c"), ("b", "c")])
    >>> road.index(Access((0,), (1,), (("object",),)), lambda types: dict.fromkeys("abc"))
    {('a',): [('b',), ('c',)], ('b',): [('c',)]}
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: dict[Row, None] = dict.fromkeys(rows)
        self._indexes: dict[Access, tuple[dict[Row, list[Row]], Objects]] = {}
        self._distinct: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, rows: Iterable[Row]) -> list[Row]:
        """Add facts, and return those that are new."""
        fresh = [row for row in dict.fromkeys(rows) if row not in self.rows]
        self.rows.update(dict.fromkeys(fresh))
        for access, (index, objects) in self._indexes.items():
            _insert(index, fresh, access, objects)
        self._distinct.clear()
        return fresh

    def index(self, access: Access, objects: Objects) -> Mapping[Row, list[Row]]:
        """Return values at the known places → the values at the fresh places."""
        known = self._indexes.get(access)
        if known is None:
            index: dict[Row, list[Row]] = {}
            _insert(index, self.rows, access, objects)
            known = self._indexes[access] = index, objects
        return known[0]

    def matches(self, places: Iterable[int]) -> float:
        """Estimate how many facts have given values at these places."""
        found = float(len(self.rows))
        for place in places:
            if place not in self._distinct:
                self._distinct[place] = len({row[place] for row in self.rows})
            found /= max(1, self._distinct[place])
        return found


def _insert(
    index: dict[Row, list[Row]], rows: Iterable[Row], access: Access, objects: Objects
) -> None:
    key, value = picker(access.known), picker(access.fresh)
    if access.same:
        rows = [row for row in rows if all(row[one] == row[other] for one, other in access.same)]
    for place, types in zip(access.fresh, access.types, strict=True):
        allowed = objects(types)
        rows = [row for row in rows if row[place] in allowed]
    for row in rows:
        index.setdefault(key(row), []).append(value(row))
