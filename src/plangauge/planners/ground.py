"""Grounding for search: every action that can ever be applied, found once, by joining facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import NamedTuple, TypeAlias

from plangauge.errors import PlannerError
from plangauge.model import Action
from plangauge.pddl.domain import Schema, flatten
from plangauge.pddl.effects import Effects
from plangauge.pddl.expansion import Expansion
from plangauge.pddl.formulas import Literal, conjunction
from plangauge.pddl.ground import Grounder, Operator
from plangauge.pddl.instance import Instance, Key
from plangauge.pddl.join import Query, Relations, solve
from plangauge.pddl.masks import Either, Masks, to_masks
from plangauge.pddl.rules import Rule, strata

_MOST_OPERATORS = 200_000
_LONGEST_PLAN = 1_000_000
_FRESH = " "  # begins the name of the relation of the facts that the last round has added

_Name: TypeAlias = tuple[int, tuple[str, ...]]
"""The index of a schema, and arguments."""


class GroundAction(NamedTuple):
    """An action, its operator, and its cost as an int."""

    action: Action
    operator: Operator
    cost: int


class GroundProblem(NamedTuple):
    """A problem as bit masks, reduced to what can be reached when nothing is ever deleted."""

    initial: int
    goal: Masks
    actions: tuple[GroundAction, ...]
    rules: tuple[tuple[Operator, ...], ...]
    """The instances of the rules for derived predicates, stratum by stratum."""
    scale: tuple[int, int]
    """An int cost, divided by the first without remainder, then by the second, is the cost."""

    def closure(self, state: int) -> int:
        """Return the state together with the derived facts that follow from it."""
        for stratum in self.rules:
            before = -1
            while before != state:
                before = state
                for rule in stratum:
                    if rule.add & ~state and rule.needs.hold(state):
                        state |= rule.add
        return state

    def cost(self, total: int) -> float:
        """Return the cost that an int cost stands for."""
        return total // self.scale[0] / self.scale[1]


def ground(instance: Instance, check: Callable[[], None]) -> GroundProblem:
    """Ground a problem; ``check`` is called now and then, and may raise.

    Raises `PlannerError` where there are too many actions, `ProblemError` where a cost is missing.
    """
    grounder = Grounder(instance)
    initial = grounder.initial()
    expansion = Expansion(instance, grounder.truth, "the goal")
    goal = conjunction(expansion.instantiate(part, {}) for part in instance.goal)
    reached = _Reached(grounder, initial)
    while reached.expand(check):
        pass
    level = strata(instance.domain.rules)
    rules: list[list[Operator]] = [[] for _ in set(level.values())]
    found: list[tuple[Action, Operator, Fraction]] = []
    for (index, args), operator in sorted(reached.operators.items()):
        schema = reached.schemas[index]
        if index >= len(instance.domain.schemas):
            rules[level[schema.name]].append(operator)
        elif _changes_something(operator):
            cost = Fraction(str(grounder.cost(schema, args)))
            found.append((Action(schema.name, args), operator, cost))
    actions, scale = _with_int_costs(found)
    masks = to_masks(goal, lambda fact: grounder.table.bit((fact.predicate, *fact.args)))
    return GroundProblem(initial, masks, actions, tuple(map(tuple, rules)), scale)


class _Reached:
    """What can be reached when nothing is deleted and no condition that is negative is read."""

    def __init__(self, grounder: Grounder, initial: int) -> None:
        domain = grounder.instance.domain
        self.schemas = [*domain.schemas.values(), *map(_as_schema, domain.rules)]
        self.operators: dict[_Name, Operator] = {}
        self._grounder = grounder
        self._facts = self._fresh = initial
        self._queries = [list(_queries(schema, grounder)) for schema in self.schemas]
        self._static = Relations(sorted(grounder.static))
        self._seen: set[_Name] = set()
        self._waiting: dict[_Name, Operator] = {}

    def expand(self, check: Callable[[], None]) -> bool:
        """Add what one round of actions and rules makes true; return whether that is anything."""
        for index, args in sorted(self._names(check)):
            operator = self._grounder.operator(self.schemas[index], args)
            if operator.possible and not operator.needs.true & operator.needs.false:
                self._waiting[index, args] = operator
        added = 0
        for name, operator in list(self._waiting.items()):
            if not _reachable(operator.needs, self._facts):
                continue
            self.operators[name] = operator
            added |= operator.add
            rest = 0
            for condition, add, _ in operator.conditional:
                if _reachable(condition, self._facts):
                    added |= add
                else:
                    rest |= add & ~self._facts
            if not rest:
                del self._waiting[name]
        self._fresh = added & ~self._facts
        self._facts |= added
        return bool(self._fresh)

    def _names(self, check: Callable[[], None]) -> list[_Name]:
        """Return the operators that the facts of the last round may have made applicable."""
        relations = Relations(
            chain(self._keys(self._facts, ""), self._keys(self._fresh, _FRESH)), self._static
        )
        found: list[_Name] = []
        for index, queries in enumerate(self._queries):
            names = [parameter.name for parameter in self.schemas[index].parameters]
            for query in queries:
                check()
                for binding in solve(query, relations, self._grounder.instance.objects_of):
                    name = index, tuple([binding[n] for n in names])
                    if name not in self._seen:
                        self._seen.add(name)
                        found.append(name)
                        self._check_size()
            queries[:] = [query for query in queries if _has_fresh(query)]
        return found

    def _keys(self, mask: int, prefix: str) -> Iterator[Key]:
        for fact in self._grounder.table.facts(mask):
            yield (prefix + fact.predicate, *fact.args)

    def _check_size(self) -> None:
        if len(self._seen) > _MOST_OPERATORS:
            raise PlannerError("astar", f"more than {_MOST_OPERATORS:,} ground actions")


def _as_schema(rule: Rule) -> Schema:
    """Return a rule as an action that makes its head true."""
    conditions = tuple(flatten(rule.body))
    return Schema(rule.head.predicate, rule.parameters, conditions, Effects([rule.head]))


def _queries(schema: Schema, grounder: Grounder) -> Iterator[Query]:
    """Yield what to join: one changeable literal after the other has to be a fresh fact.

    Without such a literal there is a single query, to be asked once.
    """
    variables = dict(schema.parameters)
    joined = [literal for literal in schema.literals if literal.joins]
    places = [i for i, each in enumerate(joined) if each.predicate in grounder.changeable]
    if not places:
        yield Query(variables, tuple(joined))
    for place in places:
        fresh = Literal(_FRESH + joined[place].predicate, joined[place].terms)
        yield Query(variables, (*joined[:place], fresh, *joined[place + 1 :]))


def _has_fresh(query: Query) -> bool:
    return any(literal.predicate.startswith(_FRESH) for literal in query.literals)


def _reachable(condition: Masks, facts: int) -> bool:
    """Return whether a condition may hold once these facts have been true, one by one."""
    if facts & condition.true != condition.true:
        return False
    return all(_either_reachable(either, facts) for either in condition.some)


def _either_reachable(either: Either, facts: int) -> bool:
    if facts & either.true or either.false:
        return True
    return any(_reachable(part, facts) for part in either.parts)


def _changes_something(operator: Operator) -> bool:
    added, deleted = operator.add & ~operator.needs.true, operator.delete & ~operator.add
    return bool(added or deleted or operator.conditional)


def _with_int_costs(
    found: list[tuple[Action, Operator, Fraction]],
) -> tuple[tuple[GroundAction, ...], tuple[int, int]]:
    """Make costs comparable without rounding.

    Where an action is free, the length of a plan decides between plans of the same cost, so that
    no plan has useless steps: costs become large multiples, and each step costs one more.
    """
    unit = lcm(*[cost.denominator for _, _, cost in found])
    costs = [int(cost * unit) for _, _, cost in found]
    factor, step = (1, 0) if all(costs) else (_LONGEST_PLAN, 1)
    actions = tuple(
        GroundAction(action, operator, cost * factor + step)
        for (action, operator, _), cost in zip(found, costs, strict=True)
    )
    return actions, (factor, unit)
