"""Scoring the responses to a suite: a record for each, and a list of issues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from plangauge.core.errors import Error, ProblemError
from plangauge.scoring.goal_progress import Planning
from plangauge.scoring.journal import Journal, Part, opened
from plangauge.scoring.prepared import Prepared
from plangauge.scoring.records import COLUMNS, MISSING, RECORDS, RUN, TABLE, Response, Run
from plangauge.scoring.responses import is_parquet, response_in, response_lines, usual_response
from plangauge.scoring.stream import Row, attempt, decode_row, stream
from plangauge.suites import Suite, parquet
from plangauge.suites.files import as_line, sha256_of

BAD, UNKNOWN, DUPLICATE, NULL = "bad row", "unknown", "duplicate", "null"
KINDS = (BAD, UNKNOWN, DUPLICATE, NULL, MISSING)

_STEP = 64
"""Rows between two reports of progress."""

Format: TypeAlias = Literal["auto", "jsonl", "parquet", "both"]
Lines: TypeAlias = Callable[[Path], AbstractContextManager[Iterable[bytes]]]
"""Opens a file as rows, one line of JSON for each."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How responses that do not fit the suite are treated; all are counted and listed.

    A row that is malformed, has an unknown id, or a null response is never scored; unless another
    row responds to its sample, that sample is missing.
    """

    missing: Literal["score", "skip"] = "score"
    """A sample without response is scored as silence, or has no record."""
    duplicates: Literal["first", "all"] = "first"
    """Which of several responses to a sample by one model in one epoch are scored."""
    strict: bool = False
    """Any issue is an error, and no run is written."""
    model: str = ""
    """The model name for rows that have none; empty: the name of the file."""
    progress: Planning | None = None
    """How the progress of plans towards the goal is computed; None: not at all."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is written; no record depends on it."""

    jobs: int = 1
    format: Format = "auto"
    """The records as JSONL, Parquet or both; *auto*: both where DuckDB is installed, else JSONL."""
    restart: bool = False
    """Discard any interrupted run, and begin anew."""
    progress: Callable[[int], object] = lambda _: None
    """Called with the number of further rows done."""
    say: Callable[[str], object] = lambda _: None
    """Called with a message if a run is resumed, or begun anew because it is damaged."""


_DEFAULT = Policy()
_PLAIN = RunOptions()


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


class _Issue(NamedTuple):
    row: int
    kind: str
    details: Row


@dataclass
class _Counts:
    issues: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[str]] = field(default_factory=dict)


def score_suite(
    suite: Suite,
    files: list[Path],
    output: str | Path,
    policy: Policy = _DEFAULT,
    options: RunOptions = _PLAIN,
    lines: Lines = response_lines,
) -> Run:
    """Write a run and return it; ``lines`` gives the rows of a file.

    Records stand in the order of the rows, then those of missing responses. Memory does not grow
    with the number of rows. An interrupted run is resumed by the same call (same suite, policy,
    files and version), with the same result, byte for byte. Raises `ProblemError` where a file
    cannot be read, or for any issue if the policy is strict, and leaves nothing behind then; also
    where another run was interrupted there, which stays unless ``options`` says to restart;
    `MissingExtra` for Parquet without DuckDB.
    """
    if options.format in ("parquet", "both") or any(map(is_parquet, files)):
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
    with opened(output, inputs, restart=options.restart) as journal:
        try:
            writer = _Writer(suite, policy, options, journal, lines)
            for path in files:
                writer.file(path, policy.model or path.stem)
            _check_unchanged(files, hashes)
            writer.missing()
            journal.close_parts()
        except Error:
            journal.discard()
            raise
        manifest = writer.manifest(hashes)
        manifest["sha256"] = _formatted(journal, options.format)
        journal.finish(manifest)
    return Run.load(output)


def _check_unchanged(files: list[Path], hashes: list[dict[str, str]]) -> None:
    for path, known in zip(files, hashes, strict=True):
        if sha256_of(path) != known["sha256"]:
            raise ProblemError("was changed while it was scored", file=str(path))


def _formatted(journal: Journal, wanted: Format) -> dict[str, str]:
    """Convert the records to the requested format; return the SHA-256 of the parts of the run.

    Hashes of JSON lines are of what was written, not of what is on disk, to reveal any damage.
    """
    folder = journal.run
    known = {part.path.name: part.mark()[1] for part in (journal.records, journal.issues)}
    if wanted == "auto":
        wanted = "both" if parquet.is_available() else "jsonl"
    (folder / TABLE).unlink(missing_ok=True)
    if wanted != "jsonl":
        parquet.write_parquet(folder / RECORDS, folder / TABLE, COLUMNS)
        known[TABLE] = sha256_of(folder / TABLE)
    if wanted == "parquet":
        journal.drop_records()
        del known[RECORDS]
    return {name: known[name] for name in RUN.parts if name in known}


