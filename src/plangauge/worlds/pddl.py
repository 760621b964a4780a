"""Worlds given by PDDL: a state is an int used as a bit set."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from plangauge.core.conditions import EQUALS, FALSE, All, Condition, Is, Not, conjuncts, facts_in
from plangauge.core.decoding import decoded, read_bytes
from plangauge.core.errors import Unsupported
from plangauge.core.goals import Goal
from plangauge.core.model import Action, Fact, Step
from plangauge.pddl.applicable import Listing
from plangauge.pddl.axioms import Axioms
from plangauge.pddl.cache import BoundedCache
from plangauge.pddl.domain import Domain, read_domain
from plangauge.pddl.expansion import Expansion
from plangauge.pddl.formulas import Binding, Formula, Literal, unknown_truth
from plangauge.pddl.ground import Grounder, Operator
from plangauge.pddl.instance import Instance, read_instance
from plangauge.pddl.parameter_objects import fillers
from plangauge.pddl.rules import dependencies
from plangauge.pddl.tree import as_compared
from plangauge.pddl.types import Types, label
from plangauge.worlds.base import Effect, Problem, Violation

_Move: TypeAlias = tuple[int, int, int, int]
"""Masks of the facts that a step depends on, requires true, leaves unchanged, and adds."""

_MOST_CACHED = 10_000
_MOST_OPERATORS = 100_000


class PddlWorld:
    """The world of a PDDL problem.

    Operators are grounded on first use, so validating a plan grounds nothing else. States are ints;
    a bit means the same fact as long as the world lives, and in its pickled copies.
    """

    def __init__(self, instance: Instance, grounder: Grounder | None = None) -> None:
        self._instance = instance
        self._grounder = grounder or Grounder(instance)
        self._schemas = instance.domain.schemas
        self._axioms = Axioms(instance, self._grounder.tables) if instance.domain.rules else None
        self._operators = BoundedCache[Action, Operator](_MOST_OPERATORS)
        self.moves = BoundedCache[Step, _Move](_MOST_OPERATORS)
        self.unit_costs = not instance.costs
        """Whether each action costs 1."""
        self._closures = BoundedCache[int, int](_MOST_CACHED)
        self._tested = BoundedCache[Action, list[tuple[Condition, Callable[[int], bool]]]](
            _MOST_CACHED
        )
        self._effects = BoundedCache[tuple[Action, bool], Effect](_MOST_CACHED)
        self._types: dict[str, Types] = {
            label(parameter.types): parameter.types
            for schema in self._schemas.values()
            for parameter in schema.parameters
        }
        for signature in instance.domain.predicates.values():
            self._types.update((label(types), types) for types in signature)

    def __reduce__(self) -> tuple[type[PddlWorld], tuple[Instance, Grounder]]:
        return type(self), (self._instance, self._grounder)

    @property
    def instance(self) -> Instance:
        """What the problem file declares."""
        return self._instance

    @property
    def size(self) -> int:
        """The approximate size in bytes."""
        facts = len(self._instance.objects) + len(self._instance.initial)
        made = len(self._operators) + len(self._effects) + len(self._tested)
        return 16_000 + 500 * facts + 1000 * made

    @cached_property
    def declared(self) -> Hashable:
        """The names and types of actions, facts and objects, as a key."""
        return self._instance.domain.source.text, *self._instance.objects.items()

    @cached_property
    def no_static_preconditions(self) -> bool:
        """Whether every well-typed action could become applicable, going by types."""
        return self._grounder.no_static_preconditions()

    @cached_property
    def fillers(self) -> Mapping[tuple[str, int], frozenset[str]]:
        """Action and number of a parameter → the objects that it can have in any state."""
        instance = self._instance
        return fillers(instance.domain, instance.objects, self.facts(self._start))

    @cached_property
    def schemas(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter types."""
        return {
            name: tuple(label(parameter.types) for parameter in schema.parameters)
            for name, schema in self._schemas.items()
        }

    @cached_property
    def parameters(self) -> Mapping[str, tuple[str, ...]]:
        """Action name → parameter names, without the question marks."""
        return {
            name: tuple(parameter.name.removeprefix("?") for parameter in schema.parameters)
            for name, schema in self._schemas.items()
        }

    @cached_property
    def objects(self) -> Mapping[str, str]:
        """Object → type, constants first, in the order of their declaration."""
        return {name: label(types) for name, types in self._instance.objects.items()}

    @cached_property
    def predicates(self) -> Mapping[str, tuple[str, ...]]:
        """Predicate → types of its arguments, in the order of their declaration."""
        declared = self._instance.domain.predicates
        return {name: tuple(map(label, types)) for name, types in declared.items()}

    @cached_property
    def static(self) -> frozenset[Fact]:
        """The facts that hold in every state, because no action can change them."""
        return frozenset(Fact(key[0], key[1:]) for key in self._grounder.static)

    @cached_property
    def _listings(self) -> Sequence[Listing]:
        return [Listing(schema, self._grounder) for schema in self._schemas.values()]

    @cached_property
    def _start(self) -> int:
        return self._grounder.initial()

    def initial(self) -> int:
        """Return the initial state of the problem file."""
        return self._start

    def goal(self) -> Goal:
        """Return the goal as separate conjuncts, without those that are true in every state."""
        parts = (
            part for formula in self._instance.goal for part in self._parts(formula, {}, "the goal")
        )
        return Goal(tuple(part for part in dict.fromkeys(parts) if not self._certain(part)))

    def canonical(self, action: Action) -> Action:
        """Return the action with its names in the form of `as_compared`."""
        name, args = as_compared(action.name), tuple([as_compared(arg) for arg in action.args])
        return action if (name, args) == (action.name, action.args) else Action(name, args)

    def is_a(self, obj: str, type_: str) -> bool:
        """Return whether a known object can stand where a parameter type is asked for."""
        return obj in self._instance.objects_of(self._types[type_])

    def successor(self, state: int, action: Action) -> int | None:
        """Return the state after the action; None where the action is not applicable."""
        operator = self._operators.get(action) or self._find(action)
        if operator is None or not operator.possible:
            return None
        seen = state if self._axioms is None else self._closure(state)
        needs = operator.needs
        if seen & needs.true != needs.true or seen & needs.false:
            return None
        if needs.some and not needs.hold(seen):
            return None
        if operator.conditional:
            add, delete = operator.changes(seen)
            return state & ~delete | add
        return state & ~operator.delete | operator.add

    def walk(self, state: int, steps: Sequence[Step]) -> list[int]:
        """Return a state and the states after the steps, up to a step that needs `successor`.

        That is a step with several actions, or with an action that is not applicable, not in
        canonical spelling, or whose conditions and effects are more than facts.
        """
        states, moves = [state], self.moves
        for step in steps:
            move = moves.get(step) or self._move(step)
            if move is None or state & move[0] != move[1]:
                break
            state = state & move[2] | move[3]
            states.append(state)
        return states

    def _move(self, step: Step) -> _Move | None:
        """Return the needs and changes of a step as masks; None where masks cannot express them."""
        if len(step) != 1 or self._axioms is not None:
            return None
        (action,) = step
        operator = self._find(action)
        if operator is None or not operator.possible or operator.needs.some:
            return None
        if operator.needs.true & operator.needs.false:  # no fact is both
            return None
        named = any("=" in arg for arg in action.args)
        if operator.conditional or named or self.canonical(action) is not action:
            return None
        true, false, _ = operator.needs
        return self.moves.put(step, (true | false, true, ~operator.delete, operator.add))

    def test(self, condition: Condition) -> Callable[[int], bool]:
        """Return a faster equivalent of `holds` for one condition."""
        facts, truth = facts_in(condition), self._grounder.truth
        if self._axioms is None and all(truth(fact) is None for fact in facts):
            return self._grounder.compiled(condition).hold
        return lambda state: self.holds(state, condition)

    def violations(self, state: int, action: Action) -> list[Violation]:
        """Return the violated preconditions of the action, in the order of the file."""
        tested = self._tested.get(action)
        if tested is None:
            found = [(condition, self.test(condition)) for condition in self.preconditions(action)]
            tested = self._tested.put(action, found, 1 + len(found))
        return [
            Violation(condition, static=not self._possible(state, condition))
            for condition, test in tested
            if not test(state)
        ]

    def preconditions(self, action: Action) -> list[Condition]:
        """Return the preconditions of the action, in the order of the file, conjunctions split.

        Static literals are included, except satisfied equalities; of larger conditions that static
        facts decide, only those that can never hold.
        """
        schema = self._schemas[action.name]
        binding = schema.binding(action.args)
        parts = (
            part
            for formula in schema.conditions
            for part in self._parts(formula, binding, schema.name)
        )
        return [part for part in parts if not (_is_equality(part) and self._certain(part))]

    def effect(self, state: int, action: Action) -> Effect:
        """Return what the action would change in this state, applicable or not.

        Raises `ProblemError` for an applicable action whose cost the problem does not give.
        """
        possible = self.successor(state, action) is not None
        known = self._effects.get((action, possible))
        if known is not None:
            return known
        operator = self._operator(action)
        table = self._grounder.table
        add, delete = operator.changes(self._closure(state))
        cost = 0.0
        if possible:
            cost = self._grounder.cost(self._schemas[action.name], action.args)
        effect = Effect(frozenset(table.facts(add)), frozenset(table.facts(delete)), cost)
        if not operator.conditional:  # depends only on whether it is applicable
            self._effects.put((action, possible), effect)
        return effect

    def reads(self, action: Action) -> Container[Fact]:
        """Return the changeable facts that its applicability or its effect can depend on.

        A derived fact stands for all facts of the predicates that it depends on.
        """
        operator = self._operator(action)
        bits = operator.needs.touched()
        for condition, _, _ in operator.conditional:
            bits |= condition.touched()
        facts = frozenset(self._grounder.table.facts(bits))
        domain = self._instance.domain
        derived = {fact.predicate for fact in facts} & domain.derived
        return _Reads(facts, dependencies(domain.rules, derived)) if derived else facts

    def applicable(self, state: int) -> Iterator[Action]:
        """Yield the applicable actions, by schema in the order of the file, then by arguments.

        Raises `Unsupported` where more than a million combinations of objects have to be tried.
        """
        seen = self._closure(state)
        for listing in self._listings:
            yield from listing.actions(seen)

    def holds(self, state: int, condition: Condition) -> bool:
        """Return whether the condition is satisfied in the state."""
        return condition.holds(_View(self._grounder, self._closure(state)))

    def facts(self, state: int) -> frozenset[Fact]:
        """Return every fact that is true: static, changeable and derived ones."""
        return self.static.union(self._grounder.table.facts(self._closure(state)))

    def _find(self, action: Action) -> Operator | None:
        """Return the operator of an action, spelt in any case; None where there is none."""
        action = self.canonical(action)
        schema = self._schemas.get(action.name)
        if schema is None or len(schema.parameters) != len(action.args):
            return None
        for parameter, arg in zip(schema.parameters, action.args, strict=True):
            if arg not in self._instance.objects_of(parameter.types):
                return None
        return self._operator(action)

    def _operator(self, action: Action) -> Operator:
        operator = self._operators.get(action)
        if operator is None:
            operator = self._grounder.operator(self._schemas[action.name], action.args)
            self._operators.put(action, operator, 1 + len(operator.conditional))
        return operator

    def _closure(self, state: int) -> int:
        """Return the state together with the derived facts that follow from it."""
        if self._axioms is None:
            return state
        known = self._closures.get(state)
        if known is None:
            known = self._closures.put(state, self._axioms.closure(state))
        return known

    def _parts(self, formula: Formula, binding: Binding, owner: str) -> Iterator[Condition]:
        """Yield the conjuncts of a formula, instantiated and simplified.

        Literals are not simplified, nor are formulas that can never hold, unless they are too large
        to be shown.
        """
        if isinstance(formula, Literal):
            fact = Is(formula.fact(binding))
            return iter((fact if formula.positive else Not(fact),))
        instance, truth = self._instance, self._grounder.truth
        condition = Expansion(instance, truth, owner).instantiate(formula, binding)
        if condition == FALSE:
            with suppress(Unsupported):
                whole = Expansion(instance, unknown_truth, owner)
                condition = whole.instantiate(formula, binding)
        return conjuncts(condition)

    def _certain(self, condition: Condition) -> bool:
        """Return whether a literal is true in every state."""
        if isinstance(condition, Is):
            return self._grounder.truth(condition.fact) is True
        return (
            isinstance(condition, Not)
            and isinstance(condition.condition, Is)
            and self._grounder.truth(condition.condition.fact) is False
        )

    def _possible(self, state: int, condition: Condition) -> bool:
        """Return whether a condition holds, held initially, or could be made to hold."""
        if self.holds(state, condition) or self.holds(self._start, condition):
            return True
        if isinstance(condition, Is):
            return self._grounder.can_become(condition.fact, True)
        if isinstance(condition, Not):
            assert isinstance(condition.condition, Is)
            return self._grounder.can_become(condition.condition.fact, False)
        parts = (self._possible(state, part) for part in condition.conditions)
        return all(parts) if isinstance(condition, All) else any(parts)


