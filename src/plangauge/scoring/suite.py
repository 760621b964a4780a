"""Scoring the responses to a suite: a record for each, and a list of issues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeAlias

from plangauge.core.errors import Error, ProblemError
from plangauge.scoring.journal import Journal, Part, opened
from plangauge.scoring.one_response import DUPLICATE, NULL, Issue, Scored, score_line
from plangauge.scoring.one_response import opened as opened_suite
from plangauge.scoring.policy import Policy
from plangauge.scoring.prepared import Prepared
from plangauge.scoring.records import COLUMNS, MISSING, RECORDS, RUN, TABLE, Response, Run
from plangauge.scoring.responses import is_parquet, response_lines
from plangauge.scoring.run_manifest import Place, Tally
from plangauge.scoring.stream import Row, decode_row, stream
from plangauge.suites import Suite, parquet
from plangauge.suites.files import sha256_of

_STEP = 64
"""Rows between two reports of progress."""

Format: TypeAlias = Literal["auto", "jsonl", "parquet", "both"]
Lines: TypeAlias = Callable[[Path], AbstractContextManager[Iterable[bytes]]]
"""Opens a file as rows, one line of JSON for each."""


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
        self.tally = Tally(suite, policy)
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
            self.tally.ask(model, 1)

    def missing(self) -> None:
        """List the samples to which a model has not responded, and score them if asked to."""
        self.journal.checkpoint(self.rows, now=True)
        scored = self.policy.missing == "score"
        for details in self.tally.unanswered():
            ident, model, epoch = details.values()
            self._remark(MISSING, Place(), details, scored)
            if scored:
                response = Response(ident, None, model, epoch)
                self._record(model, *self.prepared.line(response))

    def manifest(self, files: list[dict[str, str]]) -> dict[str, Any]:
        """Return the contents of the manifest."""
        responses = [{**file, "rows": rows} for file, rows in zip(files, self.rows, strict=True)]
        return self.tally.manifest(responses)

    def _recall(self) -> None:
        """Restore what was seen and counted from the files of a resumed run."""
        for row in _lines(self.journal.records):
            self.tally.respond(row["sample"], row["model"], row["epoch"])
            self.tally.record(row["model"], row["status"])
        for row in _lines(self.journal.issues):
            self.tally.issues[row["kind"]] += 1
            if row["kind"] == NULL:
                self.tally.ask(row["model"], row["epoch"])

    def _score(self, path: Path, model: str) -> None:
        """Score the rows of a file that have not been scored yet."""
        find: Callable[[], Prepared] = partial(getattr, self, "prepared")
        if self.options.jobs > 1:
            which = str(self.suite.path), self.suite.sha256
            find = partial(opened_suite, *which, self.policy.progress)
        work = partial(score_line, find, model)
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

    def _row(self, row: Scored | Issue, file: str) -> None:
        place = Place(file, row.row)
        if isinstance(row, Issue):
            if row.kind == NULL:  # the model exists; with an unknown sample it may not
                self.tally.ask(row.details["model"], row.details["epoch"])
            self._remark(row.kind, place, row.details, False)
            return
        duplicate, recorded = self.tally.respond(row.sample, row.model, row.epoch)
        if duplicate:
            details = {"id": row.sample, "model": row.model, "epoch": row.epoch}
            self._remark(DUPLICATE, place, details, recorded)
        if recorded:
            self._record(row.model, row.status, row.record)

    def _record(self, model: str, status: str, record: bytes) -> None:
        self.tally.record(model, status)
        self.journal.records.write(record)

    def _remark(self, kind: str, place: Place, details: Row, scored: bool) -> None:
        self.journal.issues.write(self.tally.issue(kind, place, details, scored=scored))


def _lines(part: Part) -> Iterator[Row]:
    """Yield the objects in the written part of a file of JSON lines."""
    with part.path.open("rb") as lines:
        while lines.tell() < part.size:
            yield decode_row(lines.readline())
