"""Counting what a state or a problem has.

After the numerical questions of ActionReasoningBench (Handa et al., ICLR 2025).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.model import Plan
from plangauge.domains.generate import below, one_of, shuffled
from plangauge.reading.notations.actions import read_action
from plangauge.tasks.base import TASKS, Draft, Question, execute
from plangauge.tasks.claims import SIMULATED, Actions, Claim, Drawn
from plangauge.tasks.states import Walk
from plangauge.tasks.terms import Ruling
from plangauge.tasks.values import NumberTask
from plangauge.worlds.base import Problem, S

COUNTED = {
    "actions": "actions{} that can be executed in this state",
    "facts": "facts{} that are true in this state, including those that never change",
    "objects": "objects{}",
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
    availability = "on request"

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return what to count, drawn at random, in a state two random actions away."""
        kind = one_of(rng, [*COUNTED])
        name = one_of(rng, ["", *sorted(self._names(problem)[kind])])
        walk = Walk()(problem, rng) or ()
        return Draft(
            () if kind == "objects" else walk, (f"({kind} {name})" if name else f"({kind})",)
        )

    def pose(self, problem: Problem[S], draft: Draft, references: Sequence[Plan]) -> Question[S]:
        """Return the question how many there are after the actions.

        Raises `ProblemError` where the option does not say what is counted.
        """
        spelt = tuple(map(problem.world.canonical, draft.actions))
        state = execute(problem, spelt)[-1]
        term = read_action(draft.options[0]) if len(draft.options) == 1 else None
        names = self._names(problem).get(term.name) if term else None
        if term is None or names is None or len(term.args) > 1 or not names >= {*term.args}:
            raise ProblemError(
                f"the option of {self.name} is (actions), (facts) or (objects), with the name of an"
                f" action, a predicate or a type behind it if only its own are counted, not"
                f" {', '.join(draft.options) or 'missing'}"
            )
        world, only = problem.world, term.args
        if term.name == "objects":
            number = sum(not only or world.is_a(each, only[0]) for each in world.objects)
        elif term.name == "actions":
            number = sum(not only or each.name == only[0] for each in world.applicable(state))
        else:
            number = sum(not only or each.predicate == only[0] for each in world.facts(state))
        return Question(self.name, problem, spelt, number, number, draft.options)

    def say(self, option: str) -> str:
        """Return what an option counts, in words."""
        term = read_action(option)
        assert term is not None
        of = " of the type" if term.name == "objects" else " named"
        return COUNTED[term.name].format(f"{of} {term.args[0]}" if term.args else "")

    def _names(self, problem: Problem[Any]) -> dict[str, set[str]]:
        world = problem.world
        types = {type_ for each in world.schemas.values() for type_ in each if " " not in type_}
        return {"actions": {*world.schemas}, "facts": {*world.predicates}, "objects": types}


_COUNTING = TASKS.add("counting-v1", Counting())


# -- whether there are so many ---------------------------------------------------------------------


def _counts(problem: Problem[Any], rng: Random, references: Sequence[Plan]) -> Drawn | None:
    """Return what to count in a state, with its number anywhere among others."""
    draft = _COUNTING.draft(problem, rng, references)
    if draft is None:
        return None
    number: int = _COUNTING.about(problem, draft).details
    least = max(0, number - below(rng, 6))
    numbers = shuffled(rng, range(least, least + 6))
    return draft.actions, [f"{draft.options[0]} = {each}" for each in numbers]


def _off_by(problem: Problem[Any], actions: Actions, term: str) -> int | None:
    """Return by how much the number that a term gives is wrong; None for another text."""
    counted, _, number = term.partition(" = ")
    if not re.fullmatch(r"\d{1,9}", number):
        return None
    try:
        true: int = _COUNTING.question(problem, actions, options=(counted,)).details
    except ProblemError:
        return None
    return abs(int(number) - true)


def _as_counted(problem: Problem[Any], actions: Actions, term: str) -> Ruling:
    off = _off_by(problem, actions, term)
    return Ruling(None if off is None else off == 0, SIMULATED)


def _counted(term: str) -> str:
    counted, _, number = term.partition(" = ")
    return f"the number of {_COUNTING.say(counted)} is {number}"


COUNTING_CLAIM = Claim(
    "counting",
    "state",
    "Is it true that {options}?",
    "Which of these is true?",
    _counts,
    _as_counted,
    lambda problem, actions, case: (_off_by(problem, actions, case.term) or 0) <= 2,
    say=_counted,
)
