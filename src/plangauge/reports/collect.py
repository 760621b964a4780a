"""Reading the records of runs into columns, each only once and none kept."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from math import isfinite, isnan, nan
from typing import Any

from plangauge.errors import ProblemError, did_you_mean
from plangauge.reading import Status
from plangauge.records import MISSING, Record, Run
from plangauge.reports.names import in_run, model_labels, run_names, without_version
from plangauge.reports.outcomes import NOT_JUDGED, RIGHT, UNREADABLE, outcome
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import Asked, Choice, Group, Key, Scores

SIZES = {
    "objects": "n_objects",
    "length": "length",
    "cost": "cost",
    "actions": "n_actions",
    "truth": "n_truth",
    "changed": "n_changed",
}
"""Name of a size → where the ``meta`` of a record has it."""

OF_PROBLEM = ("length", "cost")
"""Sizes that only tasks about plans tell, though they hold for all questions about a problem.

Where these tell different ones, other questions have the smallest, which is nearest to optimal.
"""

_PARTS: tuple[tuple[str, Any, str], ...] = (
    *(
        (part, str, "a text")
        for part in ("model", "task", "domain", "problem", "primary", "status")
    ),
    *((part, Mapping, "an object") for part in ("scores", "notes", "meta")),
    ("fault", str | None, "a text or null"),
)
"""The parts of a record that are used here, and what they must be."""

_ALL = Choice()


def collect(
    runs: Sequence[Run], choice: Choice = _ALL, size: str = "", *, questions: bool = False
) -> Scores:
    """Return the chosen records of some runs, and with them one of the `SIZES` if asked for.

    With ``questions`` it also says which record answers which question, and which answers are
    read as the same; questions of different suites are different. A model that is in several runs
    is told apart as *model @ run*. Raises `ProblemError` where a run is given twice, a record is
    malformed, or there is no record of a name in the choice.
    """
    reader = _Reader(choice, size, run_names(runs), questions)
    for number, run in enumerate(runs):
        reader.read(number, run)
    reader.check()
    tasks = [task for run in runs for task in _suite(run).get("tasks") or ()]
    remarks = [*_different_suites(runs), *reader.remarks()]
    return Scores(reader.ordered(tasks), remarks, [asked for _, asked in reader.questions])


class _Reader:
    def __init__(self, choice: Choice, size: str, names: Sequence[str], by_question: bool) -> None:
        self.by_question = by_question
        self.questions: dict[tuple[str, Asked], int] = {}
        self.choice = choice
        self.size = size
        self.names = names
        self.groups: dict[tuple[int, Key], Group] = {}
        self.numbers: dict[tuple[str, str], int] = {}
        self.known: dict[str, set[str]] = {part: set() for part in Key._fields}
        self.in_runs: set[str] = set()
        """How models are called to tell apart those of several runs."""
        self.of_problem: dict[int, float] = {}

    def read(self, number: int, run: Run) -> None:
        """Add the records of a run."""
        suite = _identity(run)
        for record in run:
            wrong = _wrong(record)
            if wrong:
                message = f"the record of {record.sample!r} is malformed: {wrong}"
                raise ProblemError(message, file=str(run.path))
            if self._is_chosen(record, self.names[number]):
                self._add(record, number, suite)

    def check(self) -> None:
        """Raise `ProblemError` where nothing has a name that was chosen."""
        choice = self.choice
        wanted = (choice.models, choice.tasks, choice.domains, filter(None, [choice.score]))
        for part, names in zip(Key._fields, wanted, strict=True):
            known = self.known[part]
            stems = {without_version(name) for name in known} if part == "task" else set()
            in_runs = self.in_runs if part == "model" else set()
            for name in names:
                if name not in known | stems | in_runs:
                    told = known | in_runs if len(self.names) > 1 else known
                    there = ", ".join(sorted(told)) or "none"
                    hint = did_you_mean(name, known)
                    raise ProblemError(f"no {part} is named {name!r}{hint}; there are: {there}")

    def ordered(self, tasks: Iterable[str]) -> dict[Key, Group]:
        """Return the groups: models as their runs are, tasks as in the suite, the rest by name."""
        if self.size in OF_PROBLEM:
            for group in self.groups.values():
                pairs = zip(group.sizes, group.problems, strict=True)
                told = (self.of_problem.get(n, nan) if isnan(size) else size for size, n in pairs)
                group.sizes = array("d", told)
        labels = model_labels({(run, key.model): 0 for run, key in self.groups}, self.names)
        places = {task: place for place, task in enumerate(dict.fromkeys(tasks))}

        def place(at: tuple[int, Key]) -> tuple[Any, ...]:
            run, key = at
            return run, key.model, places.get(key.task, len(places)), key

        return {
            key._replace(model=labels[run, key.model]): self.groups[run, key]
            for run, key in sorted(self.groups, key=place)
        }

    def remarks(self) -> list[str]:
        """Return which models are in several runs, and how many answers were read with doubt."""
        times = Counter(model for _, model in {(run, key.model) for run, key in self.groups})
        several = sorted((model, count) for model, count in times.items() if count > 1)
        told = [f"{model} is in {count} runs and shown once for each" for model, count in several]
        doubted = sum(sum(group.doubted) for group in self.groups.values())
        if doubted:
            every = sum(map(len, self.groups.values()))
            told.append(
                f"{doubted:,} of {every:,} answers are uncertain: they could be read otherwise, "
                "and count as they were read; --certain leaves them out"
            )
        return told

    def _is_chosen(self, record: Record, run: str) -> bool:
        choice, known = self.choice, self.known
        names = (record.model, in_run(record.model, run)) if choice.models else (record.model,)
        known["model"].add(record.model)
        self.in_runs.update(names[1:])
        known["task"].add(record.task)
        known["domain"].add(record.domain)
        if choice.score:
            known["score"].update(record.scores)
        return (
            _named(names, choice.models)
            and _named((record.task, without_version(record.task)), choice.tasks)
            and _named((record.domain,), choice.domains)
            and (not choice.score or choice.score in record.scores)
            and not (choice.certain and record.status == Status.UNCERTAIN)
        )

    def _add(self, record: Record, run: int, suite: str) -> None:
        name = self.choice.score or record.primary
        value = record.scores[name] if self.choice.score else record.score
        key = Key(record.model, record.task, record.domain, name)
        group = self.groups.setdefault((run, key), Group())
        became = outcome(record)
        number = self.numbers.setdefault((suite, record.problem), len(self.numbers))
        group.problems.append(number)
        group.scores.append(nan if value is None else _on_scale(value, name, record))
        group.right.append(-1 if became == NOT_JUDGED else became == RIGHT)
        group.read.append(became not in (MISSING, UNREADABLE))
        group.doubted.append(record.status == Status.UNCERTAIN)
        group.outcomes[became] += 1
        step = record.notes.get("step")
        if became == record.fault and isinstance(step, int):
            group.steps[step] += 1
        if self.by_question:
            asked = suite, Asked(str(record.sample), record.problem, record.domain)
            group.questions.append(self.questions.setdefault(asked, len(self.questions)))
            group.readings.append(_reading(record))
        if self.size:
            self._measure(group, number, record.meta.get(SIZES[self.size]))

    def _measure(self, group: Group, number: int, size: object) -> None:
        value = float(size) if isinstance(size, int | float) else nan
        group.sizes.append(value)
        if self.size in OF_PROBLEM and not isnan(value):
            self.of_problem[number] = min(value, self.of_problem.get(number, value))


def _named(names: Iterable[str], chosen: Collection[str]) -> bool:
    return not chosen or any(name in chosen for name in names)


def _wrong(record: Record) -> str | None:
    """Return what is wrong with the parts of a record that are used here."""
    for part, type_, what in _PARTS:
        if not isinstance(getattr(record, part), type_):
            return f"{part!r} must be {what}"
    return None


def _on_scale(value: object, name: str, record: Record) -> float:
    low, high = scale_of(name).bounds
    if isinstance(value, int | float) and isfinite(value) and low <= value <= high:
        return value
    raise ProblemError(f"the {name} of {record.sample!r} must be in [{low}, {high}], not {value!r}")


def _reading(record: Record) -> int:
    """Return a number that is the same for answers that are read as the same."""
    if record.read is None:
        return -1
    text = json.dumps(record.read, sort_keys=True)
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest())


def _suite(run: Run) -> Mapping[str, Any]:
    told = run.manifest.get("suite")
    return told if isinstance(told, Mapping) else {}


def _identity(run: Run) -> str:
    """Return what tells the suite of a run from others."""
    return str(_suite(run).get("sha256") or run.path.resolve())


def _different_suites(runs: Sequence[Run]) -> list[str]:
    if len({_identity(run) for run in runs}) < 2:
        return []
    told = ", ".join(
        f"{name}: {_suite(run).get('name')} {_identity(run)[:8]}"
        for name, run in zip(run_names(runs), runs, strict=True)
    )
    return [f"the runs are of different suites, so that their questions differ ({told})"]
