"""A conformance check of the `World` protocol, for those who add a world."""

from __future__ import annotations

import pickle
from collections.abc import Container, Iterator, Sequence
from itertools import chain, islice, product
from typing import Generic

from plangauge.core.conditions import Condition, facts_in
from plangauge.core.model import Action, Fact
from plangauge.worlds.base import Effect, Problem, S

_MOST_STATES = 100
_MOST_ACTIONS = 300


def check_world(problem: Problem[S], depth: int = 3) -> None:
    """Raise `AssertionError` if the world of a problem violates the `World` protocol.

    States up to ``depth`` actions from the initial one are examined (at most 100), in each of them
    up to 300 actions, applicable or not. The message names the rule, the state and the action.

    >>> from plangauge.worlds.pddl import read_problem
    >>> check_world(
    ...     read_problem(
    ...         "(define (domain d) (:predicates (p)) (:action a :effect (p)))",
    ...         "(define (problem x) (:domain d) (:init) (:goal (p)))",
    ...     )
    ... )
    """
    states = _states(problem, depth)
    actions = list(islice(_actions(problem), _MOST_ACTIONS))
    impossible: dict[Condition, Action] = {}
    for state in states:
        check = _Check(problem, state)
        check.state()
        for action in actions:
            check.action(action)
            impossible |= dict.fromkeys(check.impossible, action)
    for condition, action in impossible.items():
        for state in states:
            possible = problem.world.holds(state, condition)
            assert not possible, f"{condition}, static where {action} violates it, can hold"
    _check_effects(problem, states, actions)
    _check_reads(problem, states, actions)
    _check_copy(problem)


def _states(problem: Problem[S], depth: int) -> list[S]:
    """Return the states that can be reached within ``depth`` actions."""
    found = {problem.initial: None}
    layer = [problem.initial]
    for _ in range(depth):
        fresh: dict[S, None] = {}
        for state in layer:
            for action in problem.world.applicable(state):
                after = problem.world.successor(state, action)
                assert after is not None, f"{action} is listed as applicable, but has no successor"
                if after not in found:
                    fresh[after] = None
        found |= fresh
        layer = list(fresh)
        if len(found) >= _MOST_STATES:
            break
    return list(islice(found, _MOST_STATES))


def _actions(problem: Problem[S]) -> Iterator[Action]:
    """Yield applicable actions, then all with known names and the right number of arguments."""
    world = problem.world
    every = (
        Action(name, args)
        for name, types in world.schemas.items()
        for args in product(world.objects, repeat=len(types))
    )
    return iter(dict.fromkeys(chain(world.applicable(problem.initial), islice(every, 2000))))


def _well_typed(problem: Problem[S], action: Action) -> bool:
    types = problem.world.schemas[action.name]
    return all(
        problem.world.is_a(arg, type_) for arg, type_ in zip(action.args, types, strict=True)
    )


