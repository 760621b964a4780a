"""Household problems as JSON: the parts that all such worlds have in common.

Facts and actions are texts such as ``(inside cup_1000 kitchen_201)``; conditions are nested:
``(and …)``, ``(or …)``, ``(not …)``, and ``(count 1 2 …)`` for one or two of those that follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeVar

import msgspec

from plangauge.conditions import All, Condition, Count, Is, Not, Some, facts_in
from plangauge.errors import ProblemError, did_you_mean
from plangauge.goals import ActionGoal, Goal
from plangauge.model import Action, Fact

T = TypeVar("T")

_MOST_DEPTH = 100
_WORD = re.compile(r"[()]|[^\s()]+")
_JOINED: Mapping[str, type[All | Some]] = {"and": All, "or": Some}
_ANY = "?"


class ToldGoal(msgspec.Struct, forbid_unknown_fields=True):
    """A goal: actions to do in order, such as ``TYPE|TOUCH``, and conditions."""

    actions: list[str] = []
    conditions: list[str] = []


def decode(text: str, type_: type[T], file: str | None = None) -> T:
    """Return what a JSON text says; raises `ProblemError` where it is not of that type."""
    try:
        return msgspec.json.decode(text, type=type_)
    except msgspec.ValidationError as error:
        raise ProblemError(str(error), file=file) from None
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise ProblemError(f"not JSON: {error}", file=file) from None


def encode(value: Mapping[str, Any]) -> str:
    r"""Return JSON for people to read, without what is empty.

    >>> encode({"name": "one", "facts": []})
    '{\n "name": "one"\n}\n'
    """
    kept = {key: part for key, part in value.items() if part not in (None, [], {}, "")}
    return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"


def read_fact(text: str) -> Fact:
    """Return the fact of a text; raises `ProblemError` where it is none.

    >>> read_fact("(ontop cup_1 table_2)")
    Fact(predicate='ontop', args=('cup_1', 'table_2'))
    """
    name, *args = _words(text)
    return Fact(name, tuple(args))


def read_condition(text: str) -> Condition:
    """Return the condition of a text; raises `ProblemError` where it is none.

    >>> print(read_condition("(or (not (open box)) (count 1 (inside a box) (inside b box)))"))
    (or (not (open box)) (count 1 (inside a box) (inside b box)))
    """
    stack: list[list[Any]] = [[]]
    for word in _WORD.findall(text):
        if word == "(":
            if len(stack) > _MOST_DEPTH:
                _fail(text, "it is nested too deep")
            stack.append([])
        elif word == ")":
            parts = stack.pop()
            if not stack:
                _fail(text, "a bracket is not opened")
            stack[-1].append(_condition(text, parts))
        else:
            stack[-1].append(word)
    if len(stack) != 1 or len(stack[0]) != 1 or isinstance(stack[0][0], str):
        _fail(text, "expected one condition in brackets")
    found: Condition = stack[0][0]
    return found


def check_facts(
    facts: Iterable[Fact], arities: Mapping[str, int], objects: Mapping[str, Any]
) -> None:
    """Raise `ProblemError` for a fact with an unknown predicate or thing, or a wrong number."""
    for fact in facts:
        if arities.get(fact.predicate) == len(fact.args) and objects.keys() >= {*fact.args}:
            continue
        if fact.predicate not in arities:
            hint = did_you_mean(fact.predicate, arities)
            raise ProblemError(f"{fact}: there is no predicate {fact.predicate!r}{hint}")
        if arities[fact.predicate] != len(fact.args):
            number = arities[fact.predicate]
            raise ProblemError(f"{fact}: {fact.predicate!r} is about {number} things")
        for arg in fact.args:
            if arg not in objects:
                raise ProblemError(f"{fact}: there is no {arg!r}{did_you_mean(arg, objects)}")


def read_goals(
    told: Iterable[ToldGoal],
    arities: Mapping[str, int],
    objects: Mapping[str, Any],
    actions: Mapping[str, Any],
) -> tuple[Goal, ...]:
    """Return the goals; raises `ProblemError` for anything unknown in them."""
    goals: list[Goal] = []
    for each in told:
        conditions = tuple(map(read_condition, each.conditions))
        for condition in conditions:
            check_facts(facts_in(condition), arities, objects)
        wanted = tuple(map(read_action_goal, each.actions))
        for goal in wanted:
            _check_action(goal, objects, actions)
        goals.append(Goal(conditions, wanted))
    return tuple(goals)


def write_goals(goals: Iterable[Goal]) -> list[dict[str, list[str]]]:
    """Return goals as they are read."""
    told = []
    for goal in goals:
        parts = {
            "actions": [*map(_action_goal, goal.actions)],
            "conditions": [*map(str, goal.conditions)],
        }
        told.append({key: part for key, part in parts.items() if part})
    return told


def read_action_goal(text: str) -> Action | ActionGoal:
    """Return what is to be done: ``TYPE|TOUCH``, or with arguments, ``?`` standing for any.

    >>> read_action_goal("TYPE|TOUCH"), str(read_action_goal("(POUR ? cup_1)"))
    (ActionGoal(names=('TYPE', 'TOUCH'), args=None), '(POUR ? cup_1)')
    """
    if not text.startswith("("):
        names = tuple(text.split("|"))
        if not all(names) or text.split() != [text]:
            _fail(text, "expected names of actions")
        return ActionGoal(names)
    name, *args = _words(text)
    if "|" not in name and _ANY not in args:
        return Action(name, tuple(args))
    return ActionGoal(tuple(name.split("|")), tuple(None if a == _ANY else a for a in args))


def _check_action(
    goal: Action | ActionGoal, objects: Mapping[str, Any], actions: Mapping[str, Any]
) -> None:
    names = (goal.name,) if isinstance(goal, Action) else goal.names
    for name in names:
        if name not in actions:
            raise ProblemError(f"{goal}: there is no action {name!r}{did_you_mean(name, actions)}")
    for arg in goal.args or ():
        if arg is not None and arg not in objects:
            raise ProblemError(f"{goal}: there is no {arg!r}{did_you_mean(arg, objects)}")


def _action_goal(goal: Action | ActionGoal) -> str:
    return "|".join(goal.names) if isinstance(goal, ActionGoal) and goal.args is None else str(goal)


def _words(text: str) -> list[str]:
    words = text[1:-1].split()
    if not words or text[0] != "(" or text[-1] != ")" or text.count("(") + text.count(")") != 2:
        _fail(text, "expected (name object …)")
    return words


def _condition(text: str, parts: list[Any]) -> Condition:
    """Return what stands between a pair of brackets, its parts being read already."""
    head = parts[0] if parts else None
    if not isinstance(head, str):
        _fail(text, "expected a name behind the bracket")
    inner = tuple(part for part in parts[1:] if not isinstance(part, str))
    names = tuple(part for part in parts[1:] if isinstance(part, str))
    if head in _JOINED and not names:
        return _JOINED[head](inner)
    if head == "not" and len(inner) == 1 and not names:
        return Not(inner[0])
    if head == "count" and 1 <= len(names) <= 2 and all(map(str.isdecimal, names)):
        return Count(inner, *(int(name[:9]) for name in names))
    if inner or head in (*_JOINED, "not", "count"):
        _fail(text, f"{head!r} cannot be read")
    return Is(Fact(head, names))


def _fail(text: str, why: str) -> NoReturn:
    raise ProblemError(f"{text[:200]!r}: {why}")
