"""Derived predicates: what follows from a state, stratum by stratum up to a fixpoint."""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import product
from typing import NamedTuple

from plangauge.conditions import EQUALS, TRUE
from plangauge.model import Fact
from plangauge.pddl.expansion import Expansion
from plangauge.pddl.formulas import (
    ALWAYS,
    And,
    Formula,
    Literal,
    Or,
    Quantified,
)
from plangauge.pddl.instance import Instance, Key
from plangauge.pddl.join import Query, Relations, solve
from plangauge.pddl.rules import Rule, strata
from plangauge.pddl.types import Types

_MOST_ALTERNATIVES = 64


class _Alternative(NamedTuple):
    """One way for a rule to fire: facts to join, and other formulas to check afterwards."""

    head: Literal
    query: Query
    others: Formula


class Axioms:
    """The rules of a domain, in strata: a negated predicate is complete before it is used."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        domain = instance.domain
        level = strata(domain.rules)
        self._strata: list[list[_Alternative]] = [[] for _ in set(level.values())]
        for rule in domain.rules:
            self._strata[level[rule.head.predicate]] += _alternatives_of(rule)

    def derive(self, facts: set[Key], static: Relations) -> set[Key]:
        """Return what follows from the changeable facts of a state and the static ones."""
        known = set(facts)
        for stratum in self._strata:
            fresh = True
            while fresh:
                relations = Relations(sorted(known), static)
                found = {
                    key
                    for alternative in stratum
                    for key in self._fire(alternative, relations, known)
                }
                fresh = not found <= known
                known |= found
        return known - facts

    def _fire(
        self, alternative: _Alternative, relations: Relations, known: Container[Key]
    ) -> Iterator[Key]:
        def truth(fact: Fact) -> bool:
            if fact.predicate == EQUALS:
                return fact.args[0] == fact.args[1]
            return relations.has((fact.predicate, *fact.args))

        head, query, others = alternative
        expansion = Expansion(self._instance, truth, head.predicate)
        for binding in solve(query, relations, self._instance.objects_of):
            key = (head.predicate, *[binding[term] for term in head.terms])
            if key in known:
                continue
            if others == ALWAYS or expansion.instantiate(others, binding) == TRUE:
                yield key


def _alternatives_of(rule: Rule) -> Iterator[_Alternative]:
    names = {parameter.name: parameter.types for parameter in rule.parameters}
    for variables, parts in _alternatives(rule.body):
        literals = tuple(p for p in parts if isinstance(p, Literal) and p.joins)
        others = tuple(p for p in parts if not (isinstance(p, Literal) and p.joins))
        query = Query({**names, **variables}, literals)
        yield _Alternative(rule.head, query, And(others) if others else ALWAYS)


def _alternatives(formula: Formula) -> list[tuple[dict[str, Types], list[Formula]]]:
    """Return the disjuncts of a formula: further variables, and parts that must all hold."""
    if isinstance(formula, Or):
        return [found for part in formula.parts for found in _alternatives(part)]
    if isinstance(formula, Quantified) and formula.exists:
        fresh = {variable.name: variable.types for variable in formula.variables}
        inner = _alternatives(formula.body)
        return [({**fresh, **variables}, parts) for variables, parts in inner]
    if isinstance(formula, And):
        return _product(formula)
    return [({}, [formula])]


def _product(formula: And) -> list[tuple[dict[str, Types], list[Formula]]]:
    """Combine the disjuncts of the parts, unless they share variables or become too many."""
    options = [_alternatives(part) for part in formula.parts]
    count = 1
    seen: set[str] = set()
    for option in options:
        count *= max(1, len(option))
        fresh = {name for variables, _ in option for name in variables}
        if count > _MOST_ALTERNATIVES or not seen.isdisjoint(fresh):
            return [({}, [formula])]
        seen |= fresh
    return [
        (
            {name: types for variables, _ in choice for name, types in variables.items()},
            [part for _, parts in choice for part in parts],
        )
        for choice in product(*options)
    ]
