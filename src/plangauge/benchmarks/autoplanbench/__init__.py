"""AutoPlanBench: domains in its layout, with its words, and its gold plans as references.

Its output files with answers of models are read by ``plangauge autoplanbench evaluate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plangauge.benchmarks.base import PUBLISHED, SOURCES, Importer, Source
from plangauge.core.errors import ParseError, ProblemError, did_you_mean
from plangauge.core.model import Plan
from plangauge.domains.base import Domain
from plangauge.domains.folders import gold_plan_file, load_domain_folder, words_file
from plangauge.domains.generate import source
from plangauge.reading import read_plan
from plangauge.suites import Sample
from plangauge.suites.prompts import PromptProblem, Prompts
from plangauge.tasks import Task, find_task
from plangauge.tasks.plans import valid_plan
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import read_text

DEFAULT_TASKS = ("plan-v1",)
FEW_SHOT = "instance-0"
"""The problem that is shown to models as an example, and therefore not asked."""

_DOMAIN = "domain.pddl"
_ADAPTED = "adapted_instances/"
_OPTIMAL = ("optimal-plan-v1",)


def read_autoplanbench(path: Path, given: Sequence[Path] | None, importer: Importer) -> None:
    """Import the problems of a folder of domains, or of one domain.

    Raises `ProblemError` where there is no domain, or a selected one is missing, where a task
    cannot be asked, and where responses are given, because output files are not responses.
    """
    if given is not None:
        raise ProblemError("AutoPlanBench's output files are read by 'plangauge autoplanbench'")
    tasks = [_task(name) for name in importer.choice.tasks or DEFAULT_TASKS]
    for folder in _folders(path, importer):
        shown = folder.name if folder != path else ""
        try:
            domain = load_domain_folder(folder)
        except ProblemError as error:
            importer.issues.add("unknown domain", shown or _DOMAIN, _without(error, folder))
            continue
        _ProblemImporter(importer, folder, shown, domain, tasks).read()


def _task(name: str) -> Task:
    """Return a task that can be asked about any problem of any domain."""
    task = find_task(name)
    if task.name in _OPTIMAL:
        raise ProblemError(f"{task.name} is not asked here: gold plans need not be optimal")
    if task.availability == "imported":
        raise ProblemError(f"{task.name} is not asked about PDDL problems")
    return task


def _folders(path: Path, importer: Importer) -> list[Path]:
    """Return the folders of the selected domains, sorted by name."""
    if not path.is_dir():
        raise ProblemError("expected a folder of domains, or of one", file=str(path))
    selected = importer.choice.domains
    if (path / _DOMAIN).exists():
        known = {path.resolve().name: path}
    else:
        below = [each for each in sorted(path.iterdir()) if each.is_dir()]
        known = {each.name: each for each in below if (each / _DOMAIN).exists()}
        for each in below:
            if each.name not in known and not selected and not each.name.startswith("."):
                importer.issues.add("not imported", each.name, f"there is no {_DOMAIN}")
    for name in selected:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are: {', '.join(known) or 'none'}"
            raise ProblemError(f"there is no domain {name!r}{hint}", file=str(path))
    if not known:
        raise ProblemError(f"no folder in it holds a {_DOMAIN}", file=str(path))
    return [known[name] for name in sorted(set(selected or known))]


def _without(error: ProblemError, folder: Path) -> str:
    """Return the message of an error, with its path relative to the folder."""
    return str(error).replace(f"{folder}/", "")


@dataclass(frozen=True)
class _ProblemImporter:
    """Imports the problems of a domain."""

    importer: Importer
    folder: Path
    shown: str
    """The name of the folder in issues; empty if it is the only one."""
    domain: Domain
    tasks: Sequence[Task]

    def read(self) -> None:
        """Import the problems, then the domain and its words."""
        for name, file in self._selected():
            self.importer.progress(1)
            try:
                text = read_text(file)
                problem = self.domain.problem(text, self._named(file))
                ident = f"{self.domain.name}/{file.stem}"
                self._ask(PromptProblem(self.domain, problem, text, ident), name, file)
            except ProblemError as error:
                why = _without(error, self.folder)
                self.importer.issues.add("no problem", self._named(file), why)
        self.importer.domain(self.domain.name, self.domain.pddl, self.domain.words)

    def _selected(self) -> list[tuple[str, Path]]:
        """Return the problems, or a random selection, sorted by name."""
        files, asked = self.domain.problem_files, []
        adapted = any(name.startswith(_ADAPTED) for name in files)
        for name, file in files.items():
            if adapted and not name.startswith(_ADAPTED):
                self.importer.issues.add("not imported", self._named(file), "it is not adapted")
            elif file.stem == FEW_SHOT:
                why = "it is the few-shot example, which is not asked"
                self.importer.issues.add("not imported", self._named(file), why)
            else:
                asked.append((name, file))
        return self.importer.drawn(asked, self.domain.name)

    def _named(self, file: Path) -> str:
        inside = file.relative_to(self.folder).as_posix()
        return f"{self.shown}/{inside}" if self.shown else inside

    def _ask(self, problem: PromptProblem, name: str, file: Path) -> None:
        references = self._references(problem.problem, name)
        words, samples = words_file(self.folder), []
        origin = {"file": self._named(file), "words": words and words.name}
        for task in self.tasks:
            rng = source(self.importer.choice.seed or 0, problem.id)
            plans = references if task.references else ()
            question = task.ask(problem.problem, rng, plans)
            if question is None:
                self.importer.issues.add("no such question", self._named(file), task.name)
                continue
            ident, prompt = f"{problem.id}/{task.name}", Prompts().prompt(problem, question)
            more: dict[str, Any] = {"source": origin} | ({"reference": PUBLISHED} if plans else {})
            samples.append(Sample.of(question, ident, problem.id, prompt, plans, **more))
        if samples:
            self.importer.problem(problem.id, problem.text)
        for sample in samples:
            self.importer.ask(sample)

    def _references(self, problem: Problem[int], name: str) -> tuple[Plan, ...]:
        """Return the published plan, if there is one that reaches the goal."""
        if not any(task.references for task in self.tasks):
            return ()
        file = gold_plan_file(self.folder, name)
        shown = "" if file is None else self._named(file)
        return self.importer.reference(lambda: _gold_plan(problem, file) if file else None, shown)


def _gold_plan(problem: Problem[int], file: Path) -> Plan:
    """Return the plan in a file: the lines that begin with a parenthesis.

    Raises `ProblemError` where it is not a plan, or does not reach the goal.
    """
    lines = [line for line in read_text(file).splitlines() if line.startswith("(")]
    try:
        plan = read_plan("\n".join(lines), "pddl").plan
    except ParseError as error:
        raise ProblemError(f"it is no plan: {error.reason}") from None
    return valid_plan(problem, plan)


SOURCES.add(
    "autoplanbench",
    Source(
        "autoplanbench",
        "AutoPlanBench: planning in natural language, in any number of PDDL domains",
        read_autoplanbench,
        licence="Apache-2.0",
        citation="Stein, Fišer, Hoffmann, Koller: AutoPlanBench: Automatically generating "
        "benchmarks for LLM planners from PDDL. arXiv:2311.09830",
        system=Prompts().system,
        chooses=True,
        domains=True,
    ),
)
