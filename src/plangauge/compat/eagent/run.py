"""Evaluating response files: many models, several processes, each model's results when it is done.

An interrupted evaluation goes on where it stopped: a model whose results are there, made from the
same responses in the same way, is not evaluated again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from plangauge.batch.stream import encode_row, stream
from plangauge.compat.eagent.responses import Checked, Entry, checked, model_files, read_entries
from plangauge.compat.eagent.results import as_results
from plangauge.errors import ProblemError
from plangauge.records import RECORDS, REMARKS, RUN, RUN_VERSION, Record, Run
from plangauge.sources.eai.fetch import MANIFEST
from plangauge.suites.files import (
    as_line,
    as_page,
    check_free,
    new_file,
    new_folder,
    sha256,
    sha256_of,
)
from plangauge.tasks.sequencing import NAME

DATASETS = ("virtualhome", "behavior")
RUNS = "runs"
"""The folder, in the output, that has the records of each model as a run."""
PROMPTS = {"virtualhome": "helm_prompt.json", "behavior": "action_sequence_prompts.json"}
"""What the files of prompts are called."""


class Dataset(Protocol):
    """What the module of a dataset offers."""

    def load(self, root: Path) -> Mapping[str, Any]:
        """Return the tasks by identifier."""
        ...

    def evaluate(self, task: Any, entry: Entry, as_published: bool) -> Any:
        """Return what becomes of a response; never raises, whatever its text is."""
        ...

    def record(self, identifier: str, model: str, outcome: Any) -> Record:
        """Return the record of a response."""
        ...

    def results(
        self, model: str, outcomes: Sequence[tuple[str, Any]], as_published: bool
    ) -> Mapping[str, Any]:
        """Return what stands in each file of results, by its path."""
        ...

    def summary(self, outcomes: Sequence[tuple[str, Any]], as_published: bool) -> Mapping[str, Any]:
        """Return the aggregate rates."""
        ...

    def prompts(self, tasks: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the prompt of each task."""
        ...


@dataclass(frozen=True)
class Request:
    """What is evaluated, and how."""

    dataset: str
    root: Path
    """Where the data is."""
    as_published: bool = False

    @property
    def adapter(self) -> Dataset:
        """What knows the dataset."""
        return _adapter(self.dataset)


@dataclass(frozen=True)
class Evaluated:
    """A model, the rates of its summary, and what is amiss with its responses."""

    model: str
    summary: Mapping[str, Any]
    responses: int
    unknown: Sequence[str]
    """Identifiers that no task has."""
    repeated: Sequence[str]
    """Identifiers that several responses have."""
    missing: Sequence[str]
    """Tasks without response."""
    resumed: bool
    """Whether the results were there already."""


def evaluate_responses(
    request: Request,
    responses: Path,
    output: Path,
    jobs: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Iterator[Evaluated]:
    """Evaluate the files of all models and write their results; yield each model when it is done.

    Every file is read first: `ProblemError` names what is wrong before anything is evaluated.
    ``progress`` is told about each response.
    """
    tasks = _tasks(request.dataset, str(request.root))
    files = model_files(responses, request.dataset)
    todo: list[_Model] = []
    for name, file in files.items():
        found = checked(read_entries(file), tasks, keep_repeated=request.as_published)
        todo.append(_Model(request, output, name, file, found, tuple(tasks)))
    outcomes = _outcomes([model for model in todo if not model.done], request, jobs)
    for model in todo:
        if not model.done:
            model.write([*_told(islice(outcomes, len(model.found.entries)), progress)])
        yield model.evaluated()


def write_prompts(request: Request, output: Path) -> tuple[Path, int]:
    """Write the prompts of all tasks in the original's layout; return the file and their number."""
    tasks = _tasks(request.dataset, str(request.root))
    rows = [
        {"identifier": identifier, "llm_prompt": prompt}
        for identifier, prompt in request.adapter.prompts(tasks)
    ]
    path = output / PROMPTS[request.dataset]
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path) as file:
        file.write(as_results(rows))
    return path, len(rows)


