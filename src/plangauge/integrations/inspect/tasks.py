"""Suites, and questions that are made on the spot, as tasks of Inspect."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ParamSpec

from inspect_ai import Task, task
from inspect_ai import dataset as inspect_dataset
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import generate

from plangauge.errors import Error, ProblemError
from plangauge.integrations.inspect.scorer import NAMES, PACKED, record
from plangauge.integrations.packed import pack
from plangauge.records import Response, score
from plangauge.reports.outcomes import RIGHT, UNREADABLE
from plangauge.suites import Sample, Suite
from plangauge.suites.prompts import stem
from plangauge.tasks import TASKS, find_task

P = ParamSpec("P")

_TAG = re.compile(r"\[[a-z#/@][^\[\]]*\]")
"""What Inspect would take for a mark of style, such as the name of an extra."""


def suite_task(suite: Suite, tasks: Sequence[str] = (), domains: Sequence[str] = ()) -> Task:
    """Return the questions of a suite, all or those of some tasks and domains, as one task.

    Raises `UnknownName` for a task that is none, `ProblemError` where no question is left.
    """
    wanted = {find_task(name).name for name in tasks}
    chosen = [
        sample
        for sample in suite
        if (not wanted or sample.task in wanted) and (not domains or sample.domain in domains)
    ]
    if not chosen:
        raise ProblemError("it has no question of these tasks and domains", file=str(suite.path))
    names = score_names(chosen)
    return Task(
        dataset=inspect_dataset.MemoryDataset(
            [as_sample(suite, sample, names) for sample in chosen], name=suite.name
        ),
        solver=generate(),
        scorer=record(),
        version=suite.sha256,
        metadata={"suite": suite.name, "suite_sha256": suite.sha256},
    )


def as_sample(suite: Suite, sample: Sample, names: Sequence[str] = ()) -> inspect_dataset.Sample:
    """Return a question as Inspect's sample; its metadata is all that scoring needs.

    ``names`` are those of all scores that some question of the same task has.
    """
    messages: list[ChatMessage] = [ChatMessageUser(content=sample.prompt)]
    if suite.system:
        messages.insert(0, ChatMessageSystem(content=suite.system))
    truth = sample.truth
    return inspect_dataset.Sample(
        input=messages,
        target="" if truth is None else TASKS[sample.task].written(sample.question(), truth),
        id=sample.id,
        metadata={
            "task": sample.task,
            "domain": sample.domain,
            "problem": sample.problem,
            NAMES: [*names],
            PACKED: pack(sample),
        },
    )


def score_names(samples: Sequence[Sample]) -> list[str]:
    """Return the names of all scores that these samples have, each once.

    First is what stands for all of them: the primary score of their tasks, or, where these have
    different ones, whether an answer is right. Which scores there are depends on the task and the
    kind of world alone.
    """
    primaries = {TASKS[sample.task].primary for sample in samples}
    names = dict.fromkeys([*(primaries if len(primaries) == 1 else ()), RIGHT, UNREADABLE])
    seen: set[tuple[str, str]] = set()
    for sample in samples:
        kind = sample.task, sample.domain
        if kind not in seen:
            seen.add(kind)
            names |= dict.fromkeys(score(sample, Response(sample.id, None)).scores)
    return [*names]


def told(make: Callable[P, Task]) -> Callable[P, Task]:
    """Return a function whose errors Inspect shows as they are, without a traceback."""

    @functools.wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Task:
        try:
            return make(*args, **kwargs)
        except Error as error:
            raise PrerequisiteError(_TAG.sub(r"\\\g<0>", str(error))) from error

    return made


@task(name="suite")
@told
def suite_at(path: str, task: str | list[str] = "", domain: str | list[str] = "") -> Task:
    """Return the questions of the suite in a folder, all or those of some tasks and domains."""
    return suite_task(Suite.load(Path(path).expanduser()), _listed(task), _listed(domain))


def register(name: str) -> Callable[..., Task]:
    """Return the task of Inspect that asks new questions of one of our tasks."""
    called = stem(name).replace("-", "_")
    make = _generated(name) if TASKS[name].everywhere else _imported(name)
    return task(name=called)(told(make))


def _generated(name: str) -> Callable[..., Task]:
    def generated(  # noqa: PLR0913  # each is an option of the command line
        *,
        domain: str | list[str] = "blocksworld",
        count: int = 50,
        seed: int = 0,
        params: str | list[str] = "",
        steps: int = 2,
        references: int = 1,
        obfuscate: int | None = None,
        dataset: str | None = None,
    ) -> Task:
        """Return a question about each problem: of generated domains, or of a household."""
        if dataset is not None:
            return _of_source(name, dataset, count, seed)
        from plangauge.suites.build import Chosen, Request, build_suite

        given = dict(_pair(text) for text in _listed(params))
        hidden = None if obfuscate is None else (obfuscate, "words")
        chosen = [Chosen.of(each, given, hidden) for each in _listed(domain)]  # type: ignore[arg-type]
        request = Request(count, seed, (stem(name),), steps=steps, references=references)
        with _folder() as folder:
            return suite_task(build_suite(folder, chosen, request))

    return generated


def _imported(name: str) -> Callable[..., Task]:
    def imported(dataset: str, count: int | None = None, seed: int = 0) -> Task:
        """Return the questions about the problems of a benchmark, all or some drawn at random."""
        return _of_source(name, dataset, count, seed)

    return imported


def _of_source(name: str, dataset: str, count: int | None, seed: int) -> Task:
    from plangauge.sources import SOURCES, import_source
    from plangauge.sources.base import Choice

    if SOURCES[dataset].place is None:
        message = f"import it first: plangauge import {dataset} PATH -o SUITE; then ask plangauge/"
        raise ProblemError(f"{message}suite -T path=SUITE", file=dataset)
    with _folder() as folder:
        choice = Choice((stem(name),), count, seed)
        return suite_task(import_source(dataset, None, folder, choice=choice).suite)


@contextmanager
def _folder() -> Any:
    """Give the place of a suite that is not kept: its task holds all of it."""
    with TemporaryDirectory(prefix="plangauge-") as folder:
        yield Path(folder) / "suite"


def _listed(value: str | Sequence[str]) -> list[str]:
    """Return what stands between commas, which Inspect itself makes a list of."""
    parts = value.split(",") if isinstance(value, str) else map(str, value)
    return [name for part in parts if (name := part.strip())]


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ProblemError(f"params: expected K=V, not {text!r}")
    return key, value
