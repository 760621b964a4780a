"""Runs that need no suite: records as one likes them, and responses to a small suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plangauge.scoring.records import RECORDS, RUN, Record
from plangauge.suites.files import as_line, sha256_of


@dataclass
class Written:
    """What a run shows to its readers."""

    records: Iterable[Record]
    name: str = "run"
    suite: str = "s1"
    tasks: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return Path("/runs") / self.name

    @property
    def manifest(self) -> dict[str, Any]:
        tasks = dict.fromkeys(self.tasks, 1)
        return {"suite": {"name": "suite", "sha256": self.suite, "tasks": tasks}}

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)


@dataclass
class Made:
    """Makes records that differ from an exact answer about a set in what is said."""

    model: str = "m"
    task: str = "applicability-v1"
    domain: str = "d"
    primary: str = "iou"
    fields: dict[str, Any] = field(default_factory=dict)

    def __call__(self, score: float | None, problem: int = 1, **more: Any) -> Record:
        right = more.pop("right", None if score is None else float(score == 1))
        step = more.pop("step", None)
        values = {
            "sample": f"{self.domain}/{problem}/{self.task}",
            "problem": f"{self.domain}/{problem}",
            "domain": self.domain,
            "task": self.task,
            "model": self.model,
            "epoch": 1,
            "status": "ok",
            "stop_reason": None,
            "primary": self.primary,
            "score": score,
            "scores": {self.primary: score, "exact": right},
            "fault": None,
            "read": [],
            "notes": {} if step is None else {"step": step},
            "meta": {},
            **self.fields,
            **more,
        }
        return Record(**values)


def plan(distance: float, valid: float = 0.0, problem: int = 1, **more: Any) -> Record:
    """Return the record of a plan."""
    made = Made(task="plan-v1", primary="action_distance")
    scores = {"action_distance": distance, "valid": valid}
    return made(distance, problem, scores=scores, **more)


def stored(run: Written, folder: Path) -> Path:
    """Return the folder of a run as ``plangauge score`` would write it."""
    path = folder / run.name
    path.mkdir()
    (path / RECORDS).write_bytes(b"".join(as_line(record.as_row()) for record in run.records))
    sums = {RECORDS: sha256_of(path / RECORDS)}
    RUN.write(path, {**run.manifest, "sha256": sums})
    return path
