"""Plans by means-ends analysis: what an action needs is brought about before it, without grounding.

A part of a goal that could not be reached without destroying another one comes before that (after
Koehler and Hoffmann, "On reasonable and forced goal orderings", JAIR 12, 2000). What is found is a
plan, but not every plan is found, and none need be short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from plangauge.core.conditions import EQUALS
from plangauge.core.model import Action
from plangauge.formalisation.invariants import Invariants, Step, step_of, unified
from plangauge.pddl.domain import Schema
from plangauge.pddl.formulas import Literal
from plangauge.pddl.instance import Instance, Key

GoalLiteral: TypeAlias = "tuple[Key, bool]"
"""A fact, and whether it is to be true."""

_CALLS = 500
"""How many times it is tried to bring a fact about, for one plan."""
_DEEPEST = 150
_ROUNDS = 3
_TRIED = 4
"""How many actions of each schema are tried to bring a fact about."""
_OBJECTS = 6
"""How many objects are tried where no fact says which ones are near."""


class Means:
    """What brings facts about in a problem; nothing where that depends on conditions of effects."""

    def __init__(self, instance: Instance, invariants: Invariants) -> None:
        self._instance, self._invariants = instance, invariants
        domain = instance.domain
        self._fluents = domain.fluents
        self._usable = not domain.rules and all(
            not schema.effects.conditional
            and all(isinstance(part, Literal) for part in schema.conditions)
            for schema in domain.schemas.values()
        )
        self._state: set[Key] = set()
        self._path: list[Action] = []
        self._calls = 0
        self._steps: dict[Action, Step] = {}
        self._wide = False
        """Whether further objects are tried where facts say which ones are near."""

    def plan(self, goals: Sequence[GoalLiteral]) -> list[Action] | None:
        """Return actions after which all goals are true; None where none were found."""
        order = self._ordered(goals) if self._usable else ()
        for self._wide in (False, True) if order else ():
            self._state, self._path, self._calls = {*self._instance.initial}, [], 0
            for _ in range(_ROUNDS):
                done: list[GoalLiteral] = []
                for goal in order:
                    if not self._achieve(goal, done, ()):
                        self._achieve(goal, (), ())  # others are brought about again later
                    done = [each for each in (*done, goal) if self._holds(each)]
                if all(map(self._holds, goals)):
                    return self._path
        return None

    def _holds(self, goal: GoalLiteral) -> bool:
        return (goal[0] in self._state) is goal[1]

    def _achieve(
        self,
        goal: GoalLiteral,
        kept: Sequence[GoalLiteral],
        above: tuple[GoalLiteral, ...],
    ) -> bool:
        """Go on until a goal is true and what is kept still is; return whether that is so."""
        if self._holds(goal):
            return True
        self._calls += 1
        if goal in above or len(above) > _DEEPEST or self._calls > _CALLS:
            return False
        for action, step in self._ways(goal, above):
            begun = self._state.copy(), len(self._path)
            if self._prepare(step, kept, (*above, goal)):
                after = (self._state - step.deletes) | step.adds
                if all((key in after) is true for key, true in kept):
                    self._state = after
                    self._path.append(action)
                    return True
            self._state = begun[0]
            del self._path[begun[1] :]
        return False

    def _prepare(
        self, step: Step, kept: Sequence[GoalLiteral], above: tuple[GoalLiteral, ...]
    ) -> bool:
        """Bring about what a step needs; return whether all of it is true."""
        for _ in range(_ROUNDS):
            missing = [(key, True) for key in sorted(step.needs - self._state)]
            missing += [(key, False) for key in sorted(step.needs_not & self._state)]
            if not missing:
                return True
            if not all(self._achieve(goal, kept, above) for goal in missing):
                return False
        return False

    def _ways(self, goal: GoalLiteral, above: tuple[GoalLiteral, ...]) -> list[tuple[Action, Step]]:
        """Return actions that make a goal true, those that need and destroy least first.

        None needs what it is to serve; there are a few of each schema.
        """
        found: dict[Action, tuple[int, int, Step]] = {}
        key, true = goal
        for schema in self._instance.domain.schemas.values():
            for literal in schema.effects.literals:
                bound = unified(literal, key) if literal.positive is true else None
                for binding in () if bound is None else self._bindings(schema, bound):
                    action = Action(schema.name, tuple(binding[p.name] for p in schema.parameters))
                    if action not in self._steps:
                        self._steps[action] = step_of(schema, binding)
                    step = self._steps[action]
                    if (key in (step.adds if true else step.deletes)) and self._allowed(step):
                        lacking = len(step.needs - self._state) + len(step.needs_not & self._state)
                        found[action] = lacking, len(step.deletes & self._state), step
        ways: list[tuple[Action, Step]] = []
        left = dict.fromkeys(self._instance.domain.schemas, _TRIED)
        for action in sorted(found, key=lambda action: found[action][:2]):
            step = found[action][2]
            if left[action.name] and not any(
                (key, True) in above for key in step.needs - self._state
            ):
                left[action.name] -= 1
                ways.append((action, step))
        return ways

    def _bindings(self, schema: Schema, bound: dict[str, str]) -> Iterator[dict[str, str]]:
        """Yield values of all parameters, from facts that are true where these say which."""
        open_ = next((p for p in schema.parameters if p.name not in bound), None)
        if open_ is None:
            fits = self._instance.objects_of
            if all(bound[p.name] in fits(p.types) for p in schema.parameters):
                yield bound
            return
        known = self._instance.objects_of(open_.types)
        said = (self._values(literal, open_.name, bound) for literal in schema.literals)
        true = ([value for value in values if value in known] for values in said)
        best = min(filter(None, true), key=len, default=[])
        some = best if best and not self._wide else [*dict.fromkeys([*best, *known])][:_OBJECTS]
        for value in some:
            yield from self._bindings(schema, {**bound, open_.name: value})

    def _values(self, literal: Literal, name: str, bound: dict[str, str]) -> list[str]:
        """Return the values of a variable for which a literal is a true fact."""
        if not literal.positive or name not in literal.terms:
            return []
        found = (unified(literal, key) for key in self._state if key[0] == literal.predicate)
        return sorted(
            {
                each[name]
                for each in found
                if each and all(bound.get(term, value) == value for term, value in each.items())
            }
        )

    def _allowed(self, step: Step) -> bool:
        """Return whether all that a step needs and that never changes is so."""
        return all(
            self._is_so(key) for key in step.needs if key[0] not in self._fluents
        ) and not any(self._is_so(key) for key in step.needs_not if key[0] not in self._fluents)

    def _is_so(self, key: Key) -> bool:
        return key[1] == key[2] if key[0] == EQUALS else key in self._state

    # --- the order of the parts of a goal ---------------------------------------------------------

    def _ordered(self, goals: Sequence[GoalLiteral]) -> list[GoalLiteral]:
        """Return goals, each behind those that it would have to be given up for."""
        about: dict[str, list[GoalLiteral]] = {}
        for goal in goals:
            for obj in dict.fromkeys(goal[0][1:]):
                about.setdefault(obj, []).append(goal)
        before = {
            goal: [
                other
                for other in dict.fromkeys(w for obj in goal[0][1:] for w in about[obj])
                if other != goal and self._hinders(goal, other)
            ]
            for goal in goals
        }
        found: dict[GoalLiteral, None] = {}

        def visit(goal: GoalLiteral, seen: frozenset[GoalLiteral]) -> None:
            for other in before[goal]:
                if other not in found and other not in seen:
                    visit(other, seen | {other})
            found[goal] = None

        for goal in goals:
            if goal not in found:
                visit(goal, frozenset((goal,)))
        return [*found]

    def _hinders(self, goal: GoalLiteral, other: GoalLiteral) -> bool:
        """Return whether nothing can bring about another goal while one is true."""
        hindered = False
        for schema in self._instance.domain.schemas.values():
            for literal in schema.effects.literals:
                bound = unified(literal, other[0]) if literal.positive is other[1] else None
                if bound is None:
                    continue
                needs = {
                    (each.predicate, *[bound[term] for term in each.terms])
                    for each in schema.literals
                    if each.positive
                    and each.predicate in self._fluents
                    and all(term in bound for term in each.terms)
                }
                if goal[1]:
                    needs.add(goal[0])
                if not self._invariants.exclude(needs, (), regress=False):
                    return False
                hindered = True
        return hindered