class _Check(Generic[S]):
    """The checks of one state."""

    def __init__(self, problem: Problem[S], state: S) -> None:
        self.problem, self.world, self.at = problem, problem.world, state
        self.facts = self.world.facts(state)
        self.applicable = list(self.world.applicable(state))
        self.impossible: set[Condition] = set()
        """The violated conditions that are said never to hold."""

    def state(self) -> None:
        """Check the rules that do not depend on an action."""
        world, state = self.world, self.at
        assert isinstance(hash(state), int)
        assert world.facts(state) == self.facts, f"facts differ between two calls: {self}"
        missing = sorted(world.static - self.facts)
        assert not missing, f"the static fact {missing[0]} is not true in {self}"
        again = list(world.applicable(state))
        assert again == self.applicable, f"applicable differs between two calls in {self}"
        assert len(set(again)) == len(again), f"applicable names an action twice in {self}"
        for action in again:
            assert action.name in world.schemas, f"applicable names the unknown {action}"
            assert _well_typed(self.problem, action), f"applicable names the ill-typed {action}"
        for goal in self.problem.goals:
            self.conditions(goal.conditions)
        unknown = Action("no such action", ("no such object",))
        assert world.successor(state, unknown) is None, "an unknown action has a successor"

    def action(self, action: Action) -> None:
        """Check the rules about an action."""
        world, state = self.world, self.at
        assert world.canonical(action) is action, f"canonical changes {action}, which is canonical"
        after = world.successor(state, action)
        assert after == world.successor(state, action), f"two successors of {action} in {self}"
        if not _well_typed(self.problem, action):
            assert after is None, f"the ill-typed {action} has a successor"
            return
        listed = action in self.applicable
        assert (after is not None) == listed, (
            f"{action} is {'' if listed else 'not '}listed as applicable, "
            f"but has {'a' if after is not None else 'no'} successor in {self}"
        )
        violations = list(world.violations(state, action))
        assert bool(violations) != listed, (
            f"{action} is {'' if listed else 'not '}applicable, but its violations in {self} are "
            f"{[str(violation.condition) for violation in violations]}"
        )
        for violation in violations:
            condition = violation.condition
            assert not world.holds(state, condition), f"{condition} holds, but is called violated"
            if violation.static:
                self.impossible.add(condition)
        self.conditions(world.preconditions(action))

    def conditions(self, conditions: Sequence[Condition]) -> None:
        """Check that `holds` agrees with the facts on conditions, comparisons excepted."""
        known = self.world.predicates
        for condition in conditions:
            if any(fact.predicate not in known for fact in facts_in(condition)):
                continue
            assert self.world.holds(self.at, condition) == condition.holds(self.facts), (
                f"holds and facts differ on {condition} in {self}"
            )

    def __str__(self) -> str:
        return "{" + " ".join(map(str, sorted(self.facts - self.world.static))) + "}"


def _check_effects(problem: Problem[S], states: Sequence[S], actions: Sequence[Action]) -> None:
    """Check that effects and facts agree, except on facts that no action changes directly."""
    world = problem.world
    steps: list[tuple[Action, S, S, Effect]] = []
    for state in states:
        for action in actions:
            after = world.successor(state, action)
            if after is not None:
                effect = world.effect(state, action)
                assert effect == world.effect(state, action), f"two effects of {action}"
                steps.append((action, state, after, effect))
    direct = {fact.predicate for *_, effect in steps for fact in effect.add | effect.delete}
    for action, before, after, effect in steps:
        expected = world.facts(before) - effect.delete | effect.add
        still = world.facts(before) == world.facts(after)
        assert still or effect.add or effect.delete, f"{action} changes facts, but has no effect"
        wrong = [f for f in sorted(expected ^ world.facts(after)) if f.predicate in direct]
        assert not wrong, (
            f"{action}: its effect says otherwise than the facts after it on {wrong[0]}"
        )


def _check_reads(problem: Problem[S], states: Sequence[S], actions: Sequence[Action]) -> None:
    """Check that an action behaves the same in states that agree on what it reads."""
    world = problem.world
    facts = {state: world.facts(state) for state in states}
    for action in actions:
        if not _well_typed(problem, action):
            continue
        reads: Container[Fact] = world.reads(action)
        seen: dict[frozenset[Fact], object] = {}
        for state in states:
            view = frozenset(fact for fact in facts[state] if fact in reads)
            effect = world.effect(state, action)
            treatment = (world.successor(state, action) is None, effect.add, effect.delete)
            assert seen.setdefault(view, treatment) == treatment, (
                f"{action} reads more than it says: among others states with "
                f"{' '.join(map(str, sorted(view))) or 'none of its facts'} differ"
            )


def _check_copy(problem: Problem[S]) -> None:
    """Check that a pickled copy is equivalent."""
    copy = pickle.loads(pickle.dumps(problem))  # noqa: S301 - just pickled
    world, state = copy.world, copy.initial
    same = problem.world.facts(problem.initial) == world.facts(state)
    assert same, "the initial state of a pickled copy has other facts"
    same = list(problem.world.applicable(problem.initial)) == list(world.applicable(state))
    assert same, "other actions are applicable in a pickled copy"
