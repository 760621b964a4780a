"""The questions of PlanBench that our tasks can ask, and their true answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plangauge.domains.words import Words
from plangauge.errors import ProblemError
from plangauge.model import Action, Plan
from plangauge.reading import read_plan, vocabulary_of
from plangauge.simulate import simulate
from plangauge.sources.planbench.config import short_names
from plangauge.worlds.base import Problem

_NAME = re.compile(r"[\w.+-]+")

PLAN, OPTIMAL, TRACKING = "plan-v1", "optimal-plan-v1", "state-tracking-v1"


@dataclass(frozen=True, slots=True)
class Kind:
    """What becomes of a task of PlanBench."""

    task: str
    """Our task; empty where none can ask it."""
    why: str = ""
    """Why not."""
    general: bool = False
    """Whether the problems are those of plan generalization."""
    changed: str = ""
    """What its problems are called, where they are not in files, but beside the prompt."""
    initial: bool = True
    goal: bool = True
    """Whether the prompt tells the initial state and the goal of the problem."""


_KINDS = {
    r".*backprompting.*": Kind("", "a dialogue, not one answer to one prompt"),
    r"task_1_\w+": Kind(PLAN),
    r"task_2_plan_optimality": Kind(OPTIMAL),
    r"task_3_\w+": Kind("", "whether a plan is valid, and why not, is no question of ours"),
    r"task_4_plan_reuse": Kind(PLAN, changed="reuse"),
    r"task_5_plan_generali[sz]ation": Kind(PLAN, general=True),
    r"task_6_replanning": Kind(PLAN, changed="replanning", initial=False),
    r"task_7_plan_execution": Kind(TRACKING, goal=False),
    r"task_8_[123]_\w+": Kind(PLAN),
    r".*": Kind("", "an unknown task"),
}
_UNSOLVABLE = Kind("", "no task of ours asks whether there is a plan")


def kind_of(domain: str, task: str) -> Kind:
    """Return what becomes of a task.

    >>> kind_of("blocksworld", "task_1_plan_generation_zero_shot").task
    'plan-v1'
    >>> kind_of("blocksworld", "task_3_plan_verification").why
    'whether a plan is valid, and why not, is no question of ours'
    """
    if domain.startswith("unsolvable"):
        return _UNSOLVABLE
    return next(kind for pattern, kind in _KINDS.items() if re.fullmatch(pattern, task))


def published_plan(value: Any, problem: Problem[int], words: Words) -> Plan | None:
    """Return the plan that PlanBench gives; None where it gives none.

    It may be a text or a list, in PDDL or in words; and its objects may be named by what only
    their phrases say: ``(stack red blue)``. Raises `ProblemError` where it is not a plan for the
    problem.
    """
    if value is None:
        return None
    text = "\n".join(map(str, value)) if isinstance(value, list) else value
    if not isinstance(text, str):
        raise ProblemError("it is no plan")
    plan = read_plan(text, "auto", vocabulary_of(problem, words)).plan
    if plan is None:
        raise ProblemError("it is no plan")
    run = simulate(problem, _with_objects(plan, problem, words))
    if not run.valid:
        fault = run.first_fault
        why = f"step {fault.step + 1}: {fault.message}" if fault else "it misses the goal"
        raise ProblemError(f"it is not valid: {why}")
    return run.plan


def published_facts(value: Any, words: Words) -> frozenset[str] | None:
    """Return the facts that PlanBench lists as ``on_a_b``; None where it lists none.

    >>> words = Words({"a": "red block", "b": "blue block"})
    >>> sorted(published_facts(["on_red_b", "handempty"], words))
    ['(handempty)', '(on a b)']
    """
    if not isinstance(value, list) or not all(isinstance(fact, str) for fact in value):
        return None
    objects = short_names(words)
    parts = [fact.lower().split("_") for fact in value]
    named = [[name, *(objects.get(arg, arg) for arg in args)] for name, *args in parts]
    return frozenset(f"({' '.join(each)})" for each in named)


def changed_problem(domain: str, value: Any) -> str:
    """Return the text of the problem that PlanBench writes beside a prompt.

    Raises `ProblemError` for anything else.
    """
    try:
        objects = " ".join(f"{_name(name)} - {_name(type_)}" for name, type_ in value["constants"])
        told = value["instance"]
        initial, goal = (
            " ".join(map(_fact, each)) for each in (told["init"]["pred"], told["goal"])
        )
    except (KeyError, TypeError, ValueError):
        raise ProblemError("the changed problem is not given") from None
    return (
        f"(define (problem changed)\n(:domain {domain})\n(:objects {objects})\n"
        f"(:init {initial})\n(:goal (and {goal})))\n"
    )


def verdict(row: Mapping[str, Any]) -> bool | None:
    """Return whether PlanBench judged an answer to be correct; None where it did not.

    >>> verdict({"correct": 1}), verdict({})
    (True, None)
    """
    for key in ("llm_correct", "correct"):
        if isinstance(row.get(key), bool | int):
            return bool(row[key])
    return None


def stop_reason(row: Mapping[str, Any]) -> str | None:
    """Return why the model stopped, where the answer of its interface was kept."""
    try:
        reason = row["response_object"]["choices"][0]["finish_reason"]
    except (KeyError, TypeError, IndexError):
        return None
    return reason if isinstance(reason, str) else None


def _fact(value: Any) -> str:
    """Return ``["on", ["a", "b"]]`` as a fact; raises `ValueError` for anything else."""
    name, args = value
    if not isinstance(args, list):
        raise ValueError(args)
    return f"({' '.join(map(_name, (name, *args)))})"


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError(value)
    return value


def _with_objects(plan: Plan, problem: Problem[int], words: Words) -> Plan:
    """Return a plan with the names of objects in place of what only their phrases say."""
    objects, short = problem.world.objects, short_names(words)
    return Plan.of(*(_renamed(action, objects, short) for action in plan.actions))


def _renamed(action: Action, objects: Mapping[str, str], short: Mapping[str, str]) -> Action:
    args: Sequence[str] = [
        arg if arg in objects else short.get(arg.lower(), arg) for arg in action.args
    ]
    return Action(action.name, tuple(args))
