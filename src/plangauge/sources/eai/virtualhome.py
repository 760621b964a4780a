"""The VirtualHome tasks of the Embodied Agent Interface, built from its files.

Tasks are kept as what is different from the scene that all share. What is built is kept in the
folder of the data, and built anew when a file changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from plangauge.conditions import Is
from plangauge.errors import ProblemError
from plangauge.goals import ActionGoal, Goal
from plangauge.model import Action, Fact, Plan
from plangauge.sources.eai.virtualhome_build import KeptTask, kept
from plangauge.sources.eai.virtualhome_files import read_template
from plangauge.worlds.base import Problem
from plangauge.worlds.virtualhome import (
    RELATIONS,
    Household,
    Scene,
    State,
    Thing,
    VirtualHome,
)
from plangauge.worlds.virtualhome.scene import Relation

_STEP = re.compile(r"\[(\w+)\]((?: <[^>]*> \(\d+\)){0,2})")
_ARGUMENT = re.compile(r"<([^>]*)> \((\d+)\)")


@dataclass(frozen=True, eq=False)
class Task:
    """A household in its initial state, and what is wanted of it.

    The state and relation goals are as listed, repeats included; in the goal of the problem each is
    there once, states first. ``published`` is the problem with the transitions of the original.
    """

    identifier: str
    name: str
    """What the task is called; many share a name."""
    title: str
    description: str
    """The gold program's own words."""
    household: Household
    problem: Problem[State]
    published: Problem[State]
    state_goals: tuple[Fact, ...]
    relation_goals: tuple[Fact, ...]
    action_goals: tuple[ActionGoal, ...]
    """What is to be done, in this order; each once."""
    listed_actions: tuple[str, ...]
    """The same as it is listed: ``TYPE|TOUCH``."""
    gold_steps: tuple[str, ...]
    """The gold program, as ``[GRAB] <cup> (1000)``."""
    relevant: tuple[str, ...]
    """The names of the things that the gold program has to do with; the prompt names only them."""
    changed: tuple[str, ...]
    """Those of them whose states the gold program changes."""
    ended: tuple[Fact, ...]
    """The relations that the gold program ends."""
    gold_reaches_goals: bool
    """Whether the original evaluates the task: its check of the goals passes on the final graph."""
    template: str
    """The prompt of all tasks, with placeholders."""

    @cached_property
    def accepted(self) -> frozenset[str]:
        """The names that the original accepts in an answer."""
        return frozenset(self.relevant)

    @cached_property
    def gold(self) -> Plan:
        """The gold program as a plan."""
        return Plan.of(*map(_action, self.gold_steps))


def load(root: Path) -> dict[str, Task]:
    """Return all tasks by their identifiers, in the order of the original's list.

    ``root`` is the folder that `plangauge.sources.eai.fetch.data_root` returns. Raises
    `ProblemError` where a file is missing or not what it should be.
    """
    found = kept(root)
    scene = Scene(len(found.things), _relations(found.relations), dict(enumerate(found.states)))
    table = [Thing(name, kind, frozenset(has), room) for name, kind, room, has in found.table]
    usual = [_thing(table, index) for index in found.things]
    template = read_template(root)
    tasks = {}
    for told in found.tasks:
        things = list(usual)
        for number, index in _pairs(told.things):
            things[number] = _thing(table, index)
        start = scene.difference(_relations(told.relations), dict(_pairs(told.states)))
        household = Household(scene.altered(start), things)
        tasks[told.identifier] = _task(told, household, template)
    return tasks


def _task(told: KeptTask, household: Household, template: str) -> Task:
    name = household.name
    states = tuple(Fact(state, (name(number),)) for number, state in told.state_goals)
    relations = tuple(_fact(relation, household) for relation in told.relation_goals)
    actions = tuple(ActionGoal(_names(goal)) for goal in dict.fromkeys(told.action_goals))
    goal = Goal(tuple(map(Is, dict.fromkeys((*states, *relations)))), actions)
    problem, published = (
        _problem(told, VirtualHome(household, published=as_published), goal)
        for as_published in (False, True)
    )
    return Task(
        told.identifier,
        told.name,
        told.title,
        told.description,
        household,
        problem,
        published,
        states,
        relations,
        actions,
        tuple(told.action_goals),
        tuple(told.gold),
        tuple(map(name, told.relevant)),
        tuple(map(name, told.changed)),
        tuple(_fact(relation, household) for relation in _relations(told.ended)),
        told.gold_reaches_goals,
        template,
    )


def _problem(told: KeptTask, world: VirtualHome, goal: Goal) -> Problem[State]:
    return Problem(world, world.initial(), (goal,), told.identifier, told.formula)


def _thing(table: Sequence[Thing], index: int) -> Thing | None:
    return table[index] if index >= 0 else None


def _fact(relation: Relation, household: Household) -> Fact:
    number, source, target = relation
    return Fact(RELATIONS[number], (household.name(source), household.name(target)))


def _names(goal: str) -> tuple[str, ...]:
    """Return the alternatives of an action goal such as ``TYPE|TOUCH``."""
    return tuple(name.strip().upper() for name in goal.split("|"))


def _action(step: str) -> Action:
    found = _STEP.fullmatch(step)
    if found is None:
        raise ProblemError(f"not a step of a program: {step!r}")
    args = (f"{name}_{number}" for name, number in _ARGUMENT.findall(found[2]))
    return Action(found[1].upper(), tuple(args))


def _relations(flat: Sequence[int]) -> Iterator[Relation]:
    numbers = iter(flat)
    return zip(numbers, numbers, numbers, strict=True)


def _pairs(flat: Sequence[int]) -> Iterator[tuple[int, int]]:
    numbers = iter(flat)
    return zip(numbers, numbers, strict=True)
