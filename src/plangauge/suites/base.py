"""What a suite is: a folder of questions with their true answers, checked when it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from plangauge.domains.words import Words
from plangauge.errors import ProblemError, UnknownName, did_you_mean
from plangauge.model import Action, Plan
from plangauge.reading.notations.actions import read_action
from plangauge.suites.acting import how_to_act
from plangauge.suites.files import Layout, parse_object, read_bytes, sha256_of
from plangauge.tasks import TASKS, Question
from plangauge.tasks.acting import NAME as ACTING
from plangauge.tasks.acting import POLICY as ACTING_POLICY
from plangauge.tasks.base import Listed
from plangauge.worlds.base import Problem
from plangauge.worlds.kinds import PDDL, Kind, find_kind

MANIFEST = "manifest.json"
SAMPLES = "samples.jsonl"
PROBLEMS = "problems"
SUMS = "problems.sha256"
LAYOUT = Layout("plangauge-suite", MANIFEST, (SAMPLES, PROBLEMS, SUMS))
VERSION = 1

_KEYS = ("id", "task", "domain", "problem", "actions", "prompt", "truth", "references", "meta")


@dataclass(frozen=True, slots=True)
class Texts:
    """The files that a question is about: domain, problem, and words as JSON."""

    domain: str
    problem: str
    words: str
    world: str = PDDL
    """The kind of world, which says how domain and problem are read."""


@dataclass(frozen=True)
class Sample:
    """A question as it is asked, and its true answer.

    ``problem`` is the same for all questions about a problem. ``references`` are plans, the first
    of which is the true answer; only tasks about plans have them.
    """

    id: str
    task: str
    domain: str
    problem: str
    actions: tuple[str, ...]
    prompt: str
    truth: Listed
    references: tuple[tuple[str, ...], ...]
    meta: Mapping[str, Any]
    texts: Texts = field(repr=False)

    def as_row(self) -> dict[str, Any]:
        """Return the sample as it stands in ``samples.jsonl``."""
        row = {key: getattr(self, key) for key in _KEYS}
        return row | {"actions": [*self.actions], "references": [*map(list, self.references)]}

    @property
    def words(self) -> Words:
        """The words in which an answer may be given."""
        return _words(self.texts.words, f"{PROBLEMS}/{self.domain}/words.json")

    def question(self, problem: Problem[int] | None = None) -> Question[int]:
        """Return the question with what is needed to judge a response.

        The ``problem`` of another question about it saves reading it again. Raises `ProblemError`
        where the true answer is not the one that the suite states.
        """
        asked = (self.task, self.actions, self.references)
        question = _question(self.texts, *asked) if problem is None else _asked(problem, *asked)
        if question.truth != self.truth:
            raise ProblemError(f"{self.id}: the true answer is {question.truth}, not {self.truth}")
        return question


@dataclass(frozen=True)
class Suite:
    """A suite in a folder; iterating reads its samples one by one.

    ``sha256`` is that of the manifest, which contains those of everything else.
    """

    path: Path
    manifest: Mapping[str, Any]
    sha256: str

    @classmethod
    def load(cls, path: str | Path) -> Suite:
        """Return the suite in a folder after comparing every part with its hash.

        Raises `ProblemError`, with the file, where a part is missing, malformed, was changed or is
        not listed.
        """
        from plangauge.suites.shape import check_manifest

        folder = Path(path)
        if not folder.is_dir():
            raise ProblemError("there is no such folder", file=str(path))
        manifest = LAYOUT.read(folder)
        if manifest.get("version") != VERSION:
            message = f"version {manifest.get('version')!r} is not known; this reads {VERSION}"
            raise ProblemError(message, file=str(folder / MANIFEST))
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
        """File of a problem, a domain or words → SHA-256; what `sha256sum -c` takes."""
        file = self.path / SUMS
        lines = read_bytes(file).decode("utf-8", "replace").splitlines()
        parts = [line.partition("  ") for line in lines]
        for _, _, name in parts:
            pure = PurePosixPath(name)
            if pure.parts[:1] != (PROBLEMS,) or ".." in pure.parts or "\0" in name:
                raise ProblemError(f"{name!r} is no file of {PROBLEMS}", file=str(file))
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
        """Return what a model is told, in the form that chat interfaces take.

        Who shall act step by step is told how to, instead of the system prompt of the suite.
        """
        system = how_to_act(ACTING_POLICY) if sample.task == ACTING else self.system
        told = [{"role": "system", "content": system}] if system else []
        return [*told, {"role": "user", "content": sample.prompt}]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Id of each sample → where its line begins."""
        places: dict[str, int] = {}
        file, at = self.path / SAMPLES, 0
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                ident = parse_object(line, f"{file}:{number}").get("id")
                if not isinstance(ident, str) or ident in places:
                    raise ProblemError(f"the id {ident!r} is missing or not the only one",
                                       file=str(file), line=number)  # fmt: skip
                places[ident] = at
                at += len(line)
        return places

    def _sample(self, line: bytes) -> Sample:
        from plangauge.suites.shape import check_sample

        file = str(self.path / SAMPLES)
        row = parse_object(line, file)
        check_sample(row, file)
        values = {key: row[key] for key in _KEYS}
        values["actions"] = tuple(row["actions"])
        values["references"] = tuple(map(tuple, row["references"]))
        return Sample(**values, texts=self._texts(row["domain"], row["problem"]))

    def _texts(self, domain: str, problem: str) -> Texts:
        kind = self._kind(domain)
        names = (f"{domain}/domain{kind.suffix}", f"{problem}{kind.suffix}", f"{domain}/words.json")
        told, about, words = (self._text(f"{PROBLEMS}/{name}") for name in names)
        return Texts(told, about, words, kind.name)

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


@lru_cache(maxsize=64)
def _text(file: str, digest: str) -> str:
    """Return the text of a file; the digest tells it from what had the same name before."""
    del digest
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
    """Return the actions that texts such as ``(stack a b)`` name; raises `ProblemError`."""
    actions = tuple(map(read_action, texts))
    if None in actions:
        raise ProblemError(f"{texts[actions.index(None)]!r} is not an action")
    return tuple(action for action in actions if action is not None)


@lru_cache(maxsize=256)
def _question(
    texts: Texts, task: str, actions: tuple[str, ...], references: tuple[tuple[str, ...], ...]
) -> Question[int]:
    problem = _problem(texts.domain, texts.problem, texts.world)
    return _asked(problem, task, actions, references)


def _asked(
    problem: Problem[int],
    task: str,
    actions: tuple[str, ...],
    references: tuple[tuple[str, ...], ...],
) -> Question[int]:
    plans = [Plan.of(*actions_in(plan)) for plan in references]
    return TASKS[task].question(problem, actions_in(actions), plans)


@lru_cache(maxsize=64)
def _problem(domain: str, problem: str, world: str) -> Problem[Any]:
    return find_kind(world).read_problem(_declarations(domain, world), problem)


@lru_cache(maxsize=32)
def _declarations(domain: str, world: str) -> Any:
    return find_kind(world).read_domain(domain)


@lru_cache(maxsize=32)
def _words(text: str, file: str) -> Words:
    from plangauge.suites.shape import check_words

    told = parse_object(text.encode(), file)
    check_words(told, file)
    try:
        return Words(**told)
    except ProblemError as error:
        raise ProblemError(error.reason, file=file) from None
