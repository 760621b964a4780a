"""Which objects satisfy a conjunction: joining facts instead of trying all objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from plangauge.pddl.backtrack import Choice, backtrack
from plangauge.pddl.formulas import Literal
from plangauge.pddl.instance import Key
from plangauge.pddl.types import Types

Row = tuple[str, ...]


class Relations:
    """Facts by predicate, with an index for each combination of known arguments asked for."""

    def __init__(self, keys: Iterable[Key], base: Relations | None = None) -> None:
        self._rows: dict[str, list[Row]] = {}
        self._indexes: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = {}
        self._base = base
        for key in keys:
            self._rows.setdefault(key[0], []).append(key[1:])

    def has(self, key: Key) -> bool:
        """Return whether a fact is true."""
        return bool(self.rows(key[0], tuple(range(len(key) - 1)), key[1:]))

    def count(self, predicate: str) -> int:
        """Return the number of facts of a predicate."""
        if predicate not in self._rows and self._base is not None:
            return self._base.count(predicate)
        return len(self._rows.get(predicate, ()))

    def rows(self, predicate: str, places: tuple[int, ...], values: Row) -> Sequence[Row]:
        """Return the arguments of the facts that have these values at these places."""
        if predicate not in self._rows and self._base is not None:
            return self._base.rows(predicate, places, values)
        if not places:
            return self._rows.get(predicate, ())
        index = self._indexes.get((predicate, places))
        if index is None:
            index = {}
            for row in self._rows.get(predicate, ()):
                index.setdefault(tuple([row[place] for place in places]), []).append(row)
            self._indexes[predicate, places] = index
        return index.get(values, ())


@dataclass(frozen=True)
class Query:
    """Variables with their types, and the positive literals that their values must satisfy."""

    variables: Mapping[str, Types]
    literals: tuple[Literal, ...]


def solve(
    query: Query, relations: Relations, objects: Callable[[Types], Mapping[str, None]]
) -> Iterator[dict[str, str]]:
    """Yield every binding of the variables that satisfies the literals, each once.

    A variable that no literal mentions takes all objects of its types.
    """
    order = _order(query, relations)
    bound = {term for literal in order for term in literal.terms}
    allowed = {name: objects(types) for name, types in query.variables.items()}
    choices: list[Choice[dict[str, str]]] = [
        partial(_matches, literal, relations, allowed) for literal in order
    ]
    for name, values in allowed.items():
        if name not in bound:
            choices.append(partial(_values, name, values))
    return backtrack({}, choices)


def _order(query: Query, relations: Relations) -> list[Literal]:
    """Order the literals greedily: fewest unknown variables first, then fewest facts."""
    known: set[str] = set()
    rest = list(query.literals)
    order: list[Literal] = []
    while rest:
        best = min(rest, key=lambda literal: _effort(literal, known, query, relations))
        rest.remove(best)
        order.append(best)
        known.update(best.terms)
    return order


def _effort(
    literal: Literal, known: set[str], query: Query, relations: Relations
) -> tuple[bool, int, int]:
    terms = set(literal.terms)
    unknown = sum(term in query.variables and term not in known for term in terms)
    return unknown == len(terms) > 0, unknown, relations.count(literal.predicate)


def _matches(
    literal: Literal,
    relations: Relations,
    allowed: Mapping[str, Mapping[str, None]],
    binding: dict[str, str],
) -> Iterator[dict[str, str]]:
    """Yield the extensions of a binding for which a literal is true."""
    terms = literal.terms
    places = tuple([i for i, t in enumerate(terms) if t in binding or t not in allowed])
    values = tuple([binding.get(terms[place], terms[place]) for place in places])
    fresh = [(place, t) for place, t in enumerate(terms) if t in allowed and t not in binding]
    for row in relations.rows(literal.predicate, places, values):
        extended = dict(binding)
        if all(_agree(extended, name, row[place], allowed) for place, name in fresh):
            yield extended


def _agree(
    binding: dict[str, str], name: str, value: str, allowed: Mapping[str, Mapping[str, None]]
) -> bool:
    """Bind a variable where it may take the value; it may stand twice in one literal."""
    return binding.setdefault(name, value) == value and value in allowed[name]


def _values(name: str, values: Iterable[str], binding: dict[str, str]) -> Iterator[dict[str, str]]:
    for value in values:
        yield {**binding, name: value}
