"""Scoring the responses to a suite: a record for each, and a remark on whatever is amiss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, Literal

from plangauge.batch.responses import response_in, response_lines
from plangauge.batch.stream import Row, attempt, stream
from plangauge.errors import ProblemError
from plangauge.records import MISSING, RECORDS, REMARKS, RUN, RUN_VERSION, Response, Run, score
from plangauge.suites import Suite
from plangauge.suites.files import as_line, as_page, new_folder, sha256_of

BAD, UNKNOWN, DUPLICATE, NULL = "bad row", "unknown", "duplicate", "null"
KINDS = (BAD, UNKNOWN, DUPLICATE, NULL, MISSING)


@dataclass(frozen=True, slots=True)
class Policy:
    """What is done where the responses do not fit the suite. Everything is counted and listed.

    A row that cannot be read, has an unknown id, or a null for a response is never scored; unless
    another row responds to its sample, that is then missing.
    """

    missing: Literal["score", "skip"] = "score"
    """A sample without response is scored as silence, or has no record."""
    duplicates: Literal["first", "all"] = "first"
    """Of several responses to a sample by one model in one epoch, which are scored."""
    strict: bool = False
    """Anything amiss is an error, and no run is written."""
    model: str = ""
    """The name for rows that have none; empty: what the file is called."""


_DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int | None


@dataclass
class _Counts:
    rows: int = 0
    amiss: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[str]] = field(default_factory=dict)


def score_suite(
    suite: Suite,
    files: list[Path],
    output: str | Path,
    policy: Policy = _DEFAULT,
    jobs: int = 1,
    progress: Callable[[int], object] = lambda _: None,
) -> Run:
    """Write a run and return it; ``progress`` is told about each row.

    Records stand in the order of the rows, then those of missing responses. Memory does not grow
    with the number of rows. Raises `ProblemError` where a file cannot be read, or anything is amiss
    though the policy is strict, and leaves nothing behind then.
    """
    with new_folder(output, RUN) as folder:
        with (folder / RECORDS).open("wb") as records, (folder / REMARKS).open("wb") as remarks:
            writer = _Writer(suite, policy, records, remarks)
            told = [writer.file(path, policy.model or path.stem, jobs, progress) for path in files]
            writer.missing()
        manifest = writer.manifest(told)
        manifest["sha256"] = {name: sha256_of(folder / name) for name in (RECORDS, REMARKS)}
        (folder / RUN.manifest).write_bytes(as_page(manifest))
    return Run.load(output)


class _Writer:
    def __init__(self, suite: Suite, policy: Policy, records: BinaryIO, remarks: BinaryIO) -> None:
        self.suite = suite
        self.policy = policy
        self.records = records
        self.remarks = remarks
        self.counts = _Counts()
        self.seen: dict[tuple[str, int], bytearray] = {}

    def file(
        self, path: Path, model: str, jobs: int, progress: Callable[[int], object]
    ) -> dict[str, Any]:
        """Score the rows of a file; return what the manifest says about it."""
        rows = 0
        work = partial(_line, str(self.suite.path), self.suite.sha256, model)
        with response_lines(path) as lines:
            for row in stream(lines, work, jobs=jobs):
                rows += 1
                self._row(row, path.name)
                progress(1)
        if not rows:
            self._seen_by(model, 1)
        self.counts.rows += rows
        return {"file": path.name, "sha256": sha256_of(path), "rows": rows}

    def missing(self) -> None:
        """Score, or at least list, the samples to which a model has not responded."""
        for (model, epoch), seen in sorted(self.seen.items()):
            for ident, number in self.suite.numbers.items():
                if seen[number]:
                    continue
                self._remark(MISSING, _Place("", None), {"id": ident, "model": model,
                             "epoch": epoch}, self.policy.missing == "score")  # fmt: skip
                if self.policy.missing == "score":
                    response = Response(ident, None, model, epoch)
                    self._record(score(self.suite[ident], response).as_row())

    def manifest(self, files: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what the manifest of the run says."""
        counts = self.counts
        statuses = {
            model: dict(sorted(of.items())) for model, of in sorted(counts.statuses.items())
        }
        return {
            "format": RUN.kind,
            "version": RUN_VERSION,
            "plangauge": version("plangauge"),
            "suite": {
                "name": self.suite.name,
                "sha256": self.suite.sha256,
                "samples": len(self.suite),
                "plangauge": self.suite.manifest.get("plangauge"),
                "tasks": self.suite.manifest.get("tasks"),
            },
            "options": asdict(self.policy),
            "responses": files,
            "rows": counts.rows,
            "records": sum(sum(of.values()) for of in statuses.values()),
            "amiss": {kind: counts.amiss[kind] for kind in KINDS},
            "epochs": {m: sorted(e for n, e in self.seen if n == m) for m, _ in sorted(self.seen)},
            "statuses": statuses,
        }

    def _row(self, row: Row, file: str) -> None:
        place = _Place(file, row.pop("line"))
        if row.get("kind") == NULL:
            self._seen_by(row["model"], row["epoch"])
        if "kind" in row:
            self._remark(row.pop("kind"), place, row, False)
            return
        seen = self._seen_by(row["model"], row["epoch"])
        number = self.suite.numbers[row["sample"]]
        kept = not seen[number] or self.policy.duplicates == "all"
        if seen[number]:
            told = {"id": row["sample"], "model": row["model"], "epoch": row["epoch"]}
            self._remark(DUPLICATE, place, told, kept)
        seen[number] = 1
        if kept:
            self._record(row)

    def _seen_by(self, model: str, epoch: int) -> bytearray:
        """Return a byte for each sample, 1 where there is a response to it."""
        return self.seen.setdefault((model, epoch), bytearray(len(self.suite)))

    def _record(self, row: Row) -> None:
        self.counts.statuses.setdefault(row["model"], Counter())[row["status"]] += 1
        self.records.write(as_line(row))

    def _remark(self, kind: str, place: _Place, row: Row, scored: bool) -> None:
        where = f"{place.file}, row {place.line}: " if place.line else ""
        if self.policy.strict:
            raise ProblemError(f"{where}{kind}: {row.get('why') or row.get('id')!r}")
        self.counts.amiss[kind] += 1
        self.remarks.write(as_line({"kind": kind, **asdict(place), **row, "scored": scored}))


def _line(path: str, sha256: str, model: str, number: int, line: bytes) -> Row:
    """Return a record with the number of its row, or what is amiss with the row.

    What is amiss with the suite is an error: it is no fault of the row.
    """
    ident, row, error = attempt(number, line, partial(_read, model))
    if row is None:
        return {"line": number, "kind": BAD, "id": ident, "why": error}
    return {"line": number, **_score(_opened(path, sha256), row["read"])}


def _read(model: str, row: Row) -> Row:
    return {"read": response_in(row, model)}


def _score(suite: Suite, response: Response) -> Row:
    told = {"id": response.sample, "model": response.model, "epoch": response.epoch}
    if response.sample not in suite.numbers:
        return {"kind": UNKNOWN, **told}
    if response.text is None:
        return {"kind": NULL, **told}
    return score(suite[response.sample], response).as_row()


@lru_cache(maxsize=2)
def _opened(path: str, sha256: str) -> Suite:
    suite = Suite.load(path)
    if suite.sha256 != sha256:
        raise ProblemError("the suite was changed while it was scored", file=path)
    return suite
