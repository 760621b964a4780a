"""From a schema and its arguments to an operator: bit masks over the facts met so far."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from plangauge.conditions import EQUALS, FALSE, Condition
from plangauge.errors import ProblemError
from plangauge.model import Fact
from plangauge.pddl.domain import Schema
from plangauge.pddl.effects import Amount, ConditionalEffect, CostTerm
from plangauge.pddl.expansion import Expansion
from plangauge.pddl.formulas import Binding, Literal
from plangauge.pddl.instance import Instance, Key
from plangauge.pddl.masks import Either, Masks, to_masks
from plangauge.pddl.types import Types


class Operator(NamedTuple):
    """A ground action."""

    needs: Masks
    add: int
    delete: int
    conditional: tuple[tuple[Masks, int, int], ...]
    """Condition, added and deleted facts; the conditions are read in the old state."""
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
        self._places: dict[Key, int] = {}
        self._facts: list[Fact] = []
        self._lock = threading.Lock()

    def __getstate__(self) -> tuple[dict[Key, int], list[Fact]]:
        with self._lock:
            return dict(self._places), list(self._facts)

    def __setstate__(self, state: tuple[dict[Key, int], list[Fact]]) -> None:
        self._places, self._facts = state
        self._lock = threading.Lock()

    def bit(self, key: Key) -> int:
        """Return the mask of a fact; a new one gets the next bit."""
        return 1 << self._place(key)

    def mask(self, keys: Iterable[Key]) -> int:
        """Return the mask of many facts."""
        places = [self._place(key) for key in keys]
        bits = bytearray(max(places, default=0) // 8 + 1)
        for place in places:
            bits[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(bits, "little")

    def _place(self, key: Key) -> int:
        known = self._places.get(key)
        if known is None:
            with self._lock:
                known = self._places.get(key)
                if known is None:
                    known = len(self._facts)
                    self._facts.append(Fact(key[0], key[1:]))
                    self._places[key] = known
        return known

    def has(self, mask: int, key: Key) -> bool:
        """Return whether a fact is in a mask; one that has not been met is in none."""
        place = self._places.get(key)
        return place is not None and bool(mask >> place & 1)

    def facts(self, mask: int) -> Iterator[Fact]:
        """Yield the facts of a mask, in the order of their bits."""
        facts = self._facts
        digits = f"{mask:b}"[::-1]
        at = digits.find("1")
        while at >= 0:
            yield facts[at]
            at = digits.find("1", at + 1)


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

    def initial(self) -> int:
        """Return the initial state."""
        return self.table.mask(key for key in self.instance.initial if key[0] in self.changeable)

    def truth(self, fact: Fact) -> bool | None:
        """Return whether a fact is true in every state, or in none; None where it can change."""
        if fact.predicate in self.changeable:
            return None
        if fact.predicate == EQUALS:
            return fact.args[0] == fact.args[1]
        return (fact.predicate, *fact.args) in self.static

    def can_become(self, fact: Fact, value: bool) -> bool:
        """Return whether some action could make a fact true, or false, going by types alone."""
        if fact.predicate in self.derived:
            return True
        objects_of = self.instance.objects_of
        return any(
            all(
                arg == term if isinstance(term, str) else arg in objects_of(term)
                for term, arg in zip(terms, fact.args, strict=True)
            )
            for terms in self._changes.get((fact.predicate, value), ())
        )

    def nothing_static(self) -> bool:
        """Return whether all that actions need are literals that some action could bring about."""
        return all(
            isinstance(condition, Literal) and self._can_change(schema, condition)
            for schema in self.instance.domain.schemas.values()
            for condition in schema.conditions
        )

    def _can_change(self, schema: Schema, literal: Literal) -> bool:
        """Return whether a literal of a schema can become true for all arguments."""
        if literal.predicate in self.derived:
            return True
        objects_of, types = self.instance.objects_of, dict(schema.parameters)
        own = [types.get(term, term) for term in literal.terms]
        needed = [[term] if isinstance(term, str) else objects_of(term) for term in own]
        return any(
            all(
                set(objects) <= ({term} if isinstance(term, str) else objects_of(term).keys())
                for term, objects in zip(terms, needed, strict=True)
            )
            for terms in self._changes.get((literal.predicate, literal.positive), ())
        )

    @cached_property
    def _changes(self) -> dict[tuple[str, bool], list[tuple[str | Types, ...]]]:
        """Predicate and value → the objects, or types of them, for which an effect brings it."""
        found: dict[tuple[str, bool], list[tuple[str | Types, ...]]] = {}
        for schema in self.instance.domain.schemas.values():
            effects = schema.effects
            plain = ConditionalEffect(tuple(effects.literals))
            for effect in (plain, *effects.conditional):
                types = dict((*schema.parameters, *effect.parameters))
                for literal in effect.literals:
                    terms = tuple(types.get(term, term) for term in literal.terms)
                    found.setdefault((literal.predicate, literal.positive), []).append(terms)
        return found

    def operator(self, schema: Schema, args: tuple[str, ...]) -> Operator:
        """Ground a schema for well-typed arguments."""
        binding = schema.binding(args)
        expansion = Expansion(self.instance, self.truth, schema.name)
        needs = self._needs(schema, binding, expansion)
        add, delete = self._masks(schema.effects.literals, binding)
        conditional = tuple(
            instance
            for effect in schema.effects.conditional
            for instance in self._conditional(effect, binding, expansion)
        )
        if needs is None:
            return Operator(Masks(), add, delete, conditional, possible=False)
        return Operator(needs, add, delete, conditional)

    def _needs(self, schema: Schema, binding: Binding, expansion: Expansion) -> Masks | None:
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
        some: tuple[Either, ...] = ()
        for formula in schema.others:
            condition = expansion.instantiate(formula, binding)
            if condition == FALSE:
                return None
            masks = self._compiled(condition)
            true, false, some = true | masks.true, false | masks.false, some + masks.some
        return Masks(true, false, some)

    def _compiled(self, condition: Condition) -> Masks:
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
        self, effect: ConditionalEffect, binding: Binding, expansion: Expansion
    ) -> Iterator[tuple[Masks, int, int]]:
        """Yield the instances of an effect that static facts do not rule out."""
        for extended in expansion.bindings(effect.parameters, binding):
            ground = expansion.instantiate(effect.condition, extended)
            if ground != FALSE:
                expansion.spend_facts(len(effect.literals))
                yield (self._compiled(ground), *self._masks(effect.literals, extended))

    def cost(self, schema: Schema, args: tuple[str, ...]) -> float:
        """Return what an action costs; raise `ProblemError` where the problem does not say."""
        if not self.instance.costs:
            return 1
        binding = schema.binding(args)
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
