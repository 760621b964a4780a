"""Counting what a state or a problem has, and telling what is defined from what is not.

After the numerical questions and the hallucination detection of ActionReasoningBench (Handa et al.,
ICLR 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.model import Action, Plan
from plangauge.domains.generate import one_of
from plangauge.reading.notations.actions import read_action
from plangauge.tasks.base import TASKS, Draft, Question, execute
from plangauge.tasks.states import Walk
from plangauge.tasks.values import NumberTask, VerdictTask, undetermined
from plangauge.worlds.base import Problem, S

COUNTED = {
    "actions": "actions that can be executed in this state",
    "facts": "facts that are true in this state, also those that never change",
    "objects": "objects",
}
"""What can be counted, in the words of prompts; options name it, ``(facts clear)`` a part of it."""


@dataclass(frozen=True)
class Counting(NumberTask):
    """How many actions are applicable, facts are true, or objects there are, all or of one name.

    The option is ``(actions)``, ``(facts)`` or ``(objects)``, with the name of an action, a
    predicate or a type behind the word if only its own are counted.
    """

    name: str = "counting-v1"
    summary: str = "count the applicable actions, the true facts, or the objects"
    true: Callable[[Problem[Any], tuple[Any, ...]], Any] = undetermined
    everywhere = False
    on_request = True

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return what to count, drawn at random, in a state two random actions away."""
        del references
        kind = one_of(rng, [*COUNTED])
        name = one_of(rng, ["", *sorted(self._names(problem)[kind])])
        walk = Walk()(problem, rng) or ()
        return Draft(
            () if kind == "objects" else walk, (f"({kind} {name})" if name else f"({kind})",)
        )

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Action] = (),
        references: Sequence[Plan] = (),
        options: Sequence[str] = (),
    ) -> Question[S]:
        """Return the question how many there are after the actions.

        Raises `ProblemError` where the option does not say what is counted.
        """
        del references
        spelt = tuple(map(problem.world.canonical, actions))
        state = execute(problem, spelt)[-1]
        term = read_action(options[0]) if len(options) == 1 else None
        names = self._names(problem).get(term.name) if term else None
        if term is None or names is None or len(term.args) > 1 or not names >= {*term.args}:
            raise ProblemError(
                f"the option of {self.name} is (actions), (facts) or (objects), with the name of an"
                f" action, a predicate or a type behind it if only its own are counted, not"
                f" {', '.join(options) or 'missing'}"
            )
        world, only = problem.world, term.args
        if term.name == "objects":
            number = sum(not only or world.is_a(each, only[0]) for each in world.objects)
        elif term.name == "actions":
            number = sum(not only or each.name == only[0] for each in world.applicable(state))
        else:
            number = sum(not only or each.predicate == only[0] for each in world.facts(state))
        return Question(self.name, problem, spelt, number, number, tuple(options))

    def say(self, option: str) -> str:
        """Return what an option counts, in words."""
        term = read_action(option)
        assert term is not None
        if not term.args:
            return COUNTED[term.name]
        if term.name == "objects":
            return f"objects of the type {term.args[0]}"
        return f"{COUNTED[term.name]} and have the name {term.args[0]}"

    def _names(self, problem: Problem[Any]) -> dict[str, set[str]]:
        world = problem.world
        types = {type_ for each in world.schemas.values() for type_ in each if " " not in type_}
        return {"actions": {*world.schemas}, "facts": {*world.predicates}, "objects": types}


@dataclass(frozen=True)
class Defined(VerdictTask):
    """Whether a term is an action of the problem: its name, the number and types of its objects.

    Half of the terms that are drawn are; the others have one mistake: another name, an object
    too many or too few, one of a wrong type, or the name of something else as an object.
    """

    name: str = "defined-v1"
    summary: str = "say whether a term is an action or a fact of the problem, by name and types"
    true: Callable[[Problem[Any], tuple[Any, ...]], Any] = undetermined
    everywhere = False
    on_request = True

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return a term drawn at random, correct or with one mistake, half of the time each."""
        del references
        term = _any_term(problem, rng)
        if term is not None and rng.random() < 0.5:
            term = one_of(rng, [*_mistaken(problem, term)])
        return None if term is None else Draft((), (str(term),))

    def question(
        self,
        problem: Problem[S],
        actions: Sequence[Action] = (),
        references: Sequence[Plan] = (),
        options: Sequence[str] = (),
    ) -> Question[S]:
        """Return the question whether the option is an action or a fact of the problem.

        Raises `ProblemError` where actions are given, or the option is not one term.
        """
        del references
        term = read_action(options[0]) if len(options) == 1 else None
        if term is None or actions:
            raise ProblemError(f"the option of {self.name} is one term, such as (name object)")
        truth = is_defined(problem, problem.world.canonical(term))
        return Question(self.name, problem, (), truth, truth, tuple(options))


def is_defined(problem: Problem[Any], term: Action) -> bool:
    """Return whether a term is an action or a fact that the problem can have.

    Names, number and types of the arguments count; whether it is ever applicable or true does not.
    """
    world = problem.world
    for signatures in (world.schemas, world.predicates):
        types = signatures.get(term.name)
        if types is not None and len(types) == len(term.args):
            pairs = zip(term.args, types, strict=True)
            if all(arg in world.objects and world.is_a(arg, type_) for arg, type_ in pairs):
                return True
    return False


def _any_term(problem: Problem[Any], rng: Random) -> Action | None:
    """Return a well-typed action or fact of any name, drawn at random."""
    world = problem.world
    signatures = {**world.predicates, **world.schemas}
    name = one_of(rng, sorted(signatures))
    members = [[o for o in world.objects if world.is_a(o, type_)] for type_ in signatures[name]]
    return Action(name, tuple(one_of(rng, each) for each in members)) if all(members) else None


def _mistaken(problem: Problem[Any], term: Action) -> Iterator[Action]:
    """Yield terms with one mistake, one of each kind that there is.

    Wrong names are those of other things in the problem, so that they are renamed in obfuscated
    problems.
    """
    world, args = problem.world, term.args
    others = sorted({*world.predicates, *world.schemas, *world.objects.values()} - {term.name})
    kinds = [
        [replace(term, name=name) for name in others],
        [replace(term, args=(*args, other)) for other in world.objects],
        [replace(term, args=args[:-1])],
        [_with(term, place, name) for place in range(len(args)) for name in others],
        [_with(term, place, other) for place in range(len(args)) for other in world.objects],
    ]
    for kind in kinds:
        wrong = [each for each in kind if not is_defined(problem, each)]
        yield from wrong[:1]


def _with(term: Action, place: int, other: str) -> Action:
    return replace(term, args=(*term.args[:place], other, *term.args[place + 1 :]))


for _task in (Counting(), Defined()):
    TASKS.add(_task.name, _task)
