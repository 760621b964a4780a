"""Scoring the responses to a suite: a record for each, and a remark on whatever is amiss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from plangauge.batch.journal import Journal, opened
from plangauge.batch.nearness import Planning
from plangauge.batch.prepared import Prepared
from plangauge.batch.responses import is_parquet, response_in, response_lines, usual_response
from plangauge.batch.stream import Row, attempt, decode_row, stream
from plangauge.errors import Error, ProblemError
from plangauge.records import (
    COLUMNS,
    MISSING,
    RECORDS,
    REMARKS,
    RUN,
    RUN_VERSION,
    TABLE,
    Response,
    Run,
)
from plangauge.suites import Suite, parquet
from plangauge.suites.files import as_line, sha256_of

BAD, UNKNOWN, DUPLICATE, NULL = "bad row", "unknown", "duplicate", "null"
KINDS = (BAD, UNKNOWN, DUPLICATE, NULL, MISSING)

_STEP = 64
"""After how many rows whoever watches is told."""

Format: TypeAlias = Literal["auto", "jsonl", "parquet", "both"]
Lines: TypeAlias = Callable[[Path], AbstractContextManager[Iterable[bytes]]]
"""What gives the rows of a file, one line of JSON for each."""


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
    progress: Planning | None = None
    """How it is found how much nearer to the goal plans lead, if it shall be."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a run is written; no record depends on it."""

    jobs: int = 1
    format: Format = "auto"
    """The records as JSONL, Parquet or both; *auto*: both where DuckDB is installed, else JSONL."""
    restart: bool = False
    """Begin anew, whatever run was interrupted there before."""
    progress: Callable[[int], object] = lambda _: None
    """Is told how many more rows are done."""
    say: Callable[[str], object] = lambda _: None
    """Is told that a run is gone on with, or begun anew because it is damaged."""


_DEFAULT = Policy()
_PLAIN = Conduct()


class _Place(NamedTuple):
    file: str
    row: int | None


class _Scored(NamedTuple):
    row: int
    sample: str
    model: str
    epoch: int
    status: str
    record: bytes


class _Amiss(NamedTuple):
    row: int
    kind: str
    told: Row


@dataclass
class _Counts:
    amiss: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[str]] = field(default_factory=dict)


def score_suite(
    suite: Suite,
    files: list[Path],
    output: str | Path,
    policy: Policy = _DEFAULT,
    conduct: Conduct = _PLAIN,
    lines: Lines = response_lines,
) -> Run:
    """Write a run and return it; ``lines`` gives the rows of a file.

    Records stand in the order of the rows, then those of missing responses. Memory does not grow
    with the number of rows. What an interruption leaves behind is gone on with when the same run
    is asked for again: same suite, policy, files and version. The result is the same, byte for
    byte. Raises `ProblemError` where a file cannot be read, or anything is amiss though the policy
    is strict, and leaves nothing behind then; also where another run was interrupted there, which
    is kept unless ``conduct`` says to restart; `MissingExtra` for Parquet without DuckDB.
    """
    if conduct.format in ("parquet", "both") or any(map(is_parquet, files)):
        parquet.require()
    if policy.progress is not None:
        policy.progress.check()
    hashes = [{"file": path.name, "sha256": sha256_of(path)} for path in files]
    inputs = {
        "plangauge": version("plangauge"),
        "suite": suite.sha256,
        "options": asdict(policy),
        "responses": hashes,
    }
    with opened(output, inputs, restart=conduct.restart) as journal:
        try:
            writer = _Writer(suite, policy, conduct, journal, lines)
            for path in files:
                writer.file(path, policy.model or path.stem)
            _check_unchanged(files, hashes)
            writer.missing()
            journal.close_parts()
        except Error:
            journal.discard()
            raise
        manifest = writer.manifest(hashes)
        manifest["sha256"] = _formatted(journal.run, conduct.format)
        journal.finish(manifest)
    return Run.load(output)


