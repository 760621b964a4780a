"""What each group of ACPBench Hard asks, and how its published answers compare with true ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from plangauge.benchmarks.acpbench.files import Row, text_of
from plangauge.core.errors import ProblemError
from plangauge.core.model import Action
from plangauge.reading.notations.actions import read_action
from plangauge.tasks import TASKS, Question
from plangauge.worlds.base import Problem

_PERFORMED = re.compile(r'performing the action "([^"]*)"')
_NAME = re.compile(r"[^\s,;.\"'()]+")
_PLAN = re.compile(r'"((?:\s*\([^()"]*\))+)\s*"')
_TERM = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class Group:
    """A group of questions: the task that asks them, and the form of the answer, in words."""

    task: str
    form: str
    agrees: Callable[[Any, Question[int]], bool | None]
    """Whether a published answer is true; None where that could not be decided."""
    actions: Callable[[Row, Problem[int]], tuple[Action, ...]] = lambda *_: ()
    """The actions that a question names; raises `ProblemError` where they are unclear."""

    def published(self, row: Row) -> Any:
        """Return the published answer of a row, decoded where it is JSON in a text."""
        answer = row.get("answer")
        if isinstance(answer, str):
            try:
                return json.loads(answer)
            except (ValueError, RecursionError):
                return ""
        return answer


def quoted_plan(row: Row) -> str:
    """Return the plan that a question quotes; raises `ProblemError` where there is none."""
    found = _PLAN.search(text_of(row, "question"))
    if found is None:
        raise ProblemError("the question names no plan")
    return found[1].strip()


def _plan(row: Row, problem: Problem[int]) -> tuple[Action, ...]:
    del problem
    actions = tuple(map(read_action, _TERM.findall(quoted_plan(row))))
    if None in actions:
        raise ProblemError("the plan of the question cannot be read")
    return tuple(action for action in actions if action is not None)


def _performed(row: Row, problem: Problem[int]) -> tuple[Action, ...]:
    """Return the action that a question names in words.

    It is an applicable one with exactly the objects named, or if there is none, with these among
    others. If effects are published, it has these, and any such action will do; else it must be the
    only candidate. Raises `ProblemError` if it is ambiguous.
    """
    found = _PERFORMED.search(text_of(row, "question"))
    if found is None:
        raise ProblemError("the question names no action")
    world = problem.world
    named = {word for word in _NAME.findall(found[1].lower()) if word in world.objects}
    possible = sorted(world.applicable(problem.initial))
    fitting = [action for action in possible if set(action.args) == named] or [
        action for action in possible if named <= set(action.args)
    ]
    effects = _effects(GROUPS["progression_gen"].published(row))
    known = None not in effects.values()
    if known:
        fitting = [action for action in fitting if _changes(problem, action) == effects]
    if not fitting or (len(fitting) > 1 and not known):
        raise ProblemError(f"it cannot be told which action is {found[1]!r}")
    return (fitting[0],)


def _changes(problem: Problem[int], action: Action) -> Any:
    return _lower(TASKS["effects-v1"].question(problem, (action,)).truth)


def _effects(answer: Any) -> dict[str, Any]:
    """Return published effects in our form."""
    given = answer if isinstance(answer, dict) else {}
    return {"positive": _lower(given.get("pos")), "negative": _lower(given.get("neg"))}


def _lower(terms: Any) -> Any:
    """Return terms in lower case, sorted, without repetitions; None unless they are a list."""
    if isinstance(terms, dict):
        return {key: _lower(each) for key, each in terms.items()}
    if not isinstance(terms, list):
        return None
    return sorted({" ".join(str(term).lower().split()) for term in terms})


def terms_in(answer: Any) -> list[Action] | None:
    """Return terms with or without parentheses; None unless all can be read.

    >>> [str(term) for term in terms_in(["on a b", "(clear c)"])]
    ['(on a b)', '(clear c)']
    """
    if not isinstance(answer, list):
        return None
    terms = [read_action(f"({str(text).strip().strip('()').lower()})") for text in answer]
    return None if None in terms else [term for term in terms if term is not None]


def _same_set(answer: Any, question: Question[int]) -> bool:
    return bool(_lower(answer) == _lower(question.truth))


def _same_effects(answer: Any, question: Question[int]) -> bool:
    return bool(_effects(answer) == _lower(question.truth))


def _same_index(answer: Any, question: Question[int]) -> bool:
    return str(answer) == str(question.truth)


def _all_right(answer: Any, question: Question[int]) -> bool | None:
    """Return whether the published examples are right; if there are none, whether "None" is."""
    terms = terms_in(answer)
    if terms is None:
        return False
    if not terms:
        right: bool | None = question.details.none.right
        return right
    return _all(question.details.rule(term).right for term in terms)


def _landmarks(answer: Any, question: Question[int]) -> bool | None:
    """Return whether what is published as a landmark is one, and the rest is not."""
    if not isinstance(answer, dict):
        return False
    wrong = terms_in(answer.get("no"))
    if wrong is None:
        return False
    rulings = (question.details.rule(term).right for term in wrong)
    excluded = (None if right is None else not right for right in rulings)
    return _all((_all_right(answer.get("yes"), question), *excluded))


def _next(answer: Any, question: Question[int]) -> bool | None:
    """Return whether what is published as the beginning of a shortest plan is one.

    What is published as wrong is not compared: proving it takes minutes for some problems.
    """
    return isinstance(answer, dict) and _all_right(answer.get("yes"), question)


def _all(values: Iterable[bool | None]) -> bool | None:
    """Return whether all are true; None where none is false, but some are undecided."""
    found = set(values)
    return False if False in found else None if None in found else True


def _removals(answer: Any, question: Question[int]) -> bool:
    """Return whether a valid plan is left without each of the published actions or pairs.

    A pair stands as ``[first, second, "-1"]``, a single action as ``[action, "place"]``.
    """
    if not isinstance(answer, list) or not answer:
        return False
    plan, shorter = question.actions, question.details.shorter
    for entry in answer:
        gone = terms_in(entry[:-1]) if isinstance(entry, list) else None
        if not gone:
            return False
        places = [at for at in range(len(plan)) if [*plan[at : at + len(gone)]] == gone]
        if not any((*plan[:at], *plan[at + len(gone) :]) in shorter for at in places):
            return False
    return True


_ONE_OR_NONE = "Answer with one {}, or with None if there is none."

GROUPS = {
    "applicable_actions_gen": Group("applicability-v1", "", _same_set),
    "progression_gen": Group("effects-v1", "", _same_effects, _performed),
    "reachable_atom_gen": Group(
        "unreachable-fact-v1", _ONE_OR_NONE.format("proposition"), _all_right
    ),
    "reachable_action_gen": Group(
        "unreachable-action-v1", _ONE_OR_NONE.format("action"), _all_right
    ),
    "landmarks_gen": Group("landmark-v1", _ONE_OR_NONE.format("proposition"), _landmarks),
    "action_justification_gen": Group(
        "shorten-plan-v1", "Answer with the actions of the plan, in order.", _removals, _plan
    ),
    "validation_gen": Group(
        "first-failure-v1",
        "Answer with its index; the first action has index 0.",
        _same_index,
        _plan,
    ),
    "goal_closer_gen": Group("next-action-v1", "Answer with one action.", _next),
}
"""The generative groups by name."""
