"""Quantified parts of schemas: bound variables with fixed names, and expansion over objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple, TypeAlias

from plangauge.core.conditions import EQUALS
from plangauge.formalisation.renaming import renamed, without
from plangauge.pddl.domain import Domain, Schema
from plangauge.pddl.effects import ConditionalEffect
from plangauge.pddl.formulas import (
    And,
    Formula,
    Literal,
    Or,
    Quantified,
    free_variables,
    negation,
)
from plangauge.pddl.types import Parameter, Types

Typed: TypeAlias = "tuple[str, Types]"
"""An object and its types."""


def conditions_of(schema: Schema) -> Iterator[Formula]:
    """Yield the parts of the precondition, and the conditions of effects."""
    yield from schema.conditions
    yield from (effect.condition for effect in schema.effects.conditional)


def literals_in(formula: Formula) -> Iterator[Literal]:
    """Yield the literals of a formula."""
    if isinstance(formula, Literal):
        yield formula
    else:
        for part in (formula.body,) if isinstance(formula, Quantified) else formula.parts:
            yield from literals_in(part)


def canonical(formula: Formula, depth: int = 0) -> Formula:
    """Return a formula with its parts sorted, and bound variables named by their depth.

    >>> from plangauge.pddl.types import OBJECT
    >>> some = [Quantified(True, (Parameter(x, OBJECT),), Literal("p", (x,))) for x in ("?a", "?b")]
    >>> canonical(some[0]) == canonical(some[1])
    True
    """
    if isinstance(formula, Literal):
        if formula.predicate == EQUALS:
            return replace(formula, terms=tuple(sorted(formula.terms)))
        return formula
    if isinstance(formula, Quantified):
        variables, names = _named(formula.variables, f"?{depth}")
        body = canonical(renamed(formula.body, names), depth + 1)
        return replace(formula, variables=variables, body=body)
    parts = {repr(part): part for part in (canonical(part, depth) for part in formula.parts)}
    return replace(formula, parts=tuple(parts[key] for key in sorted(parts)))


def canonical_effect(effect: ConditionalEffect) -> ConditionalEffect:
    """Return a conditional effect with a canonical condition, and names for its parameters."""
    parameters, names = _named(effect.parameters, "?effect")
    effect = renamed_effect(replace(effect, parameters=()), names)
    return replace(effect, condition=canonical(effect.condition), parameters=parameters)


def renamed_effect(effect: ConditionalEffect, names: Mapping[str, str]) -> ConditionalEffect:
    """Return a conditional effect about other objects or variables, but for its own ones."""
    names = without(names, effect.parameters)
    literals = tuple(_literal(each, names) for each in effect.literals)
    return replace(effect, literals=literals, condition=renamed(effect.condition, names))


def _literal(literal: Literal, names: Mapping[str, str]) -> Literal:
    return replace(literal, terms=tuple(names.get(term, term) for term in literal.terms))


def _named(
    variables: Sequence[Parameter], prefix: str
) -> tuple[tuple[Parameter, ...], dict[str, str]]:
    """Return variables under names that no text has, and these by the old names."""
    names = {each.name: f"{prefix}.{n}" for n, each in enumerate(variables)}
    return tuple(each._replace(name=names[each.name]) for each in variables), names


# --- which objects matter -------------------------------------------------------------------------


class Further(NamedTuple):
    """Sets of objects beside the parameters for a comparison of two schemas, the smallest first."""

    sets: Sequence[Sequence[Typed]]
    enough: bool
    """Whether schemas that differ anywhere do so with these objects."""


def further_objects(domain: Domain, *schemas: Schema) -> Further:
    """Return the objects beside the parameters with which schemas with quantifiers are compared.

    Where each quantifier has one variable, and its body no further one, an object for each of the
    quantified parts is enough, and one for each type that effects are about: an object matters by
    the parts that it makes true or false, and can be replaced by one that does so for one part.
    """
    effects = [canonical_effect(each) for schema in schemas for each in schema.effects.conditional]
    conditions = [each for schema in schemas for each in schema.conditions]
    conditions += [effect.condition for effect in effects]
    parts = dict.fromkeys(_positive(part) for each in conditions for part in _outermost(each))
    about = dict.fromkeys(p.types for effect in effects for p in effect.parameters)
    types = [p.types for part in parts for p in part.variables] + [*about]
    names = "?other"
    while any(p.name.startswith(names) for schema in schemas for p in schema.parameters):
        names += "-"
    sets = [
        [(f"{names}{n}", each) for n, each in enumerate(some, start=1)]
        for some in (dict.fromkeys(types), types)
    ]
    simple = all(
        len(part.variables) == 1
        and not [*_outermost(part.body)]
        and not any(name.startswith("?effect.") for name in free_variables(part))
        for part in parts
    )
    single = all(len(effect.parameters) < 2 for effect in effects)
    clear = _clear(domain, types, [p.types for p in schemas[0].parameters])
    return Further(sets if types else [()], simple and single and clear)


def _clear(domain: Domain, types: Sequence[Types], parameters: Sequence[Types]) -> bool:
    """Return whether types say which parameters quantifiers are about, and none overlap in part."""
    is_a = domain.hierarchy.is_a
    return all(
        is_a(one, two)
        or not overlap(domain, one, two)
        or (is_a(two, one) and one not in parameters)
        for one in (*parameters, *types)
        for two in types
    ) and all(len(each) == 1 for each in types)


def _positive(part: Quantified) -> Quantified:
    """Return a quantified part or its negation: whichever says that there is an object."""
    found = canonical(part if part.exists else negation(part))
    assert isinstance(found, Quantified)
    return found


def _outermost(formula: Formula) -> Iterator[Quantified]:
    """Yield the quantified parts of a formula that are in no other."""
    if isinstance(formula, Quantified):
        yield formula
    elif not isinstance(formula, Literal):
        for part in formula.parts:
            yield from _outermost(part)


def overlap(domain: Domain, one: Types, two: Types) -> bool:
    """Return whether an object could be of both types: one type is below both."""
    is_a = domain.hierarchy.is_a
    return any(is_a((type_,), one) and is_a((type_,), two) for type_ in domain.hierarchy.parents)


class Things:
    """The objects that quantifiers are about: parameters that differ, constants and some more."""

    def __init__(self, domain: Domain, things: Iterable[Typed]) -> None:
        self._is_a = domain.hierarchy.is_a
        self._things = [*things, *domain.constants.items()]

    def schema(self, schema: Schema) -> Schema:
        """Return a schema without quantifiers."""
        effects = [
            renamed_effect(replace(effect, parameters=()), names)
            for effect in schema.effects.conditional
            for names in self._bindings(effect.parameters)
        ]
        effects = [replace(each, condition=self.formula(each.condition)) for each in effects]
        return replace(
            schema,
            conditions=tuple(map(self.formula, schema.conditions)),
            effects=replace(schema.effects, conditional=effects),
        )

    def formula(self, formula: Formula) -> Formula:
        """Return a formula without quantifiers."""
        if isinstance(formula, Literal):
            return formula
        if not isinstance(formula, Quantified):
            return replace(formula, parts=tuple(map(self.formula, formula.parts)))
        names = self._bindings(formula.variables)
        parts = tuple(self.formula(renamed(formula.body, each)) for each in names)
        return Or(parts) if formula.exists else And(parts)

    def _bindings(self, variables: Sequence[Parameter]) -> Iterator[dict[str, str]]:
        choices = [
            dict.fromkeys(name for name, types in self._things if self._is_a(types, each.types))
            for each in variables
        ]
        for chosen in product(*choices):
            yield {each.name: name for each, name in zip(variables, chosen, strict=True)}
