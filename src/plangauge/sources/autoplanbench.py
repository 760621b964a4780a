"""AutoPlanBench: any domains in its layout, in its words, with its gold plans as references.

What models answered is in its output files, which ``plangauge autoplanbench evaluate`` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plangauge.domains.base import Domain
from plangauge.domains.folders import gold_plan_file, load_domain_folder, words_file
from plangauge.domains.generate import shuffled, source
from plangauge.errors import ParseError, ProblemError, did_you_mean
from plangauge.model import Plan
from plangauge.reading import read_plan
from plangauge.simulate import simulate
from plangauge.sources.base import SOURCES, Importer, Source
from plangauge.suites import Sample
from plangauge.suites.base import Texts
from plangauge.suites.prompts import Prompts, Told
from plangauge.tasks import Question, Task, find_task
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import read_text

DEFAULT_TASKS = ("plan-v1",)
FEW_SHOT = "instance-0"
"""The problem that is shown to models as an example, and so is not asked."""

_DOMAIN = "domain.pddl"
_ADAPTED = "adapted_instances/"
_OPTIMAL = ("optimal-plan-v1",)


def read_autoplanbench(path: Path, given: Sequence[Path] | None, importer: Importer) -> None:
    """Give the problems of a folder of domains, or of one domain, to an importer.

    Raises `ProblemError` where there is no domain, or not the one that is asked for, where a task
    cannot be asked, and where responses are given: output files are no responses.
    """
    if given is not None:
        raise ProblemError("AutoPlanBench's output files are read by 'plangauge autoplanbench'")
    tasks = [_task(name) for name in importer.choice.tasks or DEFAULT_TASKS]
    for folder in _folders(path, importer):
        shown = folder.name if folder != path else ""
        try:
            domain = load_domain_folder(folder)
        except ProblemError as error:
            importer.remarks.add("unknown domain", shown or _DOMAIN, _without(error, folder))
            continue
        _Reader(importer, folder, shown, domain, tasks).read()


def _task(name: str) -> Task:
    """Return a task that can be asked about any problem of any domain."""
    task = find_task(name)
    if task.name in _OPTIMAL:
        raise ProblemError(f"{task.name} is not asked here: gold plans need not be optimal")
    if not (task.everywhere or task.on_request):
        raise ProblemError(f"{task.name} is not asked about PDDL problems")
    return task


def _folders(path: Path, importer: Importer) -> list[Path]:
    """Return the folders of the chosen domains, sorted by their names."""
    if not path.is_dir():
        raise ProblemError("expected a folder of domains, or of one", file=str(path))
    chosen = importer.choice.domains
    if (path / _DOMAIN).exists():
        known = {path.resolve().name: path}
    else:
        below = [each for each in sorted(path.iterdir()) if each.is_dir()]
        known = {each.name: each for each in below if (each / _DOMAIN).exists()}
        for each in below:
            if each.name not in known and not chosen and not each.name.startswith("."):
                importer.remarks.add("not imported", each.name, f"there is no {_DOMAIN}")
    for name in chosen:
        if name not in known:
            raise ProblemError(f"there is no domain {name!r}{_hint(name, known)}", file=str(path))
    if not known:
        raise ProblemError(f"no folder in it holds a {_DOMAIN}", file=str(path))
    return [known[name] for name in sorted(set(chosen or known))]


def _hint(name: str, known: dict[str, Path]) -> str:
    return did_you_mean(name, known) or f"; there are: {', '.join(known) or 'none'}"


def _without(error: ProblemError, folder: Path) -> str:
    """Return what an error says, its file named from the folder, the same on every machine."""
    return str(error).replace(f"{folder}/", "")


@dataclass(frozen=True)
class _Reader:
    """Gives the problems of a domain to an importer."""

    importer: Importer
    folder: Path
    shown: str
    """The folder as remarks name it; empty where it is the whole of what is imported."""
    domain: Domain
    tasks: Sequence[Task]

    def read(self) -> None:
        """Import the problems, then the domain and its words."""
        for name, file in self._chosen():
            self.importer.progress(1)
            try:
                text = read_text(file)
                problem = self.domain.problem(text, self._named(file))
                ident = f"{self.domain.name}/{file.stem}"
                self._ask(Told(self.domain, problem, text, ident), name, file)
            except ProblemError as error:
                why = _without(error, self.folder)
                self.importer.remarks.add("no problem", self._named(file), why)
        self.importer.domain(self.domain.name, self.domain.pddl, self.domain.words)

    def _chosen(self) -> list[tuple[str, Path]]:
        """Return the problems, or so many drawn at random, in the order of their names."""
        files, asked = self.domain.problem_files, []
        adapted = any(name.startswith(_ADAPTED) for name in files)
        for name, file in files.items():
            if adapted and not name.startswith(_ADAPTED):
                self.importer.remarks.add("not imported", self._named(file), "it is not adapted")
            elif file.stem == FEW_SHOT:
                why = "it is the few-shot example, which is not asked"
                self.importer.remarks.add("not imported", self._named(file), why)
            else:
                asked.append((name, file))
        choice = self.importer.choice
        if choice.count is None or choice.count >= len(asked):
            return asked
        order = shuffled(source(choice.seed or 0, self.domain.name), range(len(asked)))
        return [asked[number] for number in sorted(order[: choice.count])]

    def _named(self, file: Path) -> str:
        inside = file.relative_to(self.folder).as_posix()
        return f"{self.shown}/{inside}" if self.shown else inside

    def _ask(self, told: Told, name: str, file: Path) -> None:
        references = self._references(told.problem, name)
        samples = []
        for task in self.tasks:
            rng = source(self.importer.choice.seed or 0, told.id)
            question = task.ask(told.problem, rng, references if task.of_plans else ())
            if question is None:
                self.importer.remarks.add("no such question", self._named(file), task.name)
            else:
                samples.append(self._sample(told, task, question, references, file))
        if samples:
            self.importer.problem(told.id, told.text)
        for sample in samples:
            self.importer.ask(sample)

    def _sample(
        self,
        told: Told,
        task: Task,
        question: Question[int],
        references: tuple[Plan, ...],
        file: Path,
    ) -> Sample:
        words = words_file(self.folder)
        meta = {
            "n_objects": len(told.problem.world.objects),
            **task.meta(question),
            "source": {"file": self._named(file), "words": words and words.name},
        }
        plans = references if task.of_plans else ()
        if plans:
            meta["reference"] = {"planner": "published", "optimal": None}
        return Sample(
            f"{told.id}/{task.name}",
            task.name,
            self.domain.name,
            told.id,
            tuple(map(str, question.actions)),
            Prompts().prompt(told, question),
            question.truth,
            tuple(tuple(map(str, plan.actions)) for plan in plans),
            meta,
            Texts(self.domain.pddl, told.text, ""),
        )

    def _references(self, problem: Problem[int], name: str) -> tuple[Plan, ...]:
        """Return the published plan, where there is one and it reaches the goal."""
        if not any(task.of_plans for task in self.tasks):
            return ()
        counts, file = self.importer.published, gold_plan_file(self.folder, name)
        if file is None:
            counts["references missing"] += 1
            return ()
        try:
            plan = _valid(problem, read_text(file))
        except ProblemError as error:
            counts["references invalid"] += 1
            self.importer.remarks.add("invalid reference", self._named(file), error.reason)
            return ()
        counts["references valid"] += 1
        return (plan,)


def _valid(problem: Problem[int], text: str) -> Plan:
    """Return the plan in a file, whose lines count that begin with a parenthesis.

    Raises `ProblemError` where it is no plan, or does not reach the goal.
    """
    lines = [line for line in text.splitlines() if line.startswith("(")]
    try:
        plan = read_plan("\n".join(lines), "pddl").plan
    except ParseError as error:
        raise ProblemError(f"it is no plan: {error.reason}") from None
    if plan is None:
        raise ProblemError("it is no plan")
    run = simulate(problem, plan)
    if not run.valid:
        fault = run.first_fault
        why = f"step {fault.step + 1}: {fault.message}" if fault else "it misses the goal"
        raise ProblemError(f"it is not valid: {why}")
    return run.plan


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
