"""VirtualHome: whole households for action sequences, and the parts that questions are about."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from plangauge.conditions import facts_in
from plangauge.sources.eai.virtualhome import Task, load
from plangauge.sources.eai.virtualhome_prompts import prompts
from plangauge.sources.households.questions import Collection, Household, Item, phrases
from plangauge.tasks.households.virtualhome import Judge
from plangauge.worlds.virtualhome.scene import RELATION, bits
from plangauge.worlds.virtualhome.text import (
    Shared,
    read_domain,
    restricted,
    write_domain,
    write_problem,
)

WORLD = "virtualhome"
PART = "virtualhome-part"
"""The domain of the parts of households."""


def read(root: Path) -> Collection:
    """Return the tasks in the data; raises `ProblemError` where it is not what it should be."""
    tasks = load(root)
    domain = write_domain([task.problem for task in tasks.values()])
    part = write_domain(asked=phrases(WORLD).asked)
    shared = read_domain(domain)
    texts = dict(prompts(tasks))
    households = [
        Household(
            identifier,
            partial(_sequence, task, shared, texts[identifier]),
            partial(_questions, task),
        )
        for identifier, task in tasks.items()
    ]
    return Collection(WORLD, {WORLD: domain, PART: part}, households)


def _sequence(task: Task, shared: Shared, prompt: str) -> Item:
    valid = Judge(task.problem).why_not(task.gold) is None
    text = write_problem(task.problem, shared)
    return Item(WORLD, task.identifier, text, prompt, (task.gold,) if valid else ())


def _questions(task: Task) -> Item:
    names = set(_concerned(task))
    part = restricted(task.problem, names)
    text = write_problem(part, read_domain(write_domain()))
    return Item(PART, task.identifier, text, plans=(task.gold,))


def _concerned(task: Task) -> Iterator[str]:
    """Yield what the goals or the gold program name, what these are in or on, and all rooms."""
    home, scene = task.household, task.household.scene
    names = {arg for action in task.gold.actions for arg in action.args}
    for goal in task.problem.goals:
        names.update(a for part in goal.conditions for fact in facts_in(part) for a in fact.args)
    waiting = [home.number[name] for name in names] + [*bits(home.rooms)]
    found: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            for relation in ("ontop", "inside"):
                waiting += bits(scene.cells[scene.targets(RELATION[relation], number)])
    yield from map(home.name, found)