class _Model:
    """The responses of a model, and where its results belong."""

    def __init__(
        self,
        request: Request,
        output: Path,
        name: str,
        file: Path,
        found: Checked,
        tasks: Sequence[str],
    ) -> None:
        self.request, self.output, self.name, self.found = request, output, name, found
        self.run = output / RUNS / request.dataset / name
        answered = {entry["identifier"] for entry in found.entries}
        self.missing = [task for task in tasks if task not in answered]
        self.origin = {
            "dataset": request.dataset,
            "as_published": request.as_published,
            "plangauge": version("plangauge"),
            "data": _identity(request.root),
            "responses": [{"file": file.name, "sha256": sha256_of(file)}],
        }
        self.resumed = self.done = self._is_there()
        if not self.done:
            check_free(self.run, RUN)  # before anything is evaluated

    def write(self, outcomes: Sequence[tuple[str, Any]]) -> None:
        """Write the results, and last the run, by which they are known to be complete."""
        adapter, published = self.request.adapter, self.request.as_published
        written: dict[str, str] = {}
        for name, value in adapter.results(self.name, outcomes, published).items():
            path = self.output / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with new_file(path) as file:
                file.write(as_results(value))
            written[name] = sha256_of(path)
        with new_folder(self.run, RUN) as folder:
            with (folder / RECORDS).open("wb") as file:
                for identifier, outcome in outcomes:
                    file.write(as_line(adapter.record(identifier, self.name, outcome).as_row()))
            (folder / REMARKS).write_bytes(b"".join(map(as_line, self._remarks())))
            manifest = self._manifest(written, adapter.summary(outcomes, published))
            manifest["sha256"] = {name: sha256_of(folder / name) for name in (RECORDS, REMARKS)}
            (folder / RUN.manifest).write_bytes(as_page(manifest))
        self.done = True

    def evaluated(self) -> Evaluated:
        """Return what the run says about the model."""
        told = RUN.read(self.run)
        return Evaluated(
            self.name,
            told["summary"],
            len(self.found.entries),
            self.found.unknown,
            self.found.repeated,
            self.missing,
            self.resumed,
        )

    def _is_there(self) -> bool:
        try:
            told = Run.load(self.run).manifest
            return told.get("origin") == self.origin and all(
                sha256_of(self.output / name) == digest for name, digest in told["results"].items()
            )
        except (ProblemError, KeyError, AttributeError, TypeError):
            return False

    def _remarks(self) -> Iterator[dict[str, Any]]:
        kinds = {"unknown": self.found.unknown, "duplicate": self.found.repeated}
        for kind, identifiers in {**kinds, "missing": self.missing}.items():
            for identifier in identifiers:
                yield {"kind": kind, "id": identifier, "model": self.name}

    def _manifest(self, results: dict[str, str], summary: Mapping[str, Any]) -> dict[str, Any]:
        published = " as published" if self.request.as_published else ""
        return {
            "format": RUN.kind,
            "version": RUN_VERSION,
            "plangauge": version("plangauge"),
            "origin": self.origin,
            "suite": {
                "name": self.request.dataset + published,
                "sha256": sha256(f"{_identity(self.request.root)}{published}".encode()),
                "tasks": [NAME],
            },
            "records": len(self.found.entries),
            "amiss": {
                "unknown": len(self.found.unknown),
                "duplicate": len(self.found.repeated),
                "missing": len(self.missing),
            },
            "results": results,
            "summary": summary,
        }


def _identity(root: Path) -> str:
    """Return what tells the data from other data; empty where nothing does."""
    file = root / MANIFEST
    return sha256_of(file) if file.is_file() else ""


def _outcomes(models: Sequence[_Model], request: Request, jobs: int) -> Iterator[tuple[str, Any]]:
    """Yield identifier and outcome of every response of every model, in order."""
    lines = (encode_row(entry) for model in models for entry in model.found.entries)
    work = partial(_evaluate, request.dataset, str(request.root), request.as_published)
    return stream(lines, work, jobs=jobs)


def _told(
    outcomes: Iterator[tuple[str, Any]], progress: Callable[[int], object]
) -> Iterator[tuple[str, Any]]:
    for outcome in outcomes:
        progress(1)
        yield outcome


def _evaluate(
    dataset: str, root: str, as_published: bool, number: int, line: bytes
) -> tuple[str, Any]:
    del number
    import json

    entry = json.loads(line)
    task = _tasks(dataset, root)[entry["identifier"]]
    return entry["identifier"], _adapter(dataset).evaluate(task, entry, as_published)


def _adapter(dataset: str) -> Dataset:
    module: Any = import_module(f"plangauge.compat.eagent.{dataset}")
    return module  # type: ignore[no-any-return]


@lru_cache(maxsize=2)
def _tasks(dataset: str, root: str) -> Mapping[str, Any]:
    return _adapter(dataset).load(Path(root))
