"""BDDL goals as the Embodied Agent Interface expands them: into options, of which it keeps some.

A term holds where all literals of one of its options do. Products of options are cut off after a
budget of 20, so that a goal can count as missed that is reached;
`plangauge.households.behavior.bddl.condition` has no such limits.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice, permutations, product
from math import comb, prod
from typing import TypeAlias

from plangauge.core.errors import Unsupported
from plangauge.core.model import Fact
from plangauge.households.behavior.bddl import (
    Atom,
    Compound,
    Groups,
    Quantified,
    Term,
    bindings,
    by_category,
    ground,
)

Option: TypeAlias = tuple[tuple[bool, Fact], ...]
"""Facts, each with whether it is to be true or false."""

_BUDGET = 20
_MOST_PERMUTATIONS = 10
_MOST_OPTIONS = 100_000


def options(
    term: Term, objects: Mapping[str, str], names: Mapping[str, str] | None = None
) -> list[Option]:
    """Return the options that EAI keeps of a term about objects, given with their categories.

    Facts are about the ``names`` of objects, where these differ. Raises `Unsupported` where there
    are more than 100,000 of them: it has no limit there.

    >>> from plangauge.households.behavior.bddl import Variable
    >>> term = Quantified("exists", (Variable("?x", "c"),), Atom("open", ("?x",)))
    >>> [[str(fact) for _, fact in option] for option in options(term, {"a": "c", "b": "c"})]
    [['(open a)'], ['(open b)']]
    """
    return _Expansion(by_category(objects), names or {}).of(term, {})


def is_met(term: Sequence[Option], facts: Container[Fact]) -> bool:
    """Return whether all literals of one option hold where exactly these facts are true."""
    return any(all((fact in facts) == true for true, fact in option) for option in term)


class _Expansion:
    def __init__(self, groups: Groups, names: Mapping[str, str]) -> None:
        self.groups = groups
        self.names = names

    def of(self, term: Term, bound: Mapping[str, str]) -> list[Option]:
        if isinstance(term, Atom):
            return [((True, ground(term, bound, self.names)),)]
        if isinstance(term, Compound):
            return self._compound(term, [self.of(part, bound) for part in term.parts])
        if len(term.variables) == 2:
            return self._pairs(term, bound)
        children = [self.of(term.body, inner) for inner in bindings(term, self.groups, bound)]
        if term.kind == "exists":
            return _bounded(chain.from_iterable(children))
        if term.kind == "forall":
            return [_joined(chosen) for chosen in _some_of_product(children)]
        _check(_BUDGET * comb(len(children), term.number))
        subsets = (combinations(chosen, term.number) for chosen in _some_of_product(children))
        return [_joined(subset) for subset in chain.from_iterable(subsets)]

    def _compound(self, term: Compound, parts: list[list[Option]]) -> list[Option]:
        if term.kind == "and":
            _check(prod(map(len, parts)))
            return [_joined(chosen) for chosen in product(*parts)]
        if term.kind == "not":
            return _negated(parts[0])
        if term.kind == "imply":
            return _bounded([*_negated(parts[0]), *parts[1]])
        return _bounded(chain.from_iterable(parts))

    def _rows(self, term: Quantified, bound: Mapping[str, str]) -> list[list[list[Option]]]:
        """Return the options of the pairs by the first object; no object pairs with itself."""
        rows: dict[str, list[list[Option]]] = {}
        for inner in bindings(term, self.groups, bound):
            row = rows.setdefault(inner[term.variables[0].name], [])
            row.append(self.of(term.body, inner))
        return list(rows.values())

    def _pairs(self, term: Quantified, bound: Mapping[str, str]) -> list[Option]:
        one, other = (len(self.groups[variable.category]) for variable in term.variables)
        chosen, most = min(one, other), max(one, other)
        if counted := term.kind == "fornpairs":
            chosen, most = term.number, other
        found: list[Option] = []
        rows = self._rows(term, bound)
        for columns in islice(permutations(range(most), chosen), _MOST_PERMUTATIONS):
            places = enumerate(columns)
            cells = _cells(rows, places if counted or one < other else ((g, n) for n, g in places))
            found += [_joined(parts) for parts in _some_of_product(cells)]
        return found


def _cells(rows: list[list[list[Option]]], places: Iterator[tuple[int, int]]) -> list[list[Option]]:
    in_table = (place for place in places if place[0] < len(rows))
    return [rows[row][column] for row, column in in_table if column < len(rows[row])]


def _negated(term: list[Option]) -> list[Option]:
    """Return the options of a negation: of each option one literal is to be otherwise."""
    _check(prod(map(len, term)))
    flipped = [[(not true, fact) for true, fact in option] for option in term]
    return list(product(*flipped))


def _some_of_product(children: Sequence[list[Option]]) -> Iterator[tuple[Option, ...]]:
    """Yield one option of each child: those first whose indexes have a small sum, up to a budget.

    What an index sum could be made of, were there enough options, counts as well.
    """
    if not all(children):
        return
    budget = _BUDGET
    last = [len(child) - 1 for child in children]
    for total in range(sum(last)):
        for bars in combinations(range(total + len(children) - 1), len(children) - 1):
            ends = (*bars, total + len(children) - 1)
            indexes = [end - start - 1 for start, end in zip((-1, *bars), ends, strict=True)]
            if all(index <= most for index, most in zip(indexes, last, strict=True)):
                yield tuple(child[index] for child, index in zip(children, indexes, strict=True))
            budget -= 1
            if not budget:
                return
    yield tuple(child[-1] for child in children)


def _joined(chosen: Sequence[Option]) -> Option:
    return tuple(chain.from_iterable(chosen))


def _bounded(found: Iterator[Option] | list[Option]) -> list[Option]:
    listed = list(islice(found, _MOST_OPTIONS + 1))
    _check(len(listed))
    return listed


def _check(number: int) -> None:
    if number > _MOST_OPTIONS:
        raise Unsupported(f"a term of the goal has more than {_MOST_OPTIONS:,} options")
