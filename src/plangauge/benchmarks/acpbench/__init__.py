"""ACPBench and ACPBench Hard: eight kinds of questions about planning, in 13 domains.

`questions` says what the groups of questions ask, `files` reads the rows, and `as_published` scores
answers as the original does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plangauge.benchmarks.acpbench import as_published
from plangauge.benchmarks.acpbench.questions import (
    CHOICE,
    ENDINGS,
    GROUPS,
    YES_NO,
    Asked,
    Row,
    asked,
    is_form,
    is_name,
    rows_of,
    samples,
    task_of,
    text_of,
)
from plangauge.benchmarks.base import SOURCES, Importer, Source
from plangauge.core.errors import PlannerError, ProblemError, Unsupported
from plangauge.domains.words import Words
from plangauge.pddl.domain import Domain, read_domain
from plangauge.scoring.published import AS_PUBLISHED
from plangauge.suites import Sample
from plangauge.suites.files import sha256
from plangauge.tasks import TASKS, find_task
from plangauge.tasks.published import KEY_DOMAIN, key_problem
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import problem_of


@dataclass
class _Reader:
    """Reads files of questions of some tasks; ``domains`` are by their text."""

    importer: Importer
    tasks: frozenset[str]
    domains: dict[str, tuple[str, Domain]] = field(default_factory=dict)
    forms: dict[str, Asked] = field(default_factory=dict)
    problems: dict[tuple[str, str], Problem[Any]] = field(default_factory=dict)

    def read(self, file: Path, shown: str) -> None:
        """Import the questions of a file."""
        issues = self.importer.issues
        try:
            for number, row in enumerate(rows_of(file)):
                self.importer.progress(1)
                ident = row.get("id") if isinstance(row, dict) else None
                known = ident if is_name(ident) else f"#{number}"
                group = row.get("group") if isinstance(row, dict) else None
                if not isinstance(group, str):
                    issues.add("bad row", shown, "there is no 'group'", known)
                else:
                    self._read_row(row, group, shown, known)
        except ProblemError as error:
            issues.add("broken file", shown, error.reason)

    def finish(self) -> None:
        """Write the questions of yes, no and choice, and the domains."""
        for sample, each in samples(self.forms.values()):
            self.importer.ask(sample)
            self.importer.problem(sample.problem, key_problem(each.key.lower()))
            self.importer.published["answers used"] += 1
        for text, (name, _) in self.domains.items():
            self.importer.domain(name, text, Words())
        for name in sorted({each.domain for each in self.forms.values()}):
            self.importer.domain(name, KEY_DOMAIN, Words())

    def _read_row(self, row: Row, group: str, shown: str, ident: int | str) -> None:
        task = GROUPS[group].task if group in GROUPS else task_of(group) if is_form(group) else None
        if task is None:
            self.importer.issues.add("not imported", shown, f"no task asks {group}", ident)
            return
        if task not in self.tasks:
            why = f"{group} is imported by --tasks {task}"
            self.importer.issues.add("not imported", shown, why, ident)
            return
        try:
            if group in GROUPS:
                self._ask(row, group, shown, ident)
            else:
                self._ask_form(row, ident)
        except (ProblemError, PlannerError, Unsupported) as error:
            self.importer.issues.add("bad row", shown, str(error), ident)

    def _ask_form(self, row: Row, ident: int | str) -> None:
        each = asked(row, ident)
        if each.name in self.forms:
            raise ProblemError(f"there is another question {each.name}")
        self.forms[each.name] = each

    def _ask(self, row: Row, of: str, shown: str, ident: int | str) -> None:
        group, importer = GROUPS[of], self.importer
        domain, declared = self._domain(text_of(row, "PDDL_domain"))
        text = text_of(row, "PDDL_problem")
        problem = self.problems.get((domain, text)) or problem_of(declared, text)
        self.problems[domain, text] = problem  # groups ask about the same problems
        question = TASKS[group.task].question(problem, group.actions(row, problem))
        name = f"{domain}/{_problem_name(text)}"
        prompt = f"{text_of(row, 'context')} {text_of(row, 'question')} {group.form}".strip()
        more = {"source": {"group": of, "id": ident}} | as_published.needed(row, of)
        importer.ask(Sample.of(question, f"{name}/{of}/{ident}", name, prompt, **more))
        importer.problem(name, text)
        if row.get("answer") is None:
            importer.published["answers missing"] += 1
            if of == "progression_gen":
                why = "no effects are published; the action is the only one with these objects"
                importer.issues.add("not confirmed", shown, why, ident)
            return
        agrees = group.agrees(group.published(row), question)
        if agrees is None:
            importer.published["answers undecided"] += 1
            why = "it could not be decided whether the published answer is true"
            importer.issues.add("undecided", shown, why, ident)
        else:
            importer.compare(agrees, "answer is not the true one", shown, ident)

    def _domain(self, text: str) -> tuple[str, Domain]:
        """Return the name of a domain in the suite, numbered if it repeats, and the domain."""
        if text not in self.domains:
            declared = read_domain(text)
            names = {name for name, _ in self.domains.values()}
            stem = re.sub(r"[^\w.+-]+|^\W+", "_", declared.name) or "domain"
            free = (f"{stem}-{n}" if n > 1 else stem for n in range(1, len(names) + 2))
            self.domains[text] = next(name for name in free if name not in names), declared
        return self.domains[text]


def read_acpbench(path: Path, given: Sequence[Path] | None, importer: Importer) -> None:
    """Import the questions of a file, or of all files below a folder.

    By default these are the generative ones, and with the task ``all`` those answered by yes, no or
    a letter as well. Raises `ProblemError` where there is no such file or
    task, or responses are given: none are published.
    """
    if given is not None:
        raise ProblemError("ACPBench has no responses; score them as they are")
    folder = path / "dataset" if (path / "dataset").is_dir() else path
    files = importer.files_below(folder, ENDINGS)
    if not files:
        raise ProblemError(f"no file ends in {', '.join(ENDINGS)}", file=str(path))
    reader = _Reader(importer, _tasks(importer.choice.tasks))
    for file in files:
        reader.read(file, file.relative_to(path).as_posix() if path.is_dir() else file.name)
    reader.finish()


def _tasks(names: Sequence[str]) -> frozenset[str]:
    """Return the tasks to import; raises `ProblemError` for one that ACPBench does not have."""
    generative = frozenset(group.task for group in GROUPS.values())
    if names == ("all",):
        return generative | {YES_NO, CHOICE}
    wanted = frozenset(find_task(name).name for name in names)
    for name in sorted(wanted - generative - {YES_NO, CHOICE}):
        raise ProblemError(f"ACPBench has no questions of {name}")
    return wanted or generative


def _problem_name(text: str) -> str:
    """Return the name in a problem file with a prefix of its hash, because names repeat."""
    found = re.search(r"\(\s*problem\s+([\w.+-]+)", text)
    return f"{found[1] if found else 'problem'}-{sha256(text.encode())[:8]}"


SOURCES.add(
    "acpbench",
    Source(
        "acpbench",
        "ACPBench and ACPBench Hard: questions of eight kinds in 13 domains",
        read_acpbench,
        licence="CDLA-Permissive-2.0",
        citation="Kokel, Katz, Srinivas, Sohrabi: ACPBench: Reasoning about Action, Change, and "
        "Planning. AAAI 2025, arXiv:2410.05669; ACPBench Hard: arXiv:2503.24378",
        system="Write every action and proposition in parentheses, as (name first second), and "
        "every list in square brackets with commas between its items. Of effects, give the list "
        "of positive ones, then that of negative ones. Write nothing else.",
        by_task=True,
    ),
)

AS_PUBLISHED.add("acpbench", as_published.scorer)