def _check_unchanged(files: list[Path], hashes: list[dict[str, str]]) -> None:
    for path, known in zip(files, hashes, strict=True):
        if sha256_of(path) != known["sha256"]:
            raise ProblemError("was changed while it was scored", file=str(path))


def _formatted(folder: Path, wanted: Format) -> dict[str, str]:
    """Bring the records into the wanted form; return the SHA-256 of the parts of the run."""
    if wanted == "auto":
        wanted = "both" if parquet.is_available() else "jsonl"
    (folder / TABLE).unlink(missing_ok=True)
    if wanted != "jsonl":
        parquet.write_parquet(folder / RECORDS, folder / TABLE, COLUMNS)
    if wanted == "parquet":
        (folder / RECORDS).unlink()
    parts = [name for name in (RECORDS, TABLE, REMARKS) if (folder / name).exists()]
    return {name: sha256_of(folder / name) for name in parts}


class _Writer:
    def __init__(
        self, suite: Suite, policy: Policy, conduct: Conduct, journal: Journal, lines: Lines
    ) -> None:
        self.lines = lines
        self.suite = suite
        self.policy = policy
        self.conduct = conduct
        self.journal = journal
        self.counts = _Counts()
        self.seen: dict[tuple[str, int], bytearray] = {}
        self.prepared = Prepared(suite, policy.progress)
        try:
            self._recall()
        except (ProblemError, KeyError, TypeError):
            journal.begin("starting over: what was written before is damaged")
            self.counts, self.seen = _Counts(), {}
        self.rows = [*journal.mark.rows]
        self.begun = 0
        if journal.note:
            conduct.say(journal.note)
        conduct.progress(sum(self.rows))

    def file(self, path: Path, model: str) -> None:
        """Score the rows of the next file, those excepted that were scored before."""
        number, self.begun = self.begun, self.begun + 1
        if number == len(self.rows):
            self.rows.append(0)
        if number == len(self.rows) - 1:
            self._score(path, model)
        if not self.rows[number]:
            self._seen_by(model, 1)

    def missing(self) -> None:
        """Score, or at least list, the samples to which a model has not responded."""
        self.journal.keep(self.rows, now=True)
        scored = self.policy.missing == "score"
        for (model, epoch), seen in sorted(self.seen.items()):
            for ident, number in self.suite.numbers.items():
                if seen[number]:
                    continue
                told = {"id": ident, "model": model, "epoch": epoch}
                self._remark(MISSING, _Place("", None), told, scored)
                if scored:
                    response = Response(ident, None, model, epoch)
                    self._record(model, *self.prepared[ident].line(response))

    def manifest(self, files: list[dict[str, str]]) -> dict[str, Any]:
        """Return what the manifest of the run says."""
        counts = self.counts
        statuses = {
            model: dict(sorted(of.items())) for model, of in sorted(counts.statuses.items())
        }
        epochs: dict[str, list[int]] = {}
        for model, epoch in sorted(self.seen):
            epochs.setdefault(model, []).append(epoch)
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
            "responses": [
                {**file, "rows": rows} for file, rows in zip(files, self.rows, strict=True)
            ],
            "rows": sum(self.rows),
            "records": sum(sum(of.values()) for of in statuses.values()),
            "amiss": {kind: counts.amiss[kind] for kind in KINDS},
            "epochs": epochs,
            "statuses": statuses,
        }

    def _recall(self) -> None:
        """Find out from what was written what had been seen and counted."""
        for row in _lines(self.journal.run / RECORDS, self.journal.mark.records):
            self._seen_by(row["model"], row["epoch"])[self.suite.numbers[row["sample"]]] = 1
            self._count(row["model"], row["status"])
        for row in _lines(self.journal.run / REMARKS, self.journal.mark.remarks):
            self.counts.amiss[row["kind"]] += 1
            if row["kind"] == NULL:
                self._seen_by(row["model"], row["epoch"])

    def _score(self, path: Path, model: str) -> None:
        """Score the rows of a file that have not been scored yet."""
        find: Callable[[], Prepared] = partial(getattr, self, "prepared")
        if self.conduct.jobs > 1:
            which = str(self.suite.path), self.suite.sha256
            find = partial(_opened, *which, self.policy.progress)
        work = partial(_line, find, model)
        fresh = 0
        with self.lines(path) as lines:
            for result in stream(lines, work, jobs=self.conduct.jobs, skip=self.rows[-1]):
                self._row(result, path.name)
                self.rows[-1] += 1
                self.journal.keep(self.rows)
                fresh += 1
                if fresh % _STEP == 0:
                    self.conduct.progress(_STEP)
        self.conduct.progress(fresh % _STEP)

    def _row(self, row: _Scored | _Amiss, file: str) -> None:
        place = _Place(file, row.row)
        if isinstance(row, _Amiss):
            if row.kind == NULL:  # it tells that there is such a model; an unknown sample does not
                self._seen_by(row.told["model"], row.told["epoch"])
            self._remark(row.kind, place, row.told, False)
            return
        seen = self._seen_by(row.model, row.epoch)
        number = self.suite.numbers[row.sample]
        kept = not seen[number] or self.policy.duplicates == "all"
        if seen[number]:
            told = {"id": row.sample, "model": row.model, "epoch": row.epoch}
            self._remark(DUPLICATE, place, told, kept)
        seen[number] = 1
        if kept:
            self._record(row.model, row.status, row.record)

    def _seen_by(self, model: str, epoch: int) -> bytearray:
        """Return a byte for each sample, 1 where there is a response to it."""
        seen = self.seen.get((model, epoch))
        if seen is None:
            seen = self.seen[model, epoch] = bytearray(len(self.suite))
        return seen

    def _record(self, model: str, status: str, record: bytes) -> None:
        self._count(model, status)
        self.journal.records.write(record)

    def _count(self, model: str, status: str) -> None:
        counts = self.counts.statuses.get(model)
        if counts is None:
            counts = self.counts.statuses[model] = Counter()
        counts[status] += 1

    def _remark(self, kind: str, place: _Place, told: Row, scored: bool) -> None:
        where = f"{place.file}, row {place.row}: " if place.row else ""
        if self.policy.strict:
            raise ProblemError(f"{where}{kind}: {told.get('why') or told.get('id')!r}")
        self.counts.amiss[kind] += 1
        row = {"kind": kind, **place._asdict(), **told, "scored": scored}
        self.journal.remarks.write(as_line(row))


