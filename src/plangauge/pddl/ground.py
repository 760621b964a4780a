"""From a schema and its arguments to an operator: bit masks over the facts met so far."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from plangauge.conditions import FALSE, Condition
from plangauge.errors import ProblemError, Unsupported
from plangauge.model import Fact
from plangauge.pddl.domain import Schema
from plangauge.pddl.effects import Amount, ConditionalEffect, CostTerm
from plangauge.pddl.formulas import (
    EQUALS,
    Binding,
    Literal,
    Quantified,
    combinations_of,
    instantiate,
)
from plangauge.pddl.instance import Instance, Key
from plangauge.pddl.masks import Masks, to_masks
from plangauge.pddl.types import Parameter, Types


_MOST_COMBINATIONS = 10_000_000


class Operator(NamedTuple):
    """A ground action."""

    needs: Masks
    add: int
    delete: int
    conditional: tuple[tuple[Masks, int, int], ...]
    """Condition, added and deleted facts; the conditions are read in the old state."""
    cost: float
    possible: bool = True
    """False where a static condition rules it out in every state."""

    def changes(self, state: int) -> tuple[int, int]:
        """Return the facts it adds and deletes in a state; one in both ends up true."""
        add, delete = self.add, self.delete
        for condition, more_added, more_deleted in self.conditional:
            if condition.hold(state):
                add |= more_added
                delete |= more_deleted
        return add, delete


class FactTable:
    """The facts that can change, each with a bit, in the order in which they were first met."""

    def __init__(self) -> None:
        self._bits: dict[Key, int] = {}
        self._facts: list[Fact] = []
        self._lock = threading.Lock()

    def __getstate__(self) -> tuple[dict[Key, int], list[Fact]]:
        return self._bits, self._facts

    def __setstate__(self, state: tuple[dict[Key, int], list[Fact]]) -> None:
        self._bits, self._facts = state
        self._lock = threading.Lock()

    def bit(self, key: Key) -> int:
        """Return the mask of a fact; a new one gets the next bit."""
        known = self._bits.get(key)
        if known is not None:
            return known
        with self._lock:
            if key not in self._bits:
                self._facts.append(Fact(key[0], key[1:]))
                self._bits[key] = 1 << (len(self._facts) - 1)
            return self._bits[key]

    def find(self, key: Key) -> int:
        """Return the mask of a fact; 0 for one that has not been met, which is then false."""
        return self._bits.get(key, 0)

    def facts(self, mask: int) -> Iterator[Fact]:
        """Yield the facts of a mask, in the order of their bits."""
        facts = self._facts
        for at, digit in enumerate(reversed(f"{mask:b}")):
            if digit == "1":
                yield facts[at]

    def of_predicates(self, predicates: frozenset[str]) -> Iterator[Fact]:
        """Yield the facts met so far that have one of these predicates."""
        return (fact for fact in list(self._facts) if fact.predicate in predicates)


class Grounder:
    """Makes operators, and knows which facts are static."""

    def __init__(self, instance: Instance) -> None:
        domain = instance.domain
        self.instance = instance
        self.derived = domain.derived
        self.changeable = domain.fluents | self.derived
        self.table = FactTable()
        self.static: frozenset[Key] = frozenset(
            key for key in instance.initial if key[0] not in self.changeable
        )
        self._objects: dict[Types, dict[str, None]] = {}
        self._check_size()

    def _check_size(self) -> None:
        """Raise an error where instantiating a quantifier would take forever."""
        for schema in self.instance.domain.schemas.values():
            effects = (
                Quantified(exists=True, variables=effect.parameters, body=effect.condition)
                for effect in schema.effects.conditional
            )
            for formula in (*schema.others, *effects):
                count = combinations_of(formula, self.objects)
                if count > _MOST_COMBINATIONS:
                    message = (
                        f"the quantifiers in {schema.name} range over {count:,} combinations of "
                        f"objects; more than {_MOST_COMBINATIONS:,} are not supported"
                    )
                    raise Unsupported(message, file=self.instance.file)

    def initial(self) -> int:
        """Return the initial state."""
        state = 0
        for key in self.instance.initial:
            if key[0] in self.changeable:
                state |= self.table.bit(key)
        return state

    def objects(self, types: Types) -> Mapping[str, None]:
        """Return the objects of any of these types, in the order of their declaration."""
        found = self._objects.get(types)
        if found is None:
            is_a = self.instance.domain.hierarchy.is_a
            found = {o: None for o, mine in self.instance.objects.items() if is_a(mine, types)}
            self._objects[types] = found
        return found

    def truth(self, fact: Fact) -> bool | None:
        """Return whether a fact is true in every state, or in none; None where it can change."""
        if fact.predicate in self.changeable:
            return None
        if fact.predicate == EQUALS:
            return fact.args[0] == fact.args[1]
        return (fact.predicate, *fact.args) in self.static

    def operator(self, schema: Schema, args: tuple[str, ...]) -> Operator:
        """Ground a schema for well-typed arguments."""
        binding = {p.name: arg for p, arg in zip(schema.parameters, args, strict=True)}
        needs = self._needs(schema, binding)
        add, delete = self._masks(schema.effects.literals, binding)
        conditional = tuple(
            instance
            for effect in schema.effects.conditional
            for instance in self._conditional(effect, effect.parameters, binding)
        )
        cost = self._cost(schema, binding)
        if needs is None:
            return Operator(Masks(), add, delete, conditional, cost, possible=False)
        return Operator(needs, add, delete, conditional, cost)

    def _needs(self, schema: Schema, binding: Binding) -> Masks | None:
        """Compile the precondition; None where static facts make it false."""
        true = false = 0
        for literal in schema.literals:
            key = self._key(literal, binding)
            if literal.predicate not in self.changeable:
                if (key in self.static) != literal.positive:
                    return None
            elif literal.positive:
                true |= self.table.bit(key)
            else:
                false |= self.table.bit(key)
        some: tuple[tuple[Masks, ...], ...] = ()
        for formula in schema.others:
            condition = instantiate(formula, binding, self.objects, self.truth)
            if condition == FALSE:
                return None
            masks = self.compile(condition)
            true, false, some = true | masks.true, false | masks.false, some + masks.some
        return Masks(true, false, some)

    def compile(self, condition: Condition) -> Masks:
        """Compile a condition in which static facts have been evaluated."""
        return to_masks(condition, lambda fact: self.table.bit((fact.predicate, *fact.args)))

    def _key(self, literal: Literal, binding: Binding) -> Key:
        return (literal.predicate, *[binding.get(term, term) for term in literal.terms])

    def _masks(
        self, literals: list[Literal] | tuple[Literal, ...], binding: Binding
    ) -> tuple[int, int]:
        add = delete = 0
        for literal in literals:
            if literal.positive:
                add |= self.table.bit(self._key(literal, binding))
            else:
                delete |= self.table.bit(self._key(literal, binding))
        return add, delete

    def _conditional(
        self, effect: ConditionalEffect, parameters: tuple[Parameter, ...], binding: Binding
    ) -> Iterator[tuple[Masks, int, int]]:
        """Yield the instances of an effect that static facts do not rule out."""
        if parameters:
            first, *rest = parameters
            for obj in self.objects(first.types):
                yield from self._conditional(effect, tuple(rest), {**binding, first.name: obj})
            return
        ground = instantiate(effect.condition, binding, self.objects, self.truth)
        if ground != FALSE:
            yield (self.compile(ground), *self._masks(effect.literals, binding))

    def _cost(self, schema: Schema, binding: Binding) -> float:
        if not self.instance.costs:
            return 1
        return sum(self._amount(amount, binding) for amount in schema.effects.costs)

    def _amount(self, amount: Amount, binding: Binding) -> float:
        if not isinstance(amount, CostTerm):
            return amount
        key = (amount.function, *[binding.get(term, term) for term in amount.terms])
        if key not in self.instance.values:
            term = Fact(key[0], key[1:])
            message = f"the cost {term} has no value in :init; add (= {term} number)"
            raise ProblemError(message, file=self.instance.file)
        return self.instance.values[key]
