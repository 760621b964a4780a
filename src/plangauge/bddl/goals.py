"""What BDDL goals mean: conditions on facts, with the semantics of BDDL, nothing left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from plangauge.bddl.terms import Atom, Compound, Quantified, Term
from plangauge.conditions import All, Condition, Count, Is, Not, Some
from plangauge.model import Fact

Groups: TypeAlias = Mapping[str, Sequence[str]]
"""Category → its objects, in order."""


def condition(
    term: Term, objects: Mapping[str, str], names: Mapping[str, str] | None = None
) -> Condition:
    """Return the condition that a term states about objects, given with their categories.

    ``forn`` wants exactly as many objects as it says. ``forpairs`` wants pairs of different objects
    such that each object of the category that has fewer (or equally many) is in one, and as many
    of the other; ``fornpairs`` wants so many objects of either category to be in one. Facts are
    about the ``names`` of objects, where these differ.

    >>> from plangauge.bddl.terms import Variable
    >>> egg, box = Variable("?egg.n.01", "egg.n.01"), Variable("?box.n.01", "box.n.01")
    >>> pairs = Quantified("forpairs", (egg, box), Atom("inside", (egg.name, box.name)))
    >>> things = {"e1": "egg.n.01", "e2": "egg.n.01", "b": "box.n.01"}
    >>> eggs, boxes = condition(pairs, things).conditions
    >>> print(eggs)
    (count 1 (or (inside e1 b)) (or (inside e2 b)))
    >>> print(boxes)
    (count 1 (or (inside e1 b) (inside e2 b)))
    """
    return _Expansion(by_category(objects), names or {}).of(term, {})


class _Expansion:
    """Replaces quantifiers by what they say about each object."""

    def __init__(self, groups: Groups, names: Mapping[str, str]) -> None:
        self.groups = groups
        self.names = names

    def of(self, term: Term, bound: Mapping[str, str]) -> Condition:
        if isinstance(term, Atom):
            return Is(ground(term, bound, self.names))
        if isinstance(term, Compound):
            return self._compound(term, bound)
        if len(term.variables) == 2:
            return self._pairs(term, bound)
        parts = tuple(self.of(term.body, inner) for inner in bindings(term, self.groups, bound))
        if term.kind == "forn":
            return Count(parts, term.number, term.number)
        return All(parts) if term.kind == "forall" else Some(parts)

    def _compound(self, term: Compound, bound: Mapping[str, str]) -> Condition:
        parts = tuple(self.of(part, bound) for part in term.parts)
        if term.kind == "not":
            return Not(parts[0])
        if term.kind == "imply":
            return Some((Not(parts[0]), parts[1]))
        return All(parts) if term.kind == "and" else Some(parts)

    def _pairs(self, term: Quantified, bound: Mapping[str, str]) -> Condition:
        one, other = term.variables
        rows: dict[str, list[Condition]] = {name: [] for name in self.groups[one.category]}
        columns: dict[str, list[Condition]] = {name: [] for name in self.groups[other.category]}
        for inner in bindings(term, self.groups, bound):
            cell = self.of(term.body, inner)
            rows[inner[one.name]].append(cell)
            columns[inner[other.name]].append(cell)
        number = term.number if term.kind == "fornpairs" else min(len(rows), len(columns))
        covered = (
            Count(tuple(Some(tuple(cells)) for cells in lines.values()), number)
            for lines in (rows, columns)
        )
        return All(tuple(covered))


def by_category(objects: Mapping[str, str]) -> Groups:
    """Return the objects of each category, in order.

    >>> by_category({"e1": "egg", "b": "box", "e2": "egg"})
    {'egg': ['e1', 'e2'], 'box': ['b']}
    """
    groups: dict[str, list[str]] = {}
    for name, category in objects.items():
        groups.setdefault(category, []).append(name)
    return groups


def bindings(
    term: Quantified, groups: Groups, bound: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Yield what the variables can stand for, in order; two of them for different objects.

    >>> from plangauge.bddl.terms import Variable
    >>> term = Quantified("forpairs", (Variable("?a", "c"), Variable("?b", "c")), Atom("p", ()))
    >>> list(bindings(term, {"c": ["x", "y"]}, {}))
    [{'?a': 'x', '?b': 'y'}, {'?a': 'y', '?b': 'x'}]
    """
    first, *rest = term.variables
    for one in groups[first.category]:
        if not rest:
            yield {**bound, first.name: one}
            continue
        for other in groups[rest[0].category]:
            if one != other:
                yield {**bound, first.name: one, rest[0].name: other}


def ground(atom: Atom, bound: Mapping[str, str], names: Mapping[str, str]) -> Fact:
    """Return the fact that an atom is about where its variables stand for these objects."""
    args = (bound.get(arg, arg) for arg in atom.args)
    return Fact(atom.predicate, tuple(names.get(arg, arg) for arg in args))
