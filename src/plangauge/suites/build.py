"""Making a suite: problems, questions, true answers and prompts, the same everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from plangauge.domains.base import DOMAINS, Domain, Value
from plangauge.domains.folders import load_domain_folder
from plangauge.domains.generate import source
from plangauge.domains.obfuscate import Obfuscated, Renaming, Style, numeral, obfuscate
from plangauge.errors import ProblemError
from plangauge.model import Plan
from plangauge.planners import PLANNERS
from plangauge.suites.base import (
    LAYOUT,
    MANIFEST,
    PROBLEMS,
    SAMPLES,
    SUMS,
    VERSION,
    Sample,
    Suite,
    Texts,
)
from plangauge.suites.files import as_line, as_page, new_folder, sha256, sha256_of
from plangauge.suites.prompts import Prompts, Told
from plangauge.suites.references import Found, find_references
from plangauge.tasks import Question, Task, find_task
from plangauge.tasks.single import SetTask
from plangauge.tasks.states import Walk, tracking

DEFAULT_TASKS = (
    "applicability",
    "state-comprehension",
    "positive-effects",
    "negative-effects",
    "state-tracking",
    "plan",
    "optimal-plan",
)
"""Those of Murthy et al.; the other tasks are asked for by name."""

_CHUNK = 64


@dataclass(frozen=True)
class Chosen:
    """A domain, and how its problems are made; without generator they are its files."""

    domain: Domain
    parameters: Mapping[str, Value] = field(default_factory=dict)
    hidden: tuple[int, Style] | None = None
    """Seed and style of the new names, where it is obfuscated."""

    @classmethod
    def of(
        cls,
        name: str,
        parameters: Mapping[str, Value] | None = None,
        hidden: tuple[int, Style] | None = None,
    ) -> Chosen:
        """Return a domain by its name or its folder.

        Raises `UnknownName` where it is neither, `ProblemError` where the folder cannot be used.
        """
        return cls(_find(name), parameters or {}, hidden)

    @cached_property
    def shown(self) -> Domain:
        """The domain as questions are asked about it: in other names, where it is obfuscated."""
        return obfuscate(self.domain, *self.hidden) if self.hidden else self.domain

    def items(self, seed: int, count: int) -> Iterator[Item]:
        """Yield the problems; the obfuscated ones are the same problems, renamed."""
        domain, shown = self.domain, self.shown
        for number, (name, text) in enumerate(self._texts(seed, count), start=1):
            told = _told(domain, name, text)
            if isinstance(shown, Obfuscated):
                again = _told(shown, numeral(number), shown.rename_problem(text))
                yield Item(name, told, again, shown.renaming(text))
            else:
                yield Item(name, told, told, Renaming({}))

    def as_row(self) -> dict[str, Any]:
        """Return what the manifest says about it."""
        domain = self.domain
        given = self.parameters
        values = {p.name: p.check(given.get(p.name, p.default)) for p in domain.parameters}
        return {
            "version": domain.version,
            "generator": domain.generator is not None,
            "parameters": values,
            "obfuscated": self._origin(),
        }

    def _origin(self) -> dict[str, Any] | None:
        """Return what nobody but the manifest tells: what was obfuscated, and how."""
        if self.hidden is None:
            return None
        names = dict(zip(self.shown.problem_files, self.domain.problem_files, strict=True))
        seed, style = self.hidden
        return {"domain": self.domain.name, "problems": names, "seed": seed, "style": style}

    def _texts(self, seed: int, count: int) -> Iterator[tuple[str, str]]:
        domain = self.domain
        if domain.generator is not None:
            texts = domain.generate_many(seed, count, None, **self.parameters)
            yield from ((numeral(number), text) for number, text in enumerate(texts, start=1))
            return
        if self.parameters or not domain.problem_files:
            lacks = "generator" if self.parameters else "generator and comes with no problems"
            raise ProblemError(f"the domain {domain.name} has no {lacks}")
        for name in islice(domain.problem_files, count):
            yield name, domain.problem_text(name)


@dataclass(frozen=True)
class Item:
    """A problem as it was made, and as it is asked about: the same, unless it is obfuscated.

    Questions are drawn and plans are found in the former; so the latter has the same, renamed.
    """

    name: str
    made: Told
    asked: Told
    renaming: Renaming

    def plans(self, found: Found) -> list[Plan]:
        """Return reference plans in the names of the problem that is asked about."""
        return [*map(self.renaming.plan, found.plans)]


@dataclass(frozen=True)
class Request:
    """What a suite shall be."""

    count: int = 500
    """Problems of each domain."""
    seed: int = 0
    tasks: tuple[str, ...] = DEFAULT_TASKS
    steps: int = 2
    """Over how many actions the state is tracked."""
    references: int = 1
    """How many optimal plans are stored, at most."""
    planner: str = "auto"
    prompts: Prompts = field(default_factory=Prompts)
    name: str = ""
    licence: str | None = None
    citation: str | None = None

    def checked_tasks(self) -> list[Task]:
        """Return the tasks after looking whether all that is wished for can be.

        Raises `UnknownName` for a task or planner that is none, and `ProblemError` where a task is
        named twice or a template is broken.
        """
        tasks = [find_task(name) for name in self.tasks]
        names = [task.name for task in tasks]
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice or not tasks:
            raise ProblemError(f"the task {twice[0]} is named twice" if twice else "no task")
        if only := [task.name for task in tasks if not (task.everywhere or task.on_request)]:
            raise ProblemError(f"{only[0]} is asked only about problems that are imported")
        PLANNERS[self.planner]
        self.prompts.check(names)
        return [self._adapted(task) for task in tasks]

    def _adapted(self, task: Task) -> Task:
        if isinstance(task, SetTask) and isinstance(task.drawn, Walk):
            return tracking(task, self.steps)
        return task


def build_suite(
    path: str | Path,
    chosen: list[Chosen],
    request: Request,
    jobs: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Suite:
    """Write a suite and return it; ``progress`` is told about each problem that is done.

    The same choice gives the same bytes on every machine, for whatever number of ``jobs``, as long
    as the same planner answers. Planners are asked only for tasks about plans. A question that a
    problem does not have, or whose plan is not found, is left out and listed in the manifest.
    Raises `ProblemError` for what cannot be done, and leaves nothing behind then.
    """
    names = [each.shown.name for each in chosen]
    if len(set(names)) < len(names) or not names:
        raise ProblemError(f"two domains have the same name: {', '.join(names)}")
    tasks = request.checked_tasks()
    with new_folder(path, LAYOUT) as folder:
        writer = _Writer(folder, request, tasks)
        with (folder / SAMPLES).open("wb") as samples:
            for each in chosen:
                for item, found in writer.items(each, jobs):
                    writer.add(item, found, samples)
                    progress(1)
        writer.finish(chosen)
    return Suite.load(path)


class _Writer:
    def __init__(self, folder: Path, request: Request, tasks: list[Task]) -> None:
        self.folder = folder
        self.request = request
        self.tasks = tasks
        self.sums: dict[str, str] = {}
        self.problems: Counter[str] = Counter()
        self.asked: Counter[str] = Counter({task.name: 0 for task in tasks})
        self.left_out: list[dict[str, str]] = []

    def items(self, chosen: Chosen, jobs: int) -> Iterator[tuple[Item, Found]]:
        """Yield the problems of a domain with their reference plans."""
        self._domain_files(chosen.shown)
        planned = any(task.of_plans for task in self.tasks)
        items = chosen.items(self.request.seed, self.request.count)
        while chunk := list(islice(items, _CHUNK)):
            if not planned:
                yield from ((item, Found()) for item in chunk)
                continue
            pairs = [(item.made.text, item.made.problem) for item in chunk]
            wanted = (self.request.references, self.request.planner)
            found = find_references(chosen.domain, pairs, *wanted, jobs=jobs)
            yield from zip(chunk, found, strict=True)

    def add(self, item: Item, found: Found, samples: BinaryIO) -> None:
        """Write a problem and the questions about it."""
        told = item.asked
        self._part(f"{PROBLEMS}/{told.id}.pddl", told.text)
        self.problems[told.domain.name] += 1
        for task in self.tasks:
            sample = self._sample(task, item, found)
            if isinstance(sample, str):
                self.left_out.append({"id": f"{told.id}/{task.name}", "why": sample})
            else:
                self.asked[task.name] += 1
                samples.write(as_line(sample.as_row()))

    def finish(self, chosen: Iterable[Chosen]) -> None:
        """Write the hashes and the manifest."""
        lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(self.sums.items()))
        (self.folder / SUMS).write_bytes(lines.encode())
        (self.folder / MANIFEST).write_bytes(as_page(self._manifest(chosen)))

    def _manifest(self, chosen: Iterable[Chosen]) -> dict[str, Any]:
        request = self.request
        domains = {each.shown.name: each.as_row() for each in chosen}
        for name, row in domains.items():
            row["problems"] = self.problems[name]
        return {
            "format": LAYOUT.kind,
            "version": VERSION,
            "name": request.name or "+".join(domains),
            "plangauge": version("plangauge"),
            "seed": request.seed,
            "count": request.count,
            "steps": request.steps,
            "references": request.references,
            "planner": request.planner,
            "domains": domains,
            "tasks": dict(self.asked),
            "samples": sum(self.asked.values()),
            "left_out": self.left_out,
            "licence": request.licence,
            "citation": request.citation,
            "system": request.prompts.system,
            "prompts": request.prompts.hashes([task.name for task in self.tasks]),
            "sha256": {name: sha256_of(self.folder / name) for name in (SAMPLES, SUMS)},
        }

    def _sample(self, task: Task, item: Item, found: Found) -> Sample | str:
        """Return a sample, or why there is none."""
        of_plans = task.of_plans
        if of_plans and not found.plans:
            return found.why
        rng = source(self.request.seed, item.name)
        drawn = task.draw(item.made.problem, rng)
        if drawn is None:
            return _why_none(task)
        told, plans = item.asked, item.plans(found) if of_plans else []
        actions = [*map(item.renaming.action, drawn)]
        question = task.question(told.problem, actions, plans)
        return Sample(
            f"{told.id}/{task.name}",
            task.name,
            told.domain.name,
            told.id,
            tuple(map(str, question.actions)),
            self.request.prompts.prompt(told, question),
            question.truth,
            tuple(tuple(map(str, plan.actions)) for plan in plans),
            self._meta(task, question, found),
            Texts(told.domain.pddl, told.text, ""),
        )

    def _meta(self, task: Task, question: Question[int], found: Found) -> dict[str, Any]:
        meta = {"n_objects": len(question.problem.world.objects), **task.meta(question)}
        return meta | ({"reference": found.how} if task.of_plans else {})

    def _domain_files(self, domain: Domain) -> None:
        self._part(f"{PROBLEMS}/{domain.name}/domain.pddl", domain.pddl)
        words = as_page(domain.words.as_row()).decode()
        self._part(f"{PROBLEMS}/{domain.name}/words.json", words)

    def _part(self, name: str, text: str) -> None:
        data = text.encode()
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self.sums[name] = sha256(data)


def _told(domain: Domain, name: str, text: str) -> Told:
    ident = f"{domain.name}/{name}"
    return Told(domain, domain.problem(text, f"{ident}.pddl"), text, ident)


def _why_none(task: Task) -> str:
    """Return why a problem has no question of a task."""
    if isinstance(task, SetTask) and isinstance(task.drawn, Walk):
        length = task.drawn.length
        return f"no {length} actions in a row were found that lead to new states only"
    return "the problem has no such question"


def _find(name: str) -> Domain:
    """Return a domain by its name, which goes first, or by its folder."""
    if name not in [*DOMAINS] and (Path(name).exists() or len(Path(name).parts) > 1):
        return load_domain_folder(name)
    return DOMAINS[name]
