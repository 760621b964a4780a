"""What became of a response: `score` makes a record of it, and a run is a folder of records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from plangauge.errors import ProblemError
from plangauge.reading import Status
from plangauge.suites import Sample
from plangauge.suites.files import Layout, as_line, parse_object, sha256_of
from plangauge.suites.parquet import parquet_rows
from plangauge.tasks import TASKS, Judgement, Question
from plangauge.tasks.base import Listed
from plangauge.worlds.base import Problem

RECORDS = "records.jsonl"
TABLE = "records.parquet"
REMARKS = "remarks.jsonl"
RUN = Layout("plangauge-run", "run.json", (RECORDS, TABLE, REMARKS))
RUN_VERSION = 1

COLUMNS: Mapping[str, str] = {
    "sample": "VARCHAR",
    "problem": "VARCHAR",
    "domain": "VARCHAR",
    "task": "VARCHAR",
    "model": "VARCHAR",
    "epoch": "BIGINT",
    "status": "VARCHAR",
    "stop_reason": "VARCHAR",
    "primary": "VARCHAR",
    "score": "DOUBLE",
    "scores": "MAP(VARCHAR, DOUBLE)",
    "fault": "VARCHAR",
    "read": "VARCHAR",
    "notes": "VARCHAR",
    "meta": "VARCHAR",
}
"""The columns of ``records.parquet``; the last three hold JSON."""

_JSON = ("read", "notes", "meta")

MISSING = "missing"
"""The status of a record where there is no response at all."""

_CUT_SHORT = frozenset(("length", "max_tokens", "max_output_tokens", "model_length"))
"""What interfaces call it when a response reached the limit of its length."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a model has answered to a sample.

    ``text`` is None where a response is missing. ``stop_reason`` is why the model stopped, as its
    interface says it.
    """

    sample: str
    text: str | None
    model: str = ""
    epoch: int = 1
    stop_reason: str | None = None

    @property
    def cut_short(self) -> bool:
        """Whether the model had to stop because the response became too long."""
        return (self.stop_reason or "").lower() in _CUT_SHORT


@dataclass(frozen=True, slots=True)
class Record:
    """A response, how it was read, and its scores; ``score`` is the one named ``primary``.

    ``fault`` is why an answer fails: *parsing* for an unreadable one, and for a plan whatever goes
    wrong first; else None. A score that is not defined is None. ``meta`` are the numbers by which
    the sample makes a score interpretable, and ``n_actions``, how many actions it names.
    """

    sample: str
    problem: str
    domain: str
    task: str
    model: str
    epoch: int
    status: str
    stop_reason: str | None
    primary: str
    score: float | None
    scores: Mapping[str, float | None]
    fault: str | None
    read: Listed
    notes: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict)

    def as_row(self) -> dict[str, Any]:
        """Return the record as it stands in ``records.jsonl``."""
        return {key: getattr(self, key) for key in _KEYS}


_KEYS = tuple(part.name for part in fields(Record))


class Scorer:
    """Scores responses to one sample; what these have in common is done once.

    Raises `ProblemError` where the true answer is not the one that the suite states. ``problem``
    is that of another question about it, which saves reading it again.
    """

    def __init__(self, sample: Sample, problem: Problem[int] | None = None) -> None:
        self.question: Question[int] = sample.question(problem)
        self.size = len(sample.texts.problem) + len(str(sample.truth))
        """How many characters the problem and the true answer have."""
        task = TASKS[sample.task]
        self._judge = task.judging(self.question, sample.words)
        self._primary = task.primary
        self._about = {
            "sample": sample.id,
            "problem": sample.problem,
            "domain": sample.domain,
            "task": sample.task,
        }
        self._meta = {"meta": _numbers(sample.meta) | {"n_actions": len(sample.actions)}}
        self._before = as_line(self._about)[:-2] + b", "
        self._after = b", " + as_line(self._meta)[1:]

    def row(self, response: Response) -> dict[str, Any]:
        """Return the record of a response as `Record.as_row` does."""
        return self._about | self._judged(response) | self._meta

    def line(self, response: Response) -> tuple[str, bytes]:
        """Return the status of a response, and the line of ``records.jsonl`` about it."""
        judged = self._judged(response)
        return judged["status"], self._before + as_line(judged)[1:-2] + self._after

    def _judged(self, response: Response) -> dict[str, Any]:
        judged = self._judge(response.text or "")
        status, notes = judged.status.value, judged.notes
        if response.text is None:
            status = MISSING
        elif response.stop_reason and response.cut_short and judged.status is not Status.TRUNCATED:
            notes = {**notes, "read_status": status}
            status = Status.TRUNCATED.value
        return {
            "model": response.model,
            "epoch": response.epoch,
            "status": status,
            "stop_reason": response.stop_reason,
            "primary": self._primary,
            "score": judged.scores[self._primary],
            "scores": judged.scores,
            "fault": _fault(judged),
            "read": judged.read,
            "notes": notes,
        }


def score(sample: Sample, response: Response) -> Record:
    """Return the record of a response; whatever its text is, there is one.

    It depends on nothing but the two. A missing response scores as silence does, the worst there
    is, and its status is *missing*. One that was cut short is scored by what is there, and its
    status is *truncated*; ``notes["read_status"]`` keeps what the reading came to.
    """
    return Record(**Scorer(sample).row(response))


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what are numbers, and groups of numbers, in that of a sample which explains it."""
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            kept[name] = _numbers(value)
        elif value is None or isinstance(value, int | float):
            kept[name] = value
    return kept


def _fault(judged: Judgement) -> str | None:
    if "fault" in judged.notes:
        fault = judged.notes["fault"]
        return None if fault is None else str(fault)
    silent = judged.status is Status.NO_ANSWER
    cut = judged.status is Status.TRUNCATED and not _any_term(judged.read)
    return "parsing" if silent or cut else None


def _any_term(read: Listed) -> bool:
    return any(read.values()) if isinstance(read, dict) else bool(read)


@dataclass(frozen=True)
class Run:
    """The records of a folder that ``plangauge score`` has written; iterating reads them."""

    path: Path
    manifest: Mapping[str, Any]

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """Return the run in a folder.

        Raises `ProblemError` where it is none, or where a part was changed.
        """
        folder = Path(path)
        manifest = RUN.read(folder)
        for name, digest in dict(manifest.get("sha256") or {}).items():
            if name in RUN.parts and sha256_of(folder / name) != digest:
                message = "was changed since the run was written (its SHA-256 differs)"
                raise ProblemError(message, file=str(folder / name))
        return cls(folder, manifest)

    def __iter__(self) -> Iterator[Record]:
        in_lines = (self.path / RECORDS).is_file()
        file = self.path / (RECORDS if in_lines else TABLE)
        for number, row in enumerate(_from_lines(file) if in_lines else _from_table(file), start=1):
            try:
                yield Record(**row)
            except TypeError as error:
                message = f"a malformed record: {error}"
                raise ProblemError(message, file=str(file), line=number) from None


def _from_lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            yield parse_object(line, f"{file}:{number}")


def _from_table(file: Path) -> Iterator[dict[str, Any]]:
    for row in parquet_rows(file):
        for name in _JSON:
            row[name] = None if row[name] is None else json.loads(row[name])
        yield row
