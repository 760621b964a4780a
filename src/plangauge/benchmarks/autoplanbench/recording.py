"""The runs of experiments as records, for ``plangauge overview``."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from plangauge.benchmarks.autoplanbench.config import Entry
from plangauge.benchmarks.autoplanbench.logs import Log
from plangauge.benchmarks.autoplanbench.replay import Replayed
from plangauge.core.errors import ProblemError
from plangauge.episodes.outcome import Result
from plangauge.scoring.records import ISSUES, MISSING, RECORDS, RUN, Record
from plangauge.suites.files import as_line, new_folder, sha256_of

_HOMES = ("adapted_gold_plans", "orig_gold_plans")


def record_of(
    log: Log, entry: Entry, run: Replayed | None, result: Result | None, gold: int | None
) -> Record:
    """Return the record of a run, with the scores of the task `acting`.

    An incomplete run, without ``run`` and ``result``, counts as a missing answer.
    """
    from plangauge.tasks.acting import NAME, SCORES

    scores: dict[str, float | None] = dict.fromkeys(SCORES, 0.0)
    notes: dict[str, Any] = {"file": log.file, "why": log.why_incomplete}
    if run is not None and result is not None:
        scores, notes = _scores(run, result), _notes(log, run, result)
    domain = _domain(entry)
    approach = f" ({log.approach})" if log.approach else ""
    return Record(
        sample=f"{domain}/{log.instance}",
        problem=log.instance,
        domain=domain,
        task=NAME,
        model=(log.model or "unnamed") + approach,
        epoch=1,
        status=MISSING if run is None else "ok",
        stop_reason=log.stopping_reason,
        primary="success",
        score=scores["success"],
        scores=scores,
        fault=notes.get("fault"),
        read=[str(act.action) for turn in run.turns for act in turn.acts] if run else None,
        notes=notes,
        meta={"length": gold, "n_references": 0 if gold is None else 1},
    )


class Recorder:
    """Writes the records of experiments into one run, several of a sample as its epochs."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._epochs: Counter[tuple[str, str]] = Counter()
        self._hash = hashlib.sha256()
        self.issues: list[dict[str, Any]] = []
        self.count = 0

    def add(self, records: Sequence[Record], issues: Sequence[ProblemError]) -> None:
        """Write the records of an experiment, and its issues."""
        for record in records:
            key = record.sample, record.model
            self._epochs[key] += 1
            self._file.write(as_line(record.as_row() | {"epoch": self._epochs[key]}))
            self._hash.update(record.sample.encode("utf-8", "replace"))
            self.count += 1
        for issue in issues:
            row = {"file": issue.file, "line": issue.line, "why": issue.reason}
            self.issues.append({"kind": "autoplanbench", **row})

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the run, without the hashes of its files."""
        from plangauge.tasks.acting import NAME

        return {
            "plangauge": version("plangauge"),
            "suite": {"name": "autoplanbench", "sha256": self._hash.hexdigest(), "tasks": [NAME]},
            "records": self.count,
            "amiss": {"remarks": len(self.issues)},
        }


@contextmanager
def recorder(path: str | Path) -> Iterator[Recorder]:
    """Give the writer of a run, whose folder appears when it is complete.

    Raises `ProblemError` where anything else is there already.
    """
    with new_folder(path, RUN) as folder:
        with (folder / RECORDS).open("wb") as file:
            writer = Recorder(file)
            yield writer
        (folder / ISSUES).write_bytes(b"".join(map(as_line, writer.issues)))
        sums = {name: sha256_of(folder / name) for name in (RECORDS, ISSUES)}
        RUN.write(folder, writer.manifest | {"sha256": sums})


def _scores(run: Replayed, result: Result) -> dict[str, float | None]:
    """Return the scores of an episode; giving several plans is not a mistake here."""
    from plangauge.tasks.acting import scores_of

    scores = scores_of(run.turns, result, run.goal_share)
    scores["no_mistakes"] = float(result.success and result.mistakes == 0)
    return scores if run.revalidated else {**scores, "straight_share": None}


def _notes(log: Log, run: Replayed, result: Result) -> dict[str, Any]:
    from plangauge.core.model import Fault

    first = result.first_mistake
    at_fault = first is not None and not result.success and not run.reached
    known = first is not None and first.kind in {fault.value for fault in Fault}
    return result.as_row() | {
        "fault": first.kind if first and at_fault and known else None,
        "step": first.turn if first else None,
        "message": first.message if first else None,
        "revalidated": run.revalidated,
        "disagreements": len(run.disagreements),
        "file": log.file,
    }


def _domain(entry: Entry) -> str:
    """Return the name of the domain's folder; else that of the experiment."""
    home, name = os.path.split(os.path.normpath(entry.gold_plan_dir or ""))
    if entry.domain_file is not None:
        home, name = os.path.split(os.path.normpath(entry.domain_file))
    elif name not in _HOMES:
        home = os.path.normpath(entry.generated_plans_path)
    return os.path.basename(os.path.abspath(home))  # noqa: PTH119, PTH100
