"""Worlds given by PDDL: a state is an int used as a bit set."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from plangauge.conditions import EQUALS, FALSE, All, Condition, Is, Not, conjuncts, facts_in
from plangauge.errors import ProblemError, Unsupported
from plangauge.goals import Goal
from plangauge.model import Action, Fact
from plangauge.pddl.axioms import Axioms
from plangauge.pddl.domain import Domain, read_domain
from plangauge.pddl.expansion import Expansion
from plangauge.pddl.formulas import Binding, Formula, Literal, nothing_known
from plangauge.pddl.ground import Grounder, Operator
from plangauge.pddl.instance import Instance, Key, read_instance
from plangauge.pddl.join import Query, Relations, solve
from plangauge.pddl.roles import fillers
from plangauge.pddl.rules import dependencies
from plangauge.pddl.types import Types, label
from plangauge.worlds.base import Effect, Problem, Violation

_MOST_CLOSURES = 10_000
_MOST_EFFECTS = 10_000


class PddlWorld:
    """The world of a PDDL problem.

    Operators are made from their schemas when they are first asked for, so a plan is validated
    without grounding anything else. States are ints; a bit means the same fact as long as the
    world lives, and in its pickled copies.
    """

    def __init__(self, instance: Instance, grounder: Grounder | None = None) -> None:
        self._instance = instance
        self._grounder = grounder or Grounder(instance)
        self._schemas = instance.domain.schemas
        self._axioms = Axioms(instance) if instance.domain.rules else None
        self._operators: dict[Action, Operator] = {}
        self._closures: dict[int, int] = {}
        self._effects: dict[Action, Effect] = {}
        self._types: dict[str, Types] = {
            label(parameter.types): parameter.types
            for schema in self._schemas.values()
            for parameter in schema.parameters
        }
        for signature in instance.domain.predicates.values():
            self._types.update((label(types), types) for types in signature)

    def __reduce__(self) -> tuple[type[PddlWorld], tuple[Instance, Grounder]]:
        return type(self), (self._instance, self._grounder)

    @cached_property
    def nothing_static(self) -> bool:
        """Whether every action of suitable objects could become applicable, going by types."""
        return self._grounder.nothing_static()

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
    def _static_relations(self) -> Relations:
        return Relations(sorted(self._grounder.static))

    @cached_property
    def _start(self) -> int:
        return self._grounder.initial()

    def initial(self) -> int:
        """Return the initial state of the problem file."""
        return self._start

    def goal(self) -> Goal:
        """Return the goal, its conjuncts taken apart, what is true in every state left out."""
        parts = (
            part for formula in self._instance.goal for part in self._parts(formula, {}, "the goal")
        )
        return Goal(tuple(part for part in dict.fromkeys(parts) if not self._certain(part)))

    def canonical(self, action: Action) -> Action:
        """Return the action in lower case: PDDL does not distinguish case."""
        name, args = action.name.lower(), tuple([arg.lower() for arg in action.args])
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

    def violations(self, state: int, action: Action) -> list[Violation]:
        """Return what keeps the action from being applicable, in the order of the file."""
        return [
            Violation(condition, static=not self._possible(state, condition))
            for condition in self.preconditions(action)
            if not self.holds(state, condition)
        ]

    def preconditions(self, action: Action) -> list[Condition]:
        """Return what the action needs, in the order of the file; no conjunctions.

        Static literals are kept, except for satisfied equalities; where static facts decide a
        larger condition, only one that can never hold is kept.
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
        known = self._effects.get(action) if possible else None
        if known is not None:
            return known
        operator = self._operator(action)
        table = self._grounder.table
        add, delete = operator.changes(self._closure(state))
        cost = 0.0
        if possible:
            cost = self._grounder.cost(self._schemas[action.name], action.args)
        effect = Effect(frozenset(table.facts(add)), frozenset(table.facts(delete)), cost)
        if possible and not operator.conditional:  # the same wherever it is applicable
            if len(self._effects) >= _MOST_EFFECTS:
                self._effects.clear()
            self._effects[action] = effect
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
        """Yield the applicable actions, by schema in the order of the file, then by arguments."""
        table = self._grounder.table
        keys = [(f.predicate, *f.args) for f in table.facts(self._closure(state))]
        relations = Relations(keys, self._static_relations)
        for name, schema in self._schemas.items():
            positive = tuple(literal for literal in schema.literals if literal.joins)
            query = Query(dict(schema.parameters), positive)
            names = [parameter.name for parameter in schema.parameters]
            bindings = solve(query, relations, self._instance.objects_of)
            for args in sorted({tuple(binding[n] for n in names) for binding in bindings}):
                action = Action(name, args)
                if self.successor(state, action) is not None:
                    yield action

    def holds(self, state: int, condition: Condition) -> bool:
        """Return whether the condition is satisfied in the state."""
        return condition.holds(_View(self._grounder, self._closure(state)))

    def facts(self, state: int) -> frozenset[Fact]:
        """Return every fact that is true: static, changeable and derived ones."""
        return self.static.union(self._grounder.table.facts(self._closure(state)))

    def _find(self, action: Action) -> Operator | None:
        """Return the operator of an action in whatever case; None where there is none."""
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
            self._operators[action] = operator
        return operator

    def _closure(self, state: int) -> int:
        """Return the state together with the derived facts that follow from it."""
        if self._axioms is None:
            return state
        known = self._closures.get(state)
        if known is None:
            table = self._grounder.table
            facts: set[Key] = {(fact.predicate, *fact.args) for fact in table.facts(state)}
            derived = self._axioms.derive(facts, self._static_relations)
            known = state | table.mask(sorted(derived))
            if len(self._closures) >= _MOST_CLOSURES:
                self._closures.clear()
            self._closures[state] = known
        return known

    def _parts(self, formula: Formula, binding: Binding, owner: str) -> Iterator[Condition]:
        """Yield the conjuncts of a formula, instantiated and simplified.

        A literal is not simplified, nor is a formula that can never hold, as long as it is small
        enough to be shown.
        """
        if isinstance(formula, Literal):
            fact = Is(formula.fact(binding))
            return iter((fact if formula.positive else Not(fact),))
        instance, truth = self._instance, self._grounder.truth
        condition = Expansion(instance, truth, owner).instantiate(formula, binding)
        if condition == FALSE:
            with suppress(Unsupported):
                whole = Expansion(instance, nothing_known, owner)
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
            return self._grounder.table.has(self._state, (fact.predicate, *fact.args))
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
    """Return the text of a file in UTF-8 (or, for old files, Latin-1), newlines unified.

    Raises `ProblemError` where it is missing, a directory, or unreadable.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ProblemError(f"cannot read the file: {reason}", file=str(path)) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")