class _Writer:
    def __init__(
        self, suite: Suite, policy: Policy, options: RunOptions, journal: Journal, lines: Lines
    ) -> None:
        self.lines = lines
        self.suite = suite
        self.policy = policy
        self.options = options
        self.journal = journal
        self.counts = _Counts()
        self.seen: dict[tuple[str, int], bytearray] = {}
        self.prepared = Prepared(suite, policy.progress)
        self._recall()
        self.rows = [*journal.rows]
        self.begun = 0
        if journal.note:
            options.say(journal.note)
        options.progress(sum(self.rows))

    def file(self, path: Path, model: str) -> None:
        """Score the rows of the next file, except those scored before."""
        number, self.begun = self.begun, self.begun + 1
        if number == len(self.rows):
            self.rows.append(0)
        if number == len(self.rows) - 1:
            self._score(path, model)
        if not self.rows[number]:
            self._seen_by(model, 1)

    def missing(self) -> None:
        """List the samples to which a model has not responded, and score them if asked to."""
        self.journal.checkpoint(self.rows, now=True)
        scored = self.policy.missing == "score"
        for (model, epoch), seen in sorted(self.seen.items()):
            for ident, number in self.suite.numbers.items():
                if seen[number]:
                    continue
                details = {"id": ident, "model": model, "epoch": epoch}
                self._report(MISSING, _Place("", None), details, scored)
                if scored:
                    response = Response(ident, None, model, epoch)
                    self._record(model, *self.prepared[ident].line(response))

    def manifest(self, files: list[dict[str, str]]) -> dict[str, Any]:
        """Return the contents of the manifest."""
        counts = self.counts
        statuses = {
            model: dict(sorted(of.items())) for model, of in sorted(counts.statuses.items())
        }
        epochs: dict[str, list[int]] = {}
        for model, epoch in sorted(self.seen):
            epochs.setdefault(model, []).append(epoch)
        return {
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
            "amiss": {kind: counts.issues[kind] for kind in KINDS},
            "epochs": epochs,
            "statuses": statuses,
        }

    def _recall(self) -> None:
        """Restore what was seen and counted from the files of a resumed run."""
        for row in _lines(self.journal.records):
            self._seen_by(row["model"], row["epoch"])[self.suite.numbers[row["sample"]]] = 1
            self._count(row["model"], row["status"])
        for row in _lines(self.journal.issues):
            self.counts.issues[row["kind"]] += 1
            if row["kind"] == NULL:
                self._seen_by(row["model"], row["epoch"])

    def _score(self, path: Path, model: str) -> None:
        """Score the rows of a file that have not been scored yet."""
        find: Callable[[], Prepared] = partial(getattr, self, "prepared")
        if self.options.jobs > 1:
            which = str(self.suite.path), self.suite.sha256
            find = partial(_opened, *which, self.policy.progress)
        work = partial(_line, find, model)
        fresh = 0
        with self.lines(path) as lines:
            for result in stream(lines, work, jobs=self.options.jobs, skip=self.rows[-1]):
                self._row(result, path.name)
                self.rows[-1] += 1
                self.journal.checkpoint(self.rows)
                fresh += 1
                if fresh % _STEP == 0:
                    self.options.progress(_STEP)
        self.options.progress(fresh % _STEP)

    def _row(self, row: _Scored | _Issue, file: str) -> None:
        place = _Place(file, row.row)
        if isinstance(row, _Issue):
            if row.kind == NULL:  # the model exists; with an unknown sample it may not
                self._seen_by(row.details["model"], row.details["epoch"])
            self._report(row.kind, place, row.details, False)
            return
        seen = self._seen_by(row.model, row.epoch)
        number = self.suite.numbers[row.sample]
        recorded = not seen[number] or self.policy.duplicates == "all"
        if seen[number]:
            details = {"id": row.sample, "model": row.model, "epoch": row.epoch}
            self._report(DUPLICATE, place, details, recorded)
        seen[number] = 1
        if recorded:
            self._record(row.model, row.status, row.record)

    def _seen_by(self, model: str, epoch: int) -> bytearray:
        """Return a byte for each sample, 1 where it has a response."""
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

    def _report(self, kind: str, place: _Place, details: Row, scored: bool) -> None:
        where = f"{place.file}, row {place.row}: " if place.row else ""
        if self.policy.strict:
            raise ProblemError(f"{where}{kind}: {details.get('why') or details.get('id')!r}")
        self.counts.issues[kind] += 1
        row = {"kind": kind, **place._asdict(), **details, "scored": scored}
        self.journal.issues.write(as_line(row))


def _lines(part: Part) -> Iterator[Row]:
    """Yield the objects in the written part of a file of JSON lines."""
    with part.path.open("rb") as lines:
        while lines.tell() < part.size:
            yield decode_row(lines.readline())


def _line(find: Callable[[], Prepared], model: str, number: int, line: bytes) -> _Scored | _Issue:
    """Return the record of a row, or the issue with it; an invalid suite is an error instead."""
    response = usual_response(line, model)
    if response is None:
        ident, response, error = attempt(line, partial(response_in, model=model))
        if response is None:
            return _Issue(number, BAD, {"id": ident, "why": error})
    prepared = find()
    if response.sample not in prepared or response.text is None:
        details = {"id": response.sample, "model": response.model, "epoch": response.epoch}
        if response.text is None:
            details |= _why(line)
        return _Issue(number, UNKNOWN if response.sample not in prepared else NULL, details)
    status, record = prepared[response.sample].line(response)
    return _Scored(number, response.sample, response.model, response.epoch, status, record)


def _why(line: bytes) -> Row:
    """Return the reason for a missing response, if the row gives one."""
    why = decode_row(line).get("why")
    return {"why": why} if isinstance(why, str) and why else {}


@lru_cache(maxsize=2)
def _opened(path: str, sha256: str, planning: Planning | None) -> Prepared:
    suite = Suite.load(path)
    if suite.sha256 != sha256:
        raise ProblemError("the suite was changed while it was scored", file=path)
    return Prepared(suite, planning)