def _lines(file: Path, size: int) -> Iterator[Row]:
    """Yield the objects in the first so many bytes of a file of JSON lines."""
    with file.open("rb") as lines:
        while size > 0:
            line = lines.readline()
            size -= len(line)
            yield decode_row(line)


def _line(find: Callable[[], Prepared], model: str, number: int, line: bytes) -> _Scored | _Amiss:
    """Return a record with the number of its row, or what is amiss with the row.

    What is amiss with the suite is an error: it is no fault of the row.
    """
    response = usual_response(line, model)
    if response is None:
        ident, response, error = attempt(line, partial(response_in, model=model))
        if response is None:
            return _Amiss(number, BAD, {"id": ident, "why": error})
    prepared = find()
    if response.sample not in prepared or response.text is None:
        told = {"id": response.sample, "model": response.model, "epoch": response.epoch}
        if response.text is None:
            told |= _why(line)
        return _Amiss(number, UNKNOWN if response.sample not in prepared else NULL, told)
    status, record = prepared[response.sample].line(response)
    return _Scored(number, response.sample, response.model, response.epoch, status, record)


def _why(line: bytes) -> Row:
    """Return why there is no response, where the row says it."""
    why = decode_row(line).get("why")
    return {"why": why} if isinstance(why, str) and why else {}


@lru_cache(maxsize=2)
def _opened(path: str, sha256: str, planning: Planning | None) -> Prepared:
    suite = Suite.load(path)
    if suite.sha256 != sha256:
        raise ProblemError("the suite was changed while it was scored", file=path)
    return Prepared(suite, planning)
