"""The facts that can change, as bits of a state, and a state as relations."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from plangauge.core.model import Fact
from plangauge.pddl.instance import Key
from plangauge.pddl.relations import Relation, Row


class FactTable:
    """The facts that can change, each with a bit, in the order in which they were first met."""

    def __init__(self) -> None:
        self._places: dict[str, dict[Row, int]] = {}
        self._facts: list[Fact] = []
        self._masks: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def __getstate__(self) -> list[Fact]:
        with self._lock:
            return list(self._facts)

    def __setstate__(self, facts: list[Fact]) -> None:
        self.__init__()  # type: ignore[misc]
        for fact in facts:
            self._place(fact.predicate, fact.args)

    def bit(self, key: Key) -> int:
        """Return the mask of a fact; a new one gets the next bit."""
        return 1 << self._place(key[0], key[1:])

    def mask(self, predicate: str, rows: Iterable[Row]) -> int:
        """Return the mask of many facts of one predicate."""
        return _mask([self._place(predicate, row) for row in rows])

    def of(self, predicate: str) -> int:
        """Return the mask of all facts of a predicate that have been met."""
        places = self._places.get(predicate, {})
        number, mask = self._masks.get(predicate, (0, 0))
        if len(places) != number:
            met = list(places.values())
            self._masks[predicate] = len(met), (mask := _mask(met))
        return mask

    def _place(self, predicate: str, row: Row) -> int:
        places = self._places.get(predicate)
        known = None if places is None else places.get(row)
        if known is None:
            with self._lock:
                places = self._places.setdefault(predicate, {})
                known = places.get(row)
                if known is None:
                    known = len(self._facts)
                    self._facts.append(Fact(predicate, row))
                    places[row] = known
        return known

    def has(self, mask: int, fact: Fact) -> bool:
        """Return whether a fact is in a mask; one that has not been met is in none."""
        place = self._places.get(fact.predicate, {}).get(fact.args)
        return place is not None and bool(mask >> place & 1)

    def facts(self, mask: int) -> Iterator[Fact]:
        """Yield the facts of a mask, in the order of their bits."""
        facts = self._facts
        digits = f"{mask:b}"[::-1]
        at = digits.find("1")
        while at >= 0:
            yield facts[at]
            at = digits.find("1", at + 1)


def _mask(places: Sequence[int]) -> int:
    bits = bytearray(max(places, default=0) // 8 + 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


class Tables:
    """States as relations; unchanged relations are reused from the previous state."""

    def __init__(self, table: FactTable, static: Collection[Key]) -> None:
        self.table = table
        self._last: dict[str, tuple[int, Relation]] = {}
        self._facts = static

    @cached_property
    def _static(self) -> dict[str, Relation]:
        rows: dict[str, list[Row]] = {}
        for key in sorted(self._facts):
            rows.setdefault(key[0], []).append(key[1:])
        return {predicate: Relation(listed) for predicate, listed in rows.items()}

    def at(self, state: int) -> dict[str, Relation]:
        """Return predicate → its facts in a state."""
        return _Lazy(self, state)

    def relation(self, predicate: str, state: int) -> Relation:
        """Return the facts of a predicate in a state."""
        static = self._static.get(predicate)
        if static is not None:
            return static
        bits = state & self.table.of(predicate)
        last = self._last.get(predicate)
        if last is None or last[0] != bits:
            last = bits, Relation(fact.args for fact in self.table.facts(bits))
            self._last[predicate] = last
        return last[1]

    def store(self, predicate: str, relation: Relation) -> int:
        """Store the relation of a predicate for reuse, and return the mask of its facts."""
        bits = self.table.mask(predicate, relation.rows)
        self._last[predicate] = bits, relation
        return bits


class _Lazy(dict[str, Relation]):
    """The relations of a state, made on demand."""

    def __init__(self, tables: Tables, state: int) -> None:
        super().__init__()
        self._tables, self._state = tables, state

    def __missing__(self, predicate: str) -> Relation:
        found = self[predicate] = self._tables.relation(predicate, self._state)
        return found
