"""The goal as facts: what a goal that is given in words comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.model import Fact, Plan
from plangauge.domains.base import goal_facts
from plangauge.domains.words import Words
from plangauge.metrics.base import ratio
from plangauge.reading import Reading, Vocabulary, find_set, vocabulary_of
from plangauge.reading.notations.actions import read_action
from plangauge.tasks.base import TASKS, Draft, Judge, Judgement, Question, Task
from plangauge.worlds.base import Problem, S

STATES = 2_000
"""How many states are visited to decide whether two goals are equivalent."""
STEPS = 5_000
"""How many actions are tried for that."""
_KINDS = ("state", "relation")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The facts of a goal, and what is known of the states in which they hold."""

    facts: frozenset[str]
    static: frozenset[str]
    """Facts that hold in every state: it does not matter whether an answer names them."""
    implied: frozenset[str]
    """Facts that hold wherever the goal does; none where there are too many states."""
    states: tuple[frozenset[str], ...]
    """All states that can be reached; none where there are too many."""

    def equivalent(self, given: frozenset[str]) -> bool:
        """Return whether some facts hold in the same states as the goal.

        Where there are too many states, whether they are the same facts.
        """
        said = given - self.static
        if not self.states:
            return said == self.facts - self.static
        return all((said <= state) == (self.facts <= state) for state in self.states)


@dataclass(frozen=True)
class GoalTask(Task):
    """The facts of the goal, named by the problem's predicates and objects.

    ``equivalent`` is 1 where the named facts hold in exactly those states that can be reached and
    satisfy the goal; ``precision``, ``recall`` and ``f1`` compare them with those of the goal, and
    the same for facts of one object (``_state``) and of more or none (``_relation``). Facts that
    never change, or hold wherever the goal does, are neither right nor wrong.
    """

    name: str = "goal-v1"
    summary: str = "say which facts a goal that is given in words consists of"
    graded: str = "f1"
    binary: str = "equivalent"
    secondary = ("precision", "recall")
    answer: str = "facts"
    everywhere = False
    on_request = True
    why_not_drawn = "the goal is not a set of facts"

    def draft(self, problem: Problem[S], rng: Random, references: Sequence[Plan]) -> Draft | None:
        """Return a draft about the problem as it is; None where its goal is not a set of facts."""
        del rng, references
        return Draft() if goal_facts(problem) else None

    def pose(self, problem: Problem[S], draft: Draft, references: Sequence[Plan]) -> Question[S]:
        """Return the question; its truth are the facts of the goal, sorted.

        Raises `ProblemError` where there are actions or options, or the goal is not a set of
        facts: where it has several parts to choose from, quantifiers, negations or actions to do.
        """
        del references
        if draft.actions or draft.options:
            raise ProblemError(f"{self.name} is about the goal, and takes no actions")
        facts = goal_facts(problem)
        if not facts:
            raise ProblemError(f"{self.name} has no answer: {self.why_not_drawn}")
        wanted = problem.once(_wanted, _wanted, problem, facts)
        return Question(self.name, problem, (), sorted(wanted.facts), wanted)

    def read(self, problem: Problem[S], response: str, words: Words | None = None) -> Reading:
        """Return the facts listed in a response."""
        return find_set(response, vocabulary_of(problem, words), "state")

    def judging(self, question: Question[S], words: Words | None = None) -> Judge:
        """Return `judge` for responses to this question."""
        return partial(_judged, vocabulary_of(question.problem, words), question.details)

    def meta(self, question: Question[S]) -> dict[str, Any]:
        """Return how many facts and states there are, and the score of naming none."""
        wanted: Wanted = question.details
        decided = len(wanted.states) or None
        return {"n_truth": len(wanted.facts), "n_states": decided, "baselines": {"empty": 0.0}}


def _wanted(problem: Problem[Any], facts: Iterable[Fact]) -> Wanted:
    goal = frozenset(map(str, facts))
    static = frozenset(map(str, problem.world.static))
    states = _states(problem)
    reached = [state for state in states if goal <= state]
    implied = frozenset.intersection(*reached) - goal if reached else frozenset[str]()
    return Wanted(goal, static, implied, states)


def _states(problem: Problem[Any]) -> tuple[frozenset[str], ...]:
    """Return the facts of all states that can be reached; nothing where there are too many."""
    world, seen = problem.world, {problem.initial: None}
    waiting, left = [problem.initial], STEPS
    for state in waiting:
        for action in world.applicable(state):
            left -= 1
            after = world.successor(state, action)
            if after is not None and after not in seen:
                if len(seen) == STATES or left <= 0:
                    return ()
                seen[after] = None
                waiting.append(after)
    return tuple(frozenset(map(str, world.facts(state))) for state in seen)


def _judged(vocabulary: Vocabulary, wanted: Wanted, response: str) -> Judgement:
    reading = find_set(response, vocabulary, "state")
    given = frozenset(reading.terms) if reading.answered else frozenset[str]()
    scores: dict[str, float | None] = _graded(given, wanted, "")
    for kind in _KINDS:
        scores |= _graded(given, wanted, kind)
    # What is read as no fact of the problem is none, but it is wrong.
    wrong = bool(reading.unknown) or not reading.answered
    scores["equivalent"] = float(not wrong and wanted.equivalent(given))
    notes = {
        "how": reading.how,
        "unknown": sorted(reading.unknown),
        "missed": sorted(wanted.facts - given),
        "wrong": sorted(given - wanted.facts - wanted.static - wanted.implied),
    }
    return Judgement(sorted(given), reading.status, scores, notes)


def _graded(given: frozenset[str], wanted: Wanted, kind: str) -> dict[str, float | None]:
    """Return the scores of all facts, or of those of a kind; None where the goal has none."""
    goal = frozenset(fact for fact in wanted.facts if not kind or _kind(fact) == kind)
    ignored = (wanted.static | wanted.implied) - wanted.facts
    said = frozenset(fact for fact in given - ignored if not kind or _kind(fact) == kind)
    both, suffix = len(said & goal), f"_{kind}" if kind else ""
    if not goal:
        return dict.fromkeys((f"precision{suffix}", f"recall{suffix}", f"f1{suffix}"))
    return {
        f"precision{suffix}": ratio(both, len(said), empty=0.0),
        f"recall{suffix}": ratio(both, len(goal), empty=0.0),
        f"f1{suffix}": ratio(2 * both, len(said) + len(goal), empty=0.0),
    }


def _kind(fact: str) -> str:
    term = read_action(fact)
    return "state" if term is not None and len(term.args) == 1 else "relation"


TASKS.add("goal-v1", GoalTask())
