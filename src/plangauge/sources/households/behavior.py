"""BEHAVIOR: whole tasks, for action sequences and for questions."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from plangauge.model import Plan
from plangauge.reading.households import Unreadable
from plangauge.reading.households.behavior import actions_of, find_mistake, read_answer
from plangauge.sources.eai.behavior import BehaviorTask, read_person, read_tasks, read_template
from plangauge.sources.households.questions import Collection, Household, Item, phrases
from plangauge.tasks.households.behavior import Judge
from plangauge.worlds.behavior.text import write_domain, write_problem

WORLD = "behavior"


def read(root: Path) -> Collection:
    """Return the tasks in the data; raises `ProblemError` where it is not what it should be."""
    tasks = read_tasks(root)
    template = read_template(root) if tasks else ""
    households = []
    for identifier, task in tasks.items():
        item = partial(_item, task, template, root)
        households.append(Household(identifier, item, item))
    return Collection(WORLD, {WORLD: write_domain(phrases(WORLD).asked)}, households)


def _item(task: BehaviorTask, template: str, root: Path) -> Item:
    text = write_problem(task.problem)
    plan = _plan(task, read_person(root, task.identifier))
    plans = (plan,) if plan is not None else ()
    return Item(WORLD, task.identifier, text, task.prompt(template), plans)


def _plan(task: BehaviorTask, told: str) -> Plan | None:
    """Return the plan of a person; None where it is none that can be executed to the goal."""
    try:
        items = read_answer(told)
    except Unreadable:
        return None
    world = task.world
    if find_mistake(items, world.schemas, world.objects) is not None:
        return None
    plan = Plan.of(*actions_of(items))
    return plan if Judge(task.problem).why_not(plan) is None else None
