"""The objects that each parameter of an action can ever have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from plangauge.core.model import Fact
from plangauge.pddl.domain import Domain, Schema

Place: TypeAlias = tuple[str, int]
"""An action or a predicate, and the number of an argument."""


def fillers(
    domain: Domain, objects: Iterable[str], initial: Iterable[Fact]
) -> Mapping[Place, frozenset[str]]:
    """Return the objects that each parameter of each action can have in an applicable action.

    An object is excluded where a required fact is never true of it, even in a domain without types.
    Literals are considered one by one, so the result is an over-approximation.
    """
    everything = frozenset(objects)
    true: dict[Place, frozenset[str]] = {}
    for fact in initial:
        for n, arg in enumerate(fact.args):
            true[fact.predicate, n] = true.get((fact.predicate, n), frozenset()) | {arg}
    found: dict[Place, frozenset[str]] = {}
    while True:
        before = dict(true)
        for schema in domain.schemas.values():
            own = _of_schema(schema, true, everything, domain.derived)
            found.update({(schema.name, n): things for n, things in enumerate(own.values())})
            for literal in schema.effects.all_literals():
                for n, term in enumerate(literal.terms if literal.positive else ()):
                    things = own.get(term, frozenset((term,)) & everything or everything)
                    place = literal.predicate, n
                    true[place] = true.get(place, frozenset()) | things
        if true == before:
            return found


def _of_schema(
    schema: Schema,
    true: Mapping[Place, frozenset[str]],
    everything: frozenset[str],
    derived: frozenset[str],
) -> dict[str, frozenset[str]]:
    """Return the objects that each parameter can have, going by what can be true."""
    own = {parameter.name: everything for parameter in schema.parameters}
    for literal in schema.literals:
        if literal.positive and literal.predicate not in derived:
            for n, term in enumerate(literal.terms):
                if term in own:
                    own[term] &= true.get((literal.predicate, n), frozenset())
    return own