@dataclass(frozen=True, slots=True)
class _Reads:
    """Some facts, and all facts of some predicates."""

    facts: frozenset[Fact]
    predicates: frozenset[str]

    def __contains__(self, fact: object) -> bool:
        return isinstance(fact, Fact) and (fact.predicate in self.predicates or fact in self.facts)


def _is_equality(condition: Condition) -> bool:
    return all(fact.predicate == EQUALS for fact in facts_in(condition))


class _View:
    """A state as a container of facts."""

    __slots__ = ("_grounder", "_state")

    def __init__(self, grounder: Grounder, state: int) -> None:
        self._grounder = grounder
        self._state = state

    def __contains__(self, fact: object) -> bool:
        assert isinstance(fact, Fact)
        known = self._grounder.truth(fact)
        if known is None:
            return self._grounder.table.has(self._state, fact)
        return known


def load_problem(domain: str | Path, problem: str | Path) -> Problem[int]:
    """Read a domain file and a problem file.

    Raises `ProblemError` with file, line and column where one cannot be read, is malformed, or
    does not fit the other.
    """
    return problem_of(load_domain(domain), read_text(problem), str(problem))


def load_domain(path: str | Path) -> Domain:
    """Read a domain file; raises `ProblemError` as `load_problem` does."""
    return read_domain(read_text(path), str(path))


def problem_of(domain: Domain, text: str, file: str | None = None) -> Problem[int]:
    """Return the problem that the text of a problem file states for a domain."""
    instance = read_instance(domain, text, file)
    world = PddlWorld(instance)
    return Problem(world, world.initial(), (world.goal(),), instance.name)


def read_problem(domain: str, problem: str) -> Problem[int]:
    """Return the problem stated by the texts of a domain file and a problem file.

    >>> problem = read_problem(
    ...     "(define (domain d) (:predicates (p)) (:action a :effect (p)))",
    ...     "(define (problem x) (:domain d) (:init) (:goal (p)))",
    ... )
    >>> [str(action) for action in problem.world.applicable(problem.initial)]
    ['(a)']
    """
    return problem_of(read_domain(domain, "domain"), problem, "problem")


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, UTF-16 or Latin-1, newlines unified.

    Raises `ProblemError` where it is missing, a directory, or unreadable.
    """
    return decoded(read_bytes(path))
