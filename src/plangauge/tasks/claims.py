"""Claims about a problem: what a fact, an action or a step is, decided with a proof.

Each has two tasks in `forms`: is it so (yes or no), and of which option is it so (a choice).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from random import Random
from typing import Any, NamedTuple, TypeAlias

from plangauge.core.model import Action, Fact, Plan
from plangauge.domains.generate import one_of, shuffled
from plangauge.reachability import Proof, Reachability, Verdict
from plangauge.reading.notations.actions import read_action
from plangauge.tasks.base import execute
from plangauge.tasks.shortening import with_detour
from plangauge.tasks.states import Walk, changing_action, no_actions
from plangauge.tasks.terms import Ruling, goal_facts, landmarks_of, next_actions
from plangauge.worlds.base import Problem
from plangauge.worlds.numbers import VALUE, read_value
from plangauge.worlds.simulate import simulate

Actions: TypeAlias = tuple[Action, ...]
Draw: TypeAlias = Callable[[Problem[Any], Random, Sequence[Plan]], "Actions | None"]

SIMULATED = "simulation"
"""The proof of what holds in a state, or after some actions."""
_MOST = 2_000
"""How many terms are tried for a question."""


class Case(NamedTuple):
    """A term that a question can be about, and whether the claim is true of it."""

    term: str
    ruling: Ruling
    hard: bool
    """Whether telling needs more than a look at the term."""


class Claim(NamedTuple):
    """Something that is true or false of a term, after some actions in a problem."""

    name: str
    setting: str
    """What prompts show beside the state: ``start`` nothing, ``state`` the actions that are
    executed, ``goal`` the goal, ``plan`` the goal and the actions as a plan."""
    is_it_so: str
    """The question of yes or no; ``{options}`` stands for the term."""
    which: str
    """The question which option it is true of."""
    draw: Draw
    decide: Callable[[Problem[Any], Actions, str], Ruling]
    """Decides on any term; `Ruling.right` is None where it is no term of the problem."""
    terms: Callable[[Problem[Any], Actions, Random], Iterator[str]]
    hard: Callable[[Problem[Any], Actions, Case], bool]

    def cases(self, problem: Problem[Any], actions: Actions, rng: Random) -> Iterator[Case]:
        """Yield the decided cases among the terms, each once."""
        for term in dict.fromkeys(self.terms(problem, actions, rng)):
            ruling = self.decide(problem, actions, term)
            if ruling.right is not None:
                case = Case(term, ruling, False)
                yield case._replace(hard=self.hard(problem, actions, case))


# -- what questions are about ----------------------------------------------------------------------


def _without_plan(
    draw: Callable[[Problem[Any], Random], Actions | None],
) -> Draw:
    return lambda problem, rng, _: draw(problem, rng)


def _all_terms(problem: Problem[Any], signatures: Mapping[str, Sequence[str]]) -> Iterator[str]:
    world = problem.world
    for name, types in signatures.items():
        members = ([each for each in world.objects if world.is_a(each, type_)] for type_ in types)
        for args in product(*members):
            yield f"({' '.join((name, *args))})"


def _some_terms(
    problem: Problem[Any], signatures: Mapping[str, Sequence[str]], rng: Random
) -> Iterator[str]:
    """Yield well-typed terms: all of them in small problems, else some drawn at random."""
    world, names = problem.world, sorted(signatures)
    members = {
        type_: [each for each in world.objects if world.is_a(each, type_)]
        for types in signatures.values()
        for type_ in types
    }
    sizes = [prod(len(members[type_]) for type_ in signatures[name]) for name in names]
    if sum(sizes) <= _MOST:
        yield from _all_terms(problem, signatures)
        return
    filled = [name for name, size in zip(names, sizes, strict=True) if size]
    for _ in range(_MOST):
        name = one_of(rng, filled)
        yield f"({' '.join((name, *(one_of(rng, members[t]) for t in signatures[name])))})"


def _some_facts(problem: Problem[Any], actions: Actions, rng: Random) -> Iterator[str]:
    """Yield facts that are true now or after the actions, and others."""
    world = problem.world
    for state in execute(problem, actions)[-2:]:
        yield from sorted(map(str, world.facts(state) - world.static))
    changing = {fact.predicate for fact in world.facts(problem.initial) - world.static}
    plain = {name: types for name, types in world.predicates.items() if not name.endswith(VALUE)}
    signatures = {name: types for name, types in plain.items() if name in changing}
    yield from _some_terms(problem, signatures or plain, rng)


def _some_actions(problem: Problem[Any], actions: Actions, rng: Random) -> Iterator[str]:
    yield from map(str, problem.world.applicable(execute(problem, actions)[-1]))
    yield from _some_terms(problem, problem.world.schemas, rng)


# -- what holds in a state -------------------------------------------------------------------------


def _applicable(problem: Problem[Any], actions: Actions, term: str) -> Ruling:
    action = _action(problem, term)
    if action is None:
        return Ruling(None)
    state = execute(problem, actions)[-1]
    return Ruling(problem.world.successor(state, action) is not None, SIMULATED)


def _nearly_applicable(problem: Problem[Any], actions: Actions, case: Case) -> bool:
    """Return whether at most one condition of an action is violated."""
    action = read_action(case.term)
    assert action is not None
    return len(problem.world.violations(execute(problem, actions)[-1], action)) <= 1


def _true(problem: Problem[Any], actions: Actions, term: str) -> Ruling:
    fact = _fact(problem, term)
    if fact is None:
        return Ruling(None)
    return Ruling(fact in problem.world.facts(execute(problem, actions)[-1]), SIMULATED)


def _changed(problem: Problem[Any], actions: Actions, case: Case) -> bool:
    """Return whether the actions make a fact true or false, or true and false again."""
    fact = _fact(problem, case.term)
    states = execute(problem, actions)
    return len({fact in problem.world.facts(state) for state in states}) > 1


def _made(true: bool) -> Callable[[Problem[Any], Actions, str], Ruling]:
    def decide(problem: Problem[Any], actions: Actions, term: str) -> Ruling:
        fact = _fact(problem, term)
        if fact is None:
            return Ruling(None)
        before, after = (problem.world.facts(s) for s in execute(problem, actions)[-2:])
        return Ruling(fact in (after - before if true else before - after), SIMULATED)

    return decide


def _shares_object(problem: Problem[Any], actions: Actions, case: Case) -> bool:
    """Return whether a fact is about an object of the last action."""
    fact = _fact(problem, case.term)
    return fact is not None and not {*fact.args}.isdisjoint(actions[-1].args)


# -- what can and must become true -----------------------------------------------------------------


def _proven(
    asked: Callable[[Problem[Any], str], Any], verdict: Callable[[Problem[Any], Any], Verdict]
) -> Callable[[Problem[Any], Actions, str], Ruling]:
    """Return a decision by the verdict on what a term is, a fact or an action."""

    def decide(problem: Problem[Any], actions: Actions, term: str) -> Ruling:
        del actions
        found = asked(problem, term)
        if found is None:
            return Ruling(None)
        its = verdict(problem, found)
        return Ruling(its.value, its.proof)

    return decide


def _easy(
    terms: Callable[[Problem[Any], Actions, Random], Iterator[str]],
) -> Callable[[Problem[Any], Actions, Random], Iterator[str]]:
    """Return terms without those on which only a long search decides."""

    def easy(problem: Problem[Any], actions: Actions, rng: Random) -> Iterator[str]:
        reach = Reachability.of(problem)
        for term in terms(problem, actions, rng):
            asked = _fact(problem, term) or read_action(term)
            if asked is None or not reach.is_hard(asked):
                yield term

    return easy


def _beyond_relaxation(problem: Problem[Any], actions: Actions, case: Case) -> bool:
    """Return whether more is needed than the delete relaxation, or than a look at the state."""
    del actions
    if not case.ruling.right:
        return case.ruling.proof != Proof.RELAXATION
    fact = _fact(problem, case.term)
    if fact is not None:
        return fact not in problem.world.facts(problem.initial)
    return not _applicable(problem, (), case.term).right


def _subgoals(problem: Problem[Any], actions: Actions, rng: Random) -> Iterator[str]:
    """Yield facts that are neither true nor in the goal, and need no long search."""
    del actions
    known = problem.world.facts(problem.initial) | goal_facts(problem)
    names = set(map(str, known))
    facts = (str(fact) for fact, _ in islice(landmarks_of(problem).facts(easy=True), _MOST))
    yield from shuffled(rng, [fact for fact in facts if fact not in names])


def _reachable(problem: Problem[Any], actions: Actions, case: Case) -> bool:
    """Return whether a fact can become true at all, as far as that is easy to tell."""
    del actions
    fact = _fact(problem, case.term)
    return fact is not None and landmarks_of(problem).may_become_true(fact)


def _best(problem: Problem[Any], actions: Actions, term: str) -> Ruling:
    del actions
    action = _action(problem, term)
    if action is None:
        return Ruling(None)
    return problem.once(next_actions, next_actions, problem).rule(action)


def _applicable_actions(problem: Problem[Any], actions: Actions, rng: Random) -> Iterator[str]:
    del actions, rng
    return map(str, problem.world.applicable(problem.initial))


def _well_typed(
    problem: Problem[Any], action: Action | None, signatures: Mapping[str, Sequence[str]]
) -> Action | None:
    """Return a term as an action, if it has a name, objects and types of the problem."""
    world = problem.world
    types = signatures.get(action.name) if action else None
    if action is None or types is None or len(types) != len(action.args):
        return None
    pairs = zip(action.args, types, strict=True)
    return action if all(a in world.objects and world.is_a(a, t) for a, t in pairs) else None


def _action(problem: Problem[Any], term: str) -> Action | None:
    return _well_typed(problem, read_action(term), problem.world.schemas)


def _fact(problem: Problem[Any], term: str) -> Fact | None:
    signatures, value = problem.world.predicates, read_value(term)
    if value is not None:
        of = {name: types[:-1] for name, types in signatures.items()}
        return value if _well_typed(problem, Action(value.predicate, value.args[:-1]), of) else None
    found = _well_typed(problem, read_action(term), signatures)
    return None if found is None else Fact(found.name, found.args)


# -- what a plan needs -----------------------------------------------------------------------------


def _steps(problem: Problem[Any], actions: Actions, rng: Random) -> Iterator[str]:
    """Yield each step of a plan, and two in a row, in random order."""
    del problem
    ones = [f"step {number}" for number in range(1, len(actions) + 1)]
    twos = [f"steps {number} and {number + 1}" for number in range(1, len(actions))]
    yield from shuffled(rng, ones + twos)


def _superfluous(problem: Problem[Any], actions: Actions, term: str) -> Ruling:
    found = _STEPS.fullmatch(term)
    if found is None:
        return Ruling(None)
    first = int(found["first"])
    last = int(found["last"] or first)
    if not (1 <= first <= last <= len(actions) and last - first == bool(found["last"])):
        return Ruling(None)
    rest = Plan.of(*actions[: first - 1], *actions[last:])
    return Ruling(simulate(problem, rest).valid, SIMULATED)


_STEPS = re.compile(r"steps? (?P<first>\d{1,6})(?: and (?P<last>\d{1,6}))?")


def _always(problem: Problem[Any], actions: Actions, case: Case) -> bool:
    del problem, actions, case
    return True


CLAIMS = (
    Claim(
        "applicability",
        "state",
        "Can this action be executed: {options}?",
        "Which of these actions can be executed?",
        _without_plan(Walk()),
        _applicable,
        _some_actions,
        _nearly_applicable,
    ),
    Claim(
        "state-tracking",
        "state",
        "Is this fact true: {options}?",
        "Which of these facts is true?",
        _without_plan(Walk()),
        _true,
        _some_facts,
        _changed,
    ),
    Claim(
        "positive-effects",
        "state",
        "Was this fact false before the last action, and is it true after it: {options}?",
        "Which of these facts was false before the last action, and is true after it?",
        _without_plan(changing_action),
        _made(true=True),
        _some_facts,
        _shares_object,
    ),
    Claim(
        "negative-effects",
        "state",
        "Was this fact true before the last action, and is it false after it: {options}?",
        "Which of these facts was true before the last action, and is false after it?",
        _without_plan(changing_action),
        _made(true=False),
        _some_facts,
        _shares_object,
    ),
    Claim(
        "reachable-fact",
        "start",
        "Can this fact become true, by any actions from this state on: {options}?",
        "Which of these facts can become true, by any actions from this state on?",
        _without_plan(no_actions),
        _proven(_fact, lambda problem, fact: Reachability.of(problem).fact(fact)),
        _easy(_some_facts),
        _beyond_relaxation,
    ),
    Claim(
        "reachable-action",
        "start",
        "Can this action become possible, by any actions from this state on: {options}?",
        "Which of these actions can become possible, by any actions from this state on?",
        _without_plan(no_actions),
        _proven(_action, lambda problem, action: Reachability.of(problem).action(action)),
        _easy(_some_actions),
        _beyond_relaxation,
    ),
    Claim(
        "landmark",
        "goal",
        "Is this fact true at some point of every plan that reaches the goal: {options}?",
        "Which of these facts is true at some point of every plan that reaches the goal?",
        _without_plan(no_actions),
        _proven(_fact, lambda problem, fact: landmarks_of(problem).fact(fact)),
        _subgoals,
        _reachable,
    ),
    Claim(
        "next-action",
        "goal",
        "Does a plan of the lowest cost that reaches the goal begin with this action: {options}?",
        "With which of these actions does a plan of the lowest cost that reaches the goal begin?",
        _without_plan(no_actions),
        _best,
        _applicable_actions,
        _always,
    ),
    Claim(
        "shorten-plan",
        "plan",
        "Does the rest still reach the goal if {options} of this plan is left out?",
        "Which of these can be left out of this plan, and the rest still reaches the goal?",
        with_detour,
        _superfluous,
        _steps,
        _always,
    ),
)
