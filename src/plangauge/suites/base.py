"""A suite: a folder of questions with their true answers, checked when it is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from plangauge.core.errors import ProblemError, UnknownName, did_you_mean
from plangauge.core.model import Action, Plan
from plangauge.core.text import counted, printable
from plangauge.domains.words import Words
from plangauge.reading.timed import read_step
from plangauge.suites.files import (
    Layout,
    as_line,
    as_page,
    parse_object,
    read_bytes,
    sha256,
    sha256_of,
)
from plangauge.suites.prompts import episode_instructions
from plangauge.tasks import TASKS, Question
from plangauge.tasks.acting import POLICY as ACTING_POLICY
from plangauge.tasks.base import Answer, Draft
from plangauge.worlds.base import Problem
from plangauge.worlds.cache import CACHE, SharedResults
from plangauge.worlds.kinds import PDDL, Kind, find_kind

MANIFEST = "manifest.json"
SAMPLES = "samples.jsonl"
PROBLEMS = "problems"
SUMS = "problems.sha256"
LAYOUT = Layout("plangauge-suite", MANIFEST, (SAMPLES, PROBLEMS, SUMS), sealed=True)

_KEYS = ("id", "task", "domain", "problem", "actions", "prompt", "truth", "references", "meta")


@dataclass(frozen=True, slots=True)
class Texts:
    """The files of a question: domain, problem, and words as JSON."""

    domain: str
    problem: str
    words: str
    world: str = PDDL
    """The kind of world, which determines how domain and problem are read."""


_UNREAD = Texts("", "", "")


@dataclass(frozen=True)
class Sample:
    """A question with its prompt and its true answer.

    ``problem`` is the same for all questions about a problem. ``references`` are plans, the first
    of them the true answer; only tasks about plans have them.
    """

    id: str
    task: str
    domain: str
    problem: str
    actions: tuple[str, ...]
    prompt: str
    truth: Answer
    references: tuple[tuple[str, ...], ...]
    meta: Mapping[str, Any]
    options: tuple[str, ...] = ()
    """What the question offers to choose from, or to decide on."""
    texts: Texts = field(default=_UNREAD, repr=False)
    """Empty in a sample that is to be written."""

    @classmethod
    def of(
        cls,
        question: Question[Any],
        ident: str,
        problem: str,
        prompt: str,
        plans: Sequence[Plan] = (),
        **more: Any,
    ) -> Sample:
        """Return a sample to be written.

        ``ident`` is its id, ``problem`` the name of the problem, which begins with the domain;
        ``more`` is added to the metadata of its task.
        """
        meta = {
            "n_objects": len(question.problem.world.objects),
            **TASKS[question.task].meta(question),
            **more,
        }
        return cls(
            ident,
            question.task,
            problem.partition("/")[0],
            problem,
            tuple(map(str, question.actions)),
            prompt,
            question.truth,
            tuple(tuple(map(str, plan.actions)) for plan in plans),
            meta,
            question.options,
        )

    @classmethod
    def from_row(cls, row: Mapping[str, Any], texts: Texts) -> Sample:
        """Return the sample of a row of ``samples.jsonl`` that has been checked."""
        values = {key: row[key] for key in _KEYS}
        values["references"] = tuple(map(tuple, row["references"]))
        values |= {key: tuple(row.get(key, ())) for key in ("actions", "options")}
        return cls(**values, texts=texts)

    def as_row(self) -> dict[str, Any]:
        """Return the sample as it stands in ``samples.jsonl``."""
        row = {key: getattr(self, key) for key in _KEYS}
        row |= {"actions": [*self.actions], "references": [*map(list, self.references)]}
        return row | ({"options": [*self.options]} if self.options else {})

    @property
    def words(self) -> Words:
        """The words in which an answer may be given."""
        return _words(self.texts.words, f"{PROBLEMS}/{self.domain}/words.json")

    def question(self) -> Question[int]:
        """Return the question, ready to judge responses.

        Raises `ProblemError` where the true answer is not the one that the suite states.
        """
        texts = self.texts
        problem = _problem(texts.domain, texts.problem, texts.world)
        CACHE.use(problem)
        asked = (self.task, self.actions, self.references, self.options)
        question = problem.once((_ask, *asked), _ask, problem, *asked)
        if question.truth != self.truth:
            raise ProblemError(f"{self.id}: the true answer is {question.truth}, not {self.truth}")
        return question


@dataclass(frozen=True)
class Suite:
    """A suite in a folder; iterating reads its samples one by one.

    ``sha256`` is that of the manifest, which contains the hashes of all other parts.
    """

    path: Path
    manifest: Mapping[str, Any]
    sha256: str

    def __repr__(self) -> str:
        count = counted(self.manifest.get("samples", 0), "question")
        return f"<Suite: {printable(self.name)}, {count} in {printable(str(self.path))}>"

    @classmethod
    def load(cls, path: str | Path) -> Suite:
        """Return the suite in a folder after checking every part, with the manifest, by its hash.

        Raises `ProblemError`, with the file, where a part is missing, malformed, was changed or is
        not listed.
        """
        from plangauge.suites.shape import check_manifest

        folder = Path(path)
        if not folder.is_dir():
            raise ProblemError("there is no such folder", file=str(path))
        if not (folder / MANIFEST).exists():
            raise ProblemError(f"this is not a suite: it has no {MANIFEST}", file=str(path))
        manifest = LAYOUT.read(folder)
        suite = cls(folder, manifest, sha256_of(folder / MANIFEST))
        sums = manifest.get("sha256")
        if not isinstance(sums, dict) or not {SAMPLES, SUMS} <= set(sums):
            raise ProblemError(f"no hashes of {SAMPLES} and {SUMS}", file=str(folder / MANIFEST))
        check_manifest(manifest, str(folder / MANIFEST))
        _verify(folder, {SAMPLES: sums[SAMPLES], SUMS: sums[SUMS]})
        _verify(folder, suite.sums)
        return suite

    @property
    def name(self) -> str:
        """The name of the suite."""
        return str(self.manifest["name"])

    @property
    def system(self) -> str:
        """The system prompt of all samples but those to act in; empty for none."""
        return str(self.manifest.get("system") or "")

    @cached_property
    def sums(self) -> Mapping[str, str]:
        """File of a problem, a domain or words → SHA-256, as `sha256sum -c` reads them."""
        file = self.path / SUMS
        lines = read_bytes(file).decode("utf-8", "replace").splitlines()
        parts = [line.partition("  ") for line in lines]
        for _, _, name in parts:
            pure = PurePosixPath(name)
            if pure.parts[:1] != (PROBLEMS,) or ".." in pure.parts or "\0" in name:
                raise ProblemError(f"{name!r} is not a file in {PROBLEMS}", file=str(file))
        return {name: digest for digest, _, name in parts}

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Sample]:
        with (self.path / SAMPLES).open("rb") as lines:
            for line in lines:
                yield self._sample(line)

    def __getitem__(self, ident: str) -> Sample:
        """Return the sample of an id; raises `UnknownName` where there is none."""
        if ident not in self._places:
            hint = did_you_mean(ident, self._places) if len(self._places) <= 10_000 else ""
            raise UnknownName(f"{self.name} has no sample {ident!r}{hint}")
        with (self.path / SAMPLES).open("rb") as lines:
            lines.seek(self._places[ident])
            return self._sample(lines.readline())

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Id of a sample → its number, from 0, in the order of the suite."""
        return {ident: number for number, ident in enumerate(self._places)}

    def messages(self, sample: Sample) -> list[dict[str, str]]:
        """Return the messages of a sample, in the form of chat interfaces.

        Tasks in turns have instructions for acting in place of the suite's system prompt.
        """
        in_turns = TASKS[sample.task].in_turns
        system = episode_instructions(ACTING_POLICY) if in_turns else self.system
        system_message = [{"role": "system", "content": system}] if system else []
        return [*system_message, {"role": "user", "content": sample.prompt}]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Id of each sample → where its line begins."""
        places: dict[str, int] = {}
        file, at = self.path / SAMPLES, 0
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                ident = parse_object(line, f"{file}:{number}").get("id")
                if not isinstance(ident, str) or ident in places:
                    raise ProblemError(f"the id {ident!r} is missing or not unique",
                                       file=str(file), line=number)  # fmt: skip
                places[ident] = at
                at += len(line)
        return places

    def _sample(self, line: bytes) -> Sample:
        from plangauge.suites.shape import check_sample

        file = str(self.path / SAMPLES)
        row = parse_object(line, file)
        check_sample(row, file)
        return Sample.from_row(row, self._texts(row["domain"], row["problem"]))

    def _texts(self, domain: str, problem: str) -> Texts:
        kind = self._kind(domain)
        names = (f"{domain}/domain{kind.suffix}", f"{problem}{kind.suffix}", f"{domain}/words.json")
        declarations, about, words = (self._text(f"{PROBLEMS}/{name}") for name in names)
        return Texts(declarations, about, words, kind.name)

    def _kind(self, domain: str) -> Kind:
        try:
            row = (self.manifest.get("domains") or {}).get(domain) or {}
            return find_kind(str(row.get("world", PDDL)))
        except (UnknownName, AttributeError) as error:
            raise ProblemError(f"{domain}: {error}", file=str(self.path / MANIFEST)) from None

    def _text(self, name: str) -> str:
        if name not in self.sums:
            raise ProblemError(f"{name} is not listed in {SUMS}", file=str(self.path))
        return _text(f"{self.path}/{name}", self.sums[name])


class SuiteWriter:
    """Writes the parts of a suite to a folder: domains, problems, samples, then the manifest."""

    def __init__(self, folder: Path, samples: BinaryIO) -> None:
        self.folder = folder
        self.problems: Counter[str] = Counter()
        """Domain → number of problems."""
        self.asked: Counter[str] = Counter()
        """Task → number of questions."""
        self._samples = samples
        self._sums: dict[str, str] = {}
        self._ids: set[str] = set()

    def domain(self, name: str, text: str, words: Words, world: str = PDDL) -> None:
        """Write a domain and its words."""
        self._part(f"{PROBLEMS}/{name}/domain{find_kind(world).suffix}", text)
        self._part(f"{PROBLEMS}/{name}/words.json", as_page(words.as_row()).decode())

    def problem(self, ident: str, text: str, world: str = PDDL) -> None:
        """Write a problem, unless it is already there; ``ident`` begins with its domain."""
        file = f"{PROBLEMS}/{ident}{find_kind(world).suffix}"
        if file not in self._sums:
            self.problems[ident.partition("/")[0]] += 1
            self._part(file, text)

    def ask(self, sample: Sample) -> None:
        """Write a question; raises `ProblemError` for a duplicate id."""
        if sample.id in self._ids:
            raise ProblemError(f"there is another question {sample.id}")
        try:
            line = as_line(sample.as_row())
        except ValueError as error:  # NaN, for example
            raise ProblemError(f"it cannot be written: {error}") from None
        self._ids.add(sample.id)
        self.asked[sample.task] += 1
        self._samples.write(line)

    def seal(self, values: Mapping[str, Any]) -> None:
        """Write the manifest, with the hashes of everything."""
        self._samples.close()
        lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(self._sums.items()))
        (self.folder / SUMS).write_bytes(lines.encode())
        sums = {name: sha256_of(self.folder / name) for name in (SAMPLES, SUMS)}
        LAYOUT.write(self.folder, {**values, "sha256": sums})

    def _part(self, name: str, text: str) -> None:
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise ProblemError(f"it cannot be written: {error}", file=name) from None
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self._sums[name] = sha256(data)


@lru_cache(maxsize=64)
def _text(file: str, _digest: str) -> str:
    """Return the text of a file; the digest distinguishes versions of it in the cache."""
    try:
        return read_bytes(Path(file)).decode()
    except UnicodeDecodeError as error:
        raise ProblemError(f"not UTF-8: {error}", file=file) from None


def _verify(folder: Path, sums: Mapping[str, str]) -> None:
    for name, digest in sums.items():
        if sha256_of(folder / name) != digest:
            message = "was changed since the suite was written (its SHA-256 differs)"
            raise ProblemError(message, file=str(folder / name))


def actions_in(texts: tuple[str, ...]) -> tuple[Action, ...]:
    """Return the actions that texts such as ``(stack a b)`` name, some of them with times.

    Raises `ProblemError` for other texts.
    """
    actions = tuple(map(read_step, texts))
    if None in actions:
        raise ProblemError(f"{texts[actions.index(None)]!r} is not an action")
    return tuple(action for action in actions if action is not None)


def _ask(
    problem: Problem[int],
    task: str,
    actions: tuple[str, ...],
    references: tuple[tuple[str, ...], ...],
    options: tuple[str, ...],
) -> Question[int]:
    plans = [Plan.of(*actions_in(plan)) for plan in references]
    return TASKS[task].about(problem, Draft(actions_in(actions), options), plans)


@SharedResults
def _problem(domain: str, problem: str, world: str) -> Problem[Any]:
    return find_kind(world).read_problem(_declarations(domain, world), problem)


@lru_cache(maxsize=32)
def _declarations(domain: str, world: str) -> Any:
    return find_kind(world).read_domain(domain)


@lru_cache(maxsize=32)
def _words(text: str, file: str) -> Words:
    from plangauge.suites.shape import check_words

    row = parse_object(text.encode(), file)
    check_words(row, file)
    try:
        return Words(**row)
    except ProblemError as error:
        raise ProblemError(error.reason, file=file) from None
