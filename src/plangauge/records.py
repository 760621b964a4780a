"""What became of a response: `score` makes a record of it, and a run is a folder of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from plangauge.errors import ProblemError
from plangauge.parse.base import Status
from plangauge.suites import Sample
from plangauge.suites.files import Layout, parse_object, sha256_of
from plangauge.tasks import TASKS, Judgement
from plangauge.tasks.base import Listed

RECORDS = "records.jsonl"
REMARKS = "remarks.jsonl"
RUN = Layout("plangauge-run", "run.json", (RECORDS, REMARKS))
RUN_VERSION = 1

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
    wrong first; else None. A score that is not defined is None.
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

    def as_row(self) -> dict[str, Any]:
        """Return the record as it stands in ``records.jsonl``."""
        return {key: getattr(self, key) for key in _KEYS}


_KEYS = tuple(part.name for part in fields(Record))


def score(sample: Sample, response: Response) -> Record:
    """Return the record of a response; whatever its text is, there is one.

    It depends on nothing but the two. A missing response scores as silence does, the worst there
    is, and its status is *missing*. One that was cut short is scored by what is there, and its
    status is *truncated*; ``notes["read_status"]`` keeps what the reading came to.
    """
    task = TASKS[sample.task]
    judged = task.judge(sample.question(), response.text or "", sample.words)
    status, notes = judged.status.value, dict(judged.notes)
    if response.text is None:
        status = MISSING
    elif response.cut_short and judged.status is not Status.TRUNCATED:
        notes["read_status"] = status
        status = Status.TRUNCATED.value
    return Record(
        sample=sample.id,
        problem=sample.problem,
        domain=sample.domain,
        task=sample.task,
        model=response.model,
        epoch=response.epoch,
        status=status,
        stop_reason=response.stop_reason,
        primary=task.primary,
        score=judged.scores[task.primary],
        scores=dict(judged.scores),
        fault=_fault(judged),
        read=judged.read,
        notes=notes,
    )


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
        file = self.path / RECORDS
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    yield Record(**parse_object(line, f"{file}:{number}"))
                except TypeError as error:
                    message = f"a malformed record: {error}"
                    raise ProblemError(message, file=str(file), line=number) from None
