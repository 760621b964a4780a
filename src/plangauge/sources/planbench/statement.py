"""What a prompt of PlanBench says about its problem, compared with the problem file.

Sentences are not read here: the facts of the problem are said as PlanBench says them, and that
must be what the prompt states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from plangauge.domains.base import goal_facts
from plangauge.domains.words import Words
from plangauge.errors import ProblemError
from plangauge.model import Action, Fact
from plangauge.pddl.domain import Domain
from plangauge.reading import read_plan, vocabulary_of
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import problem_of

_INITIAL = re.compile(r"initial conditions I have that,?(.*)")
_GOAL = re.compile(r"goal is to have that (.*)")
_WISH = re.compile(r"\. I want\b.*")
_BETWEEN = re.compile(r", | and ")
_ACTIONS = re.compile(r"\[ACTION SEQUENCE\](.*?)\[ACTION SEQUENCE END\]", re.DOTALL)
_PARENTHESIS = re.compile(r"[()]")


@dataclass(frozen=True)
class About:
    """What a prompt should be about."""

    domain: Domain
    problem: Problem[int]
    words: Words
    initial: bool = True
    goal: bool = True
    """Whether the prompt tells the initial state and the goal of the problem."""


def asks_about(query: str, about: About) -> bool | None:
    """Return whether a prompt is about a problem; None where it cannot be told.

    A prompt may state more goals than the problem has: PlanBench asks for a whole state and
    requires only its problem's goal.
    """
    if "(:init" in query:
        return _same_problem(query, about)
    last = query.rpartition("[STATEMENT]")[2]
    answers = []
    if about.initial:
        facts = about.problem.world.facts(about.problem.initial)
        answers.append(_tells(_INITIAL.search(last), facts, about.words, exactly=True))
    if about.goal:
        goal = goal_facts(about.problem)
        told = _GOAL.search(_WISH.sub("", last))
        answers.append(None if goal is None else _tells(told, goal, about.words, exactly=False))
    if False in answers:
        return False
    return None if None in answers else True


def stated_actions(query: str, problem: Problem[int], words: Words) -> tuple[Action, ...]:
    """Return the actions that a prompt says have been executed.

    Raises `ProblemError` where there are none, or any of them is not said as in the settings.
    """
    found = _ACTIONS.search(query.rpartition("[STATEMENT]")[2])
    lines = [_plain(line) for line in found[1].splitlines() if line.strip()] if found else []
    plan = read_plan("\n".join(lines), "prose", vocabulary_of(problem, words)).plan
    actions = plan.actions if plan else ()
    if not lines or [_plain(words.say(action)) for action in actions] != lines:
        raise ProblemError("the prompt's actions cannot be read")
    return actions


def _tells(
    found: re.Match[str] | None, facts: Iterable[Fact], words: Words, *, exactly: bool
) -> bool | None:
    """Return whether facts are told, all of those that can be said; None where none are."""
    if found is None or not words.facts:
        return None
    told = {plain for part in _BETWEEN.split(found[1]) if (plain := _plain(part))}
    said = {_plain(words.say(fact)) for fact in facts if fact.predicate in words.facts}
    return said == told if exactly else said <= told


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").split()).rstrip(".")


def _same_problem(query: str, about: About) -> bool | None:
    """Return whether the last problem file in a prompt is the problem."""
    try:
        told = problem_of(about.domain, _last_list(query))
    except ProblemError:
        return None
    problem = about.problem
    return goal_facts(told) == goal_facts(problem) and (
        told.world.facts(told.initial) == problem.world.facts(problem.initial)
    )


def _last_list(query: str) -> str:
    """Return the last ``(define …)`` of a text up to its closing parenthesis."""
    start, depth = query.rindex("(define"), 0
    for found in _PARENTHESIS.finditer(query, start):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return query[start : found.end()]
    return query[start:]
