"""Household tasks as questions: what is asked, in which words, and what is written to the suite."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from plangauge.domains.base import Domain
from plangauge.domains.base import Texts as About
from plangauge.domains.generate import shuffled, source
from plangauge.domains.say import say_facts
from plangauge.domains.words import Words
from plangauge.errors import ProblemError
from plangauge.model import Plan
from plangauge.simulate import simulate
from plangauge.sources.base import Importer
from plangauge.suites import Sample
from plangauge.suites.base import Texts
from plangauge.suites.prompts import Prompts, Told
from plangauge.tasks import Task, find_task
from plangauge.tasks.acting import Acting
from plangauge.tasks.effects import Effects
from plangauge.tasks.sequencing import NAME as SEQUENCING
from plangauge.tasks.single import SetTask
from plangauge.worlds.base import Problem
from plangauge.worlds.kinds import find_kind
from plangauge.worlds.shown import whole

DEFAULT_TASKS = (
    SEQUENCING,
    "applicability-v1",
    "state-comprehension-v1",
    "positive-effects-v1",
    "negative-effects-v1",
    "effects-v1",
    "state-tracking-v1",
)


@dataclass(frozen=True)
class Phrases:
    """What is written about a world: which facts are asked for, and words for everything."""

    asked: tuple[str, ...]
    words: Words
    description: str
    rules: tuple[str, ...]
    properties: Mapping[str, str]
    """Predicate that never changes → what is said of a thing that it is true of."""


@dataclass(frozen=True)
class Item:
    """A problem of a suite: its text, what it is called, and plans for it."""

    domain: str
    name: str
    text: str
    prompt: str = ""
    """The prompt for an action sequence; empty where none is asked for."""
    plans: tuple[Plan, ...] = ()

    @property
    def id(self) -> str:
        """What samples call the problem."""
        return f"{self.domain}/{self.name}"


@dataclass(frozen=True)
class Household:
    """A task of the benchmark: for action sequences, and for the questions about its household.

    They are made when they are asked for.
    """

    identifier: str
    sequence: Callable[[], Item]
    questions: Callable[[], Item]


@dataclass(frozen=True)
class Collection:
    """The tasks of a benchmark, and the domains that their problems belong to."""

    world: str
    domains: Mapping[str, str]
    """Name → text."""
    households: Sequence[Household]


@lru_cache(maxsize=2)
def phrases(world: str) -> Phrases:
    """Return what is written about a world."""
    file = files("plangauge.sources.households") / "texts" / f"{world}.json"
    told = json.loads(file.read_text(encoding="utf-8"))
    return Phrases(
        tuple(told["asked"]),
        Words(**told["words"]),
        told["description"],
        tuple(told["rules"]),
        told["properties"],
    )


def ask(collection: Collection, importer: Importer) -> None:
    """Write the questions about the chosen tasks of a benchmark.

    Raises `ProblemError` for a task that cannot be asked here.
    """
    tasks = _tasks(importer.choice.tasks)
    asker = _Asker(collection, importer)
    for household in _drawn(collection.households, importer):
        if SEQUENCING in (task.name for task in tasks):
            asker.add(household.sequence(), [find_task(SEQUENCING)])
        if others := [task for task in tasks if task.name != SEQUENCING]:
            asker.add(household.questions(), others)
        importer.progress(1)
    for name, text in collection.domains.items():
        importer.domain(name, text, phrases(collection.world).words, collection.world)


def _tasks(names: Sequence[str]) -> list[Task]:
    tasks = [find_task(name) for name in names or DEFAULT_TASKS]
    for task in tasks:
        if task.name != SEQUENCING and not isinstance(task, SetTask | Effects | Acting):
            raise ProblemError(f"{task.name} is not asked about households")
    return list(dict.fromkeys(tasks))


def _drawn(households: Sequence[Household], importer: Importer) -> list[Household]:
    """Return so many households, drawn at random, in their own order."""
    count, seed = importer.choice.count, importer.choice.seed or 0
    if count is None or count >= len(households):
        return [*households]
    order = shuffled(source(seed, "households"), range(len(households)))
    return [households[number] for number in sorted(order[:count])]


class _Asker:
    def __init__(self, collection: Collection, importer: Importer) -> None:
        self.world = collection.world
        self.importer = importer
        self.kind = find_kind(self.world)
        self.texts = collection.domains
        self.domains = {
            name: self.kind.read_domain(text, name) for name, text in self.texts.items()
        }

    def add(self, item: Item, tasks: Sequence[Task]) -> None:
        """Write a problem and the questions about it."""
        problem = self.kind.read_problem(self.domains[item.domain], item.text, item.id)
        self.importer.problem(item.id, item.text, self.world)
        told = HouseholdTold(_domain(self.world, item.domain), problem, "", item.id)
        for task in tasks:
            sample = self.sample(task, item, problem, told)
            if sample is None:
                self.importer.remarks.add("no such question", item.id, task.name)
            else:
                self.importer.ask(sample)

    def sample(self, task: Task, item: Item, problem: Problem[Any], told: Told) -> Sample | None:
        rng = source(self.importer.choice.seed or 0, item.name)
        drawn = task.draw(problem, rng)
        if drawn is None:
            return None
        plans = _references(task, item, problem)
        question = task.question(problem, drawn, plans)
        prompt, prompts = item.prompt, Prompts()
        if task.name != SEQUENCING:
            prompt = prompts.prompt(told, question)
        if not task.of_plans:
            prompt = f"{prompt}\n\n{prompts.system}"
        return Sample(
            f"{item.id}/{task.name}",
            task.name,
            item.domain,
            item.id,
            tuple(map(str, question.actions)),
            prompt,
            question.truth,
            tuple(tuple(map(str, plan.actions)) for plan in plans),
            {"n_objects": len(problem.world.objects), **task.meta(question)},
            Texts(self.texts[item.domain], item.text, "", self.world),
        )


def _references(task: Task, item: Item, problem: Problem[Any]) -> tuple[Plan, ...]:
    """Return the plans of a question: none that only a benchmark's own rules let pass."""
    if not isinstance(task, Acting):
        return item.plans if task.of_plans else ()
    return tuple(plan for plan in item.plans if simulate(problem, plan).valid)


@dataclass(frozen=True)
class HouseholdTold(Told):
    """What can be told about a household: its things with what they are, then what is so now."""

    @cached_property
    def values(self) -> Mapping[str, str]:
        """Placeholder → text."""
        told = dict(super().values)
        things = "\n".join(self._things())
        world = self.problem.world
        facts = say_facts(self.domain, world.facts(self.problem.initial))
        listed = f"There are these things:\n{things}\n\n"
        return told | {"state": f"{listed}{facts}", "opening": f"{listed}{told['opening']}"}

    def _things(self) -> Iterator[str]:
        world = self.problem.world
        properties = phrases(self.domain.name).properties
        known = whole(self.problem).world.facts(self.problem.initial)
        of: dict[str, set[str]] = {}
        for fact in known:
            if fact.predicate in properties:
                of.setdefault(fact.args[0], set()).add(fact.predicate)
        for name, kind in world.objects.items():
            said = [text for key, text in properties.items() if key in of.get(name, ())]
            called = kind.partition(".")[0]
            yield f"- {name} (kind: {called}){': ' if said else ''}{'; '.join(said)}"


@lru_cache(maxsize=4)
def _domain(world: str, name: str) -> Domain:
    del name
    told = phrases(world)
    rules = "\n".join(told.rules)
    about = About("", told.words, told.description, rules)
    return Domain(world, "1", lambda: about)
