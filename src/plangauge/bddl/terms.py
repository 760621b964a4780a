"""What a BDDL goal is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate of variables, written ``?x``, and of objects."""

    predicate: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compound:
    """A conjunction, a disjunction, a negation of one term, or an implication of two."""

    kind: Literal["and", "or", "not", "imply"]
    parts: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, written ``?x``, that stands for the objects of a category."""

    name: str
    category: str


@dataclass(frozen=True, slots=True)
class Quantified:
    """A term about the objects of a category, or, of two variables, about pairs of objects.

    ``number`` counts objects or pairs; it is 0 where none is given.
    """

    kind: Literal["forall", "exists", "forn", "forpairs", "fornpairs"]
    variables: tuple[Variable, ...]
    body: Term
    number: int = 0


Term: TypeAlias = Atom | Compound | Quantified


def tokens(term: Term, names: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the words of a term without parentheses and question marks, objects by their names.

    >>> egg = Variable("?egg.n.01", "egg.n.01")
    >>> term = Quantified("forn", (egg,), Atom("inside", ("?egg.n.01", "box.n.01_1")), 2)
    >>> " ".join(tokens(term, {"box.n.01_1": "box_7"}))
    'forn 2 egg.n.01 - egg.n.01 inside egg.n.01 box_7'
    """
    names = names or {}
    if isinstance(term, Atom):
        yield term.predicate
        for arg in term.args:
            yield names.get(arg, arg).removeprefix("?")
        return
    yield term.kind
    if isinstance(term, Compound):
        for part in term.parts:
            yield from tokens(part, names)
        return
    if term.kind in ("forn", "fornpairs"):
        yield str(term.number)
    for variable in term.variables:
        yield from (variable.name.removeprefix("?"), "-", variable.category)
    yield from tokens(term.body, names)
