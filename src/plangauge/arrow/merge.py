"""Completing a run in parts: what concerns all of them together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import BytesIO
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from plangauge.arrow.functions import record_or_error
from plangauge.arrow.partitions import ROWS, Part, Responses, model_of, parquet_bytes, table_bytes
from plangauge.arrow.places import Place
from plangauge.scoring.one_response import DUPLICATE, NULL, Prepared, Scored
from plangauge.scoring.records import ISSUES, MISSING, Response
from plangauge.scoring.run_manifest import Place as RowPlace
from plangauge.scoring.run_manifest import Policy, Tally
from plangauge.scoring.stream import Row
from plangauge.suites import Suite

_KEYS = ["sample", "model", "epoch", "status"]


def merged(
    output: Place, suite: Suite, policy: Policy, files: list[Responses], parts: list[Part]
) -> dict[str, Any]:
    """Return the manifest of a run whose parts are all scored, after writing what it lacks.

    That is ``remarks.jsonl`` and the records of missing responses; parts with duplicates are
    written again without them. Doing so twice gives the same. Raises `ProblemError` for any issue
    if the policy is strict.
    """
    with (output / ISSUES).writing() as file:
        merge = _Merge(output, Tally(suite, policy), _HashingFile(file))
        for place in (each for each in files if not each.rows):
            merge.tally.ask(model_of(place.file, policy.model), 1)
        for part in parts:
            merge.part(part)
        merge.missing(len(parts))
        merge.sums[ISSUES] = merge.remarks.hash.hexdigest()
    responses = [each.identity() | merge.hashes.get(each.file, {}) for each in files]
    return merge.tally.manifest(responses) | {"sha256": merge.sums}


class _HashingFile:
    """A file that is being written, and the hash of its contents."""

    def __init__(self, file: Any) -> None:
        self.file, self.hash = file, sha256()

    def write(self, data: bytes) -> None:
        self.file.write(data)
        self.hash.update(data)


class _Merge:
    def __init__(self, output: Place, tally: Tally, remarks: _HashingFile) -> None:
        self.output, self.tally, self.remarks = output, tally, remarks
        self.sums: dict[str, str] = {}
        self.hashes: dict[str, dict[str, str]] = {}
        """File of responses → its SHA-256, where it is known."""

    def part(self, part: Part) -> None:
        """Count the records and issues of a part, and remove duplicates from it."""
        head, *lines = (self.output / part.known).read().splitlines()
        known, issues = json.loads(head), {row["row"]: row for row in map(json.loads, lines)}
        if "file_sha256" in known:
            self.hashes[part.file] = {"sha256": known["file_sha256"]}
        untouched = self.output / part.untouched
        changed = untouched.exists()
        records = _keys_of(untouched if changed else self.output / part.table)
        recorded = [*self._recorded(part, records, issues)]
        digest = known["sha256"]
        if not all(recorded):
            if not changed:
                untouched.write((self.output / part.table).read())
            table = parquet.read_table(BytesIO(untouched.read()))
            data = parquet_bytes(table.filter(pa.array(recorded)))
            (self.output / part.table).write(data)
            digest = sha256(data).hexdigest()
        self.sums[part.table] = digest

    def _recorded(
        self, part: Part, records: Iterator[Row], issues: Mapping[int, Row]
    ) -> Iterator[bool]:
        """Yield whether each record of a part stays, and list the issues among its rows."""
        tally, name = self.tally, PurePosixPath(part.file).name
        for number in range(part.first + 1, part.first + part.rows + 1):
            place, issue = RowPlace(name, number), issues.get(number)
            if issue is not None:
                details = issue["details"]
                if issue["kind"] == NULL:
                    tally.ask(details["model"], details["epoch"])
                self.remarks.write(tally.issue(issue["kind"], place, details, scored=False))
                continue
            sample, model, epoch, status = next(records).values()
            duplicate, stays = tally.respond(sample, model, epoch)
            if duplicate:
                details = {"id": sample, "model": model, "epoch": epoch}
                self.remarks.write(tally.issue(DUPLICATE, place, details, scored=stays))
            if stays:
                tally.record(model, status)
            yield stays

    def missing(self, number: int) -> None:
        """Write the records of missing responses, in parts from this number on."""
        records = self._missing()
        while True:
            part = Part(number, "", 0, 0)
            data, count = table_bytes(islice(records, ROWS))
            if not count:
                return
            (self.output / part.table).write(data)
            self.sums[part.table] = sha256(data).hexdigest()
            number += 1

    def _missing(self) -> Iterator[Row]:
        tally, policy = self.tally, self.tally.policy
        prepared, scored = Prepared(tally.suite, policy.progress), policy.missing == "score"
        for details in tally.unanswered():
            self.remarks.write(tally.issue(MISSING, RowPlace(), details, scored=scored))
            if scored:
                ident, model, epoch = details.values()
                status, record = prepared.line(Response(ident, None, model, epoch))
                tally.record(model, status)
                yield dict(record_or_error(Scored(0, ident, model, epoch, status, record)))


def _keys_of(place: Place) -> Iterator[Row]:
    """Yield sample, model, epoch and status of each record in a file; no other column is read."""
    with place.opened() as opened:
        for batch in parquet.ParquetFile(opened).iter_batches(columns=_KEYS):
            yield from batch.select(_KEYS).to_pylist()
