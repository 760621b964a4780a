"""How many actions a problem has, counted without making them, or not at all where it is large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from plangauge.conditions import FALSE
from plangauge.errors import Unsupported
from plangauge.model import Action
from plangauge.pddl.domain import Schema
from plangauge.pddl.expansion import Expansion
from plangauge.pddl.formulas import Formula, Literal, Quantified
from plangauge.pddl.ground import Grounder
from plangauge.pddl.instance import Instance, Key
from plangauge.pddl.join import Query, Relations, Row, solve
from plangauge.pddl.types import Parameter
from plangauge.worlds.pddl import PddlWorld

MOST = 500_000
"""How many facts and bindings are looked at before counting is given up."""

_CANDIDATE = 10
"""What it costs to test whether an action is applicable, compared with looking at a fact."""


class _TooMany(Exception):
    """More facts and bindings than are worth looking at."""


class _Metered(Relations):
    """Relations that give up when too many facts have been looked at."""

    def __init__(self, keys: Iterable[Key]) -> None:
        super().__init__(keys)
        self._left = MOST

    def rows(self, predicate: str, places: tuple[int, ...], values: Row) -> Sequence[Row]:
        """Return what relations return; raise an exception where that is too much in all."""
        found = super().rows(predicate, places, values)
        self.spend(len(found) + 1)
        return found

    def spend(self, number: int) -> None:
        """Count what was looked at."""
        self._left -= number
        if self._left < 0:
            raise _TooMany


def count_applicable(world: PddlWorld, instance: Instance) -> int | None:
    """Return how many actions are applicable in the initial state; None where that is too much.

    That is where more than `MOST` facts and bindings would have to be looked at, or a tenth of that
    many actions; one with quantifiers counts as many times as it has instances of these.
    """
    state = world.initial()
    facts = sorted((fact.predicate, *fact.args) for fact in world.facts(state))
    try:
        relations = _Metered(facts)
        return sum(
            world.successor(state, action) is not None
            for schema in instance.domain.schemas.values()
            for action in _candidates(schema, relations, instance)
        )
    except (_TooMany, Unsupported):
        return None


def count_ground(instance: Instance) -> int | None:
    """Return how many well-typed actions static facts do not rule out; None where that is too much.

    Whether such an action can ever become applicable is not asked. Parameters that no static
    condition relates are counted apart, so that millions of actions are counted as fast as few.

    >>> from plangauge.pddl.domain import read_domain
    >>> from plangauge.pddl.instance import read_instance
    >>> domain = read_domain(
    ...     "(define (domain d) (:predicates (at ?x) (road ?x ?y))"
    ...     "(:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))"
    ...     "  :effect (and (at ?y) (not (at ?x))))"
    ...     "(:action jump :parameters (?x ?y) :precondition (at ?x)"
    ...     "  :effect (and (at ?y) (not (at ?x)))))"
    ... )
    >>> count_ground(read_instance(domain, "(define (problem p) (:domain d) (:objects a b c)"
    ...     "(:init (at a) (road a b)) (:goal (at c)))"))
    10
    """
    grounder = Grounder(instance)
    relations = _Metered(sorted(grounder.static))
    try:
        schemas = instance.domain.schemas.values()
        return sum(_Statics(schema, grounder, relations).count() for schema in schemas)
    except (_TooMany, Unsupported):
        return None


def _candidates(schema: Schema, relations: _Metered, instance: Instance) -> Iterator[Action]:
    """Yield the actions of which all positive literals are true."""
    if not all(instance.objects_of(parameter.types) for parameter in schema.parameters):
        return
    joined = tuple(literal for literal in schema.literals if literal.joins)
    names = [parameter.name for parameter in schema.parameters]
    query = Query(dict(schema.parameters), joined)
    cost = _CANDIDATE + sum(_size(formula, instance) for formula in schema.others)
    for effect in schema.effects.conditional:
        size = _size(effect.condition, instance) + len(effect.literals)
        cost += _number(effect.parameters, instance) * size
    for binding in solve(query, relations, instance.objects_of):
        relations.spend(cost)
        yield Action(schema.name, tuple([binding[name] for name in names]))


class _Statics:
    """The conditions of a schema that static facts can decide."""

    def __init__(self, schema: Schema, grounder: Grounder, relations: _Metered) -> None:
        self._parameters = schema.parameters
        self._grounder = grounder
        self._relations = relations
        self._expansion = Expansion(grounder.instance, grounder.truth, schema.name)
        self._conditions = [
            formula
            for formula in schema.conditions
            if any(each.predicate not in grounder.changeable for each in _literals(formula))
        ]

    def count(self) -> int:
        """Return how many bindings of the parameters they leave."""
        total = 1
        for variables, conditions in self._parts():
            # In this order: a part without bindings decides, however many the next one has.
            total *= self._bindings(variables, conditions) if total else 0
        return total

    def _parts(self) -> list[tuple[list[Parameter], list[Formula]]]:
        """Return parameters that conditions relate, with these; small parts first."""
        parts: list[tuple[list[Parameter], list[Formula]]] = [([p], []) for p in self._parameters]
        for condition in self._conditions:
            terms = {term for literal in _literals(condition) for term in literal.terms}
            touched = [part for part in parts if any(p.name in terms for p in part[0])]
            parts = [part for part in parts if part not in touched]
            parts.append(
                (
                    [parameter for part in touched for parameter in part[0]],
                    [*(each for part in touched for each in part[1]), condition],
                )
            )
        return sorted(parts, key=lambda part: len(part[0]))

    def _bindings(self, parameters: list[Parameter], conditions: list[Formula]) -> int:
        instance = self._grounder.instance
        objects_of = instance.objects_of
        sizes = [len(objects_of(parameter.types)) for parameter in parameters]
        if not conditions or not all(sizes):
            return sizes[0] if all(sizes) else 0
        joined = tuple(c for c in conditions if isinstance(c, Literal) and c.joins)
        others = [c for c in conditions if not (isinstance(c, Literal) and c.joins)]
        cost = 1 + sum(_size(other, instance) for other in others)
        found = 0
        for binding in solve(Query(dict(parameters), joined), self._relations, objects_of):
            self._relations.spend(cost)
            found += all(self._expansion.instantiate(other, binding) != FALSE for other in others)
        return found


def _literals(formula: Formula) -> Iterator[Literal]:
    """Yield the literals of a formula; variables of its own have names of their own."""
    if isinstance(formula, Literal):
        yield formula
    elif isinstance(formula, Quantified):
        yield from _literals(formula.body)
    else:
        for part in formula.parts:
            yield from _literals(part)


def _size(formula: Formula, instance: Instance) -> int:
    """Return how many literals a formula has when its quantifiers are written out."""
    if isinstance(formula, Literal):
        return 1
    if isinstance(formula, Quantified):
        return _number(formula.variables, instance) * _size(formula.body, instance)
    return sum(_size(part, instance) for part in formula.parts)


def _number(variables: Iterable[Parameter], instance: Instance) -> int:
    """Return how many bindings of variables there are."""
    return prod(len(instance.objects_of(variable.types)) for variable in variables)
