"""What a source is, and how what it gives becomes a suite and files of responses."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from plangauge.domains.words import Words
from plangauge.errors import ProblemError
from plangauge.registry import Registry
from plangauge.sources.remarks import Remarks
from plangauge.suites import Sample, Suite
from plangauge.suites.base import LAYOUT, MANIFEST, PROBLEMS, SAMPLES, SUMS, VERSION
from plangauge.suites.files import Layout, as_line, as_page, new_folder, sha256, sha256_of
from plangauge.worlds.kinds import PDDL, find_kind

MODELS = "models"
RESPONSES = Layout("plangauge-responses", "responses.json", (MODELS,))
"""A folder of responses: a manifest, and a file for each model."""
RESPONSES_VERSION = 1

EXPECTED = frozenset(("not imported", "no response", "other wording"))
"""Kinds of remarks that do not mean that anything is amiss with what was published."""


@dataclass(frozen=True)
class Source:
    """A published benchmark.

    ``read`` is given what was published, where its responses are (None: where they are usually),
    and the importer that takes it all.
    """

    name: str
    summary: str
    read: Callable[[Path, Sequence[Path] | None, Importer], None]
    licence: str
    citation: str
    system: str = ""
    """The system prompt of its questions."""
    place: Callable[[], Path] | None = None
    """Where it is if no path is given; None where one must be given."""
    chooses: bool = False
    """Whether it can be asked for some tasks only, and for some number of problems."""
    domains: bool = False
    """Whether it can be asked for some domains only."""


@dataclass(frozen=True)
class Choice:
    """What is imported of a source; by default all."""

    tasks: tuple[str, ...] = ()
    count: int | None = None
    """How many problems, drawn at random."""
    seed: int | None = None
    """For what is drawn at random; by default 0."""
    domains: tuple[str, ...] = ()
    """The names of domains; by default all."""


_ALL = Choice()

SOURCES: Registry[Source] = Registry("source", "plangauge.sources")


@dataclass(frozen=True)
class Imported:
    """What was written, and how many remarks of which kind there are."""

    suite: Suite
    responses: Path | None
    """The folder of the responses; None where none are published."""
    models: Mapping[str, int]
    """Model → how many responses."""
    on_questions: Mapping[str, int]
    on_responses: Mapping[str, int]

    @property
    def amiss(self) -> bool:
        """Whether anything is not as it should be, beyond what no task can ask."""
        return not {*self.on_questions, *self.on_responses} <= EXPECTED


def import_source(
    name: str,
    path: str | Path | None,
    output: str | Path,
    responses: Sequence[str | Path] | None = None,
    progress: Callable[[int], object] = lambda _: None,
    choice: Choice = _ALL,
) -> Imported:
    """Write what a source publishes as a suite, and its responses beside it; return both.

    The suite is ``output``, the responses are the folder ``output-responses``. The same files give
    the same bytes on every machine. ``responses`` are files or folders to be read instead of those
    in ``path``; ``progress`` is told about each row. Some sources need no path, and some can be
    imported in part. Raises `UnknownName` for no such source, and `ProblemError` where there is
    nothing to import; nothing is left behind then.
    """
    source = SOURCES[name]
    path = _place(source, path)
    if choice.domains and not source.domains:
        raise ProblemError(f"{name} is imported with all its domains")
    if choice != _ALL and not source.chooses:
        raise ProblemError(f"{name} is imported as a whole: without tasks, count and seed")
    given = None if responses is None else [*map(Path, responses)]
    for each in (Path(path), *(given or ())):
        if not each.exists():
            raise ProblemError("there is no such file or folder", file=str(each))
    target = Path(output).resolve()
    with ExitStack() as stack:
        folder = stack.enter_context(new_folder(target, LAYOUT))
        importer = Importer(source, target, folder, stack, progress, choice)
        source.read(Path(path), given, importer)
        importer.finish()
    made = importer.responses
    return Imported(
        Suite.load(target),
        None if made is None else importer.beside,
        {} if made is None else dict(sorted(made.models.items())),
        importer.remarks.counts(),
        {} if made is None else made.remarks.counts(),
    )


@dataclass
class _Responses:
    """Files of responses in a folder, one for each model."""

    stack: ExitStack
    folder: Path
    remarks: Remarks = field(default_factory=Remarks)
    models: Counter[str] = field(default_factory=Counter)
    files: dict[str, BinaryIO] = field(default_factory=dict)

    def add(self, model: str, row: Mapping[str, Any]) -> None:
        self.models[model] += 1
        name = f"{MODELS}/{file_name(model)}.jsonl"
        if name not in self.files:
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            self.files[name] = self.stack.enter_context(path.open("wb"))
        self.files[name].write(_as_line(row))

    def finish(self, told: Mapping[str, Any]) -> None:
        for file in self.files.values():
            file.close()
        manifest = {
            **told,
            "models": dict(sorted(self.models.items())),
            "responses": sum(self.models.values()),
            "counts": self.remarks.counts(),
            "remarks": self.remarks.rows(),
            "sha256": {name: sha256_of(self.folder / name) for name in sorted(self.files)},
        }
        (self.folder / RESPONSES.manifest).write_bytes(as_page(manifest))


class Importer:
    """Takes domains, problems, questions and responses, and writes them.

    ``remarks`` are about questions. ``published`` counts how what was published compares with what
    is computed.
    """

    def __init__(
        self,
        source: Source,
        target: Path,
        folder: Path,
        stack: ExitStack,
        progress: Callable[[int], object],
        choice: Choice = _ALL,
    ) -> None:
        self.source = source
        self.choice = choice
        self.name = target.name
        self.target = target
        self.beside = target.with_name(f"{target.name}-responses")
        self.folder = folder
        self.progress = progress
        self.remarks = Remarks()
        self.published: Counter[str] = Counter()
        self.responses: _Responses | None = None
        self._stack = stack
        self._samples = stack.enter_context((folder / SAMPLES).open("wb"))
        self._sums: dict[str, str] = {}
        self._asked: Counter[str] = Counter()
        self._problems: Counter[str] = Counter()
        self._worlds: dict[str, str] = {}
        self._ids: set[str] = set()

    def files_below(self, folder: Path, endings: tuple[str, ...]) -> list[Path]:
        """Return the files below a folder, or the one given, sorted, by how their names end.

        Hidden ones are left out, and so is what is written by imports to the same place.
        """
        if not folder.is_dir():
            return [folder]
        found = sorted(file for file in folder.rglob("*") if file.name.endswith(endings))
        return [file for file in found if file.is_file() and not self._ours(file, folder)]

    def domain(self, name: str, text: str, words: Words, world: str = PDDL) -> None:
        """Write a domain and how it is put in words, where there are problems of it."""
        if name not in self._problems:
            return
        self._worlds[name] = world
        self._part(f"{PROBLEMS}/{name}/domain{find_kind(world).suffix}", text)
        self._part(f"{PROBLEMS}/{name}/words.json", as_page(words.as_row()).decode())

    def problem(self, ident: str, text: str, world: str = PDDL) -> None:
        """Write a problem; ``ident`` begins with its domain. One that was written stays."""
        file = f"{PROBLEMS}/{ident}{find_kind(world).suffix}"
        if file not in self._sums:
            domain = ident.partition("/")[0]
            self._problems[domain] += 1
            self._part(file, text)

    def ask(self, sample: Sample) -> None:
        """Write a question; raises `ProblemError` for an id that another one has."""
        if sample.id in self._ids:
            raise ProblemError(f"there is another question {sample.id}")
        try:
            line = as_line(sample.as_row())
        except ValueError as error:  # text that no encoding has
            raise ProblemError(f"it cannot be written: {error}") from None
        self._ids.add(sample.id)
        self._asked[sample.task] += 1
        self._samples.write(line)

    def expect_responses(self) -> _Responses:
        """Return what takes responses and remarks about them; makes the folder for them."""
        if self.responses is None:
            folder = self._stack.enter_context(new_folder(self.beside, RESPONSES))
            self.responses = _Responses(self._stack, folder)
        return self.responses

    def finish(self) -> None:
        """Write the manifests; raises `ProblemError` where there is no question."""
        if not self._asked:
            first = next(iter(self.remarks.rows()), {})
            why = first.get("why", "nothing was found")
            file = first.get("file")
            raise ProblemError(f"there is nothing that a task can ask: {why}", file=file)
        self._samples.close()
        lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(self._sums.items()))
        (self.folder / SUMS).write_bytes(lines.encode())
        (self.folder / MANIFEST).write_bytes(as_page(self._manifest()))
        if self.responses is not None:
            suite = {"name": self.name, "sha256": sha256_of(self.folder / MANIFEST)}
            self.responses.finish(self._told(RESPONSES, RESPONSES_VERSION) | {"suite": suite})

    def _ours(self, file: Path, folder: Path) -> bool:
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        return hidden or not {self.target, self.beside}.isdisjoint(file.resolve().parents)

    def _manifest(self) -> dict[str, Any]:
        domains: dict[str, dict[str, Any]] = {
            name: {"version": None, "generator": False, "parameters": {}, "problems": count}
            for name, count in sorted(self._problems.items())
        }
        for name, world in self._worlds.items():
            if world != PDDL:
                domains[name]["world"] = world
        return self._told(LAYOUT, VERSION) | {
            **self._chosen(),
            "domains": domains,
            "tasks": dict(sorted(self._asked.items())),
            "samples": sum(self._asked.values()),
            "published": dict(sorted(self.published.items())),
            "counts": self.remarks.counts(),
            "remarks": self.remarks.rows(),
            "system": self.source.system,
            "sha256": {name: sha256_of(self.folder / name) for name in (SAMPLES, SUMS)},
        }

    def _chosen(self) -> dict[str, Any]:
        if not self.source.chooses:
            return {"seed": None}
        return {"seed": self.choice.seed or 0, "count": self.choice.count}

    def _told(self, layout: Layout, number: int) -> dict[str, Any]:
        return {
            "format": layout.kind,
            "version": number,
            "name": self.name,
            "plangauge": version("plangauge"),
            "source": self.source.name,
            "licence": self.source.licence,
            "citation": self.source.citation,
        }

    def _part(self, name: str, text: str) -> None:
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise ProblemError(f"it cannot be written: {error}", file=name) from None
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self._sums[name] = sha256(data)


def _place(source: Source, path: str | Path | None) -> Path:
    if path is not None:
        return Path(path)
    if source.place is None:
        raise ProblemError(f"{source.name} needs a PATH: the folder of what it publishes")
    return source.place()


def file_name(name: str) -> str:
    """Return a name that every file system takes.

    >>> file_name("meta-llama/Llama-3.1-70B"), file_name("..")
    ('meta-llama_Llama-3.1-70B', '_')
    """
    return re.sub(r"[^\w.+@=-]+|^\.+", "_", name) or "_"


def _as_line(row: Mapping[str, Any]) -> bytes:
    """Return a row as JSON, also where a text has what no encoding has: half a character."""
    try:
        return as_line(row)
    except UnicodeEncodeError:
        return (json.dumps(row) + "\n").encode()
