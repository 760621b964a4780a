"""Records of runs as a table on disk: small columns to choose by, all else stays in the run."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import isnan, nan
from pathlib import Path
from typing import Any

from plangauge.errors import ProblemError
from plangauge.records import COLUMNS, RECORDS, TABLE, Record, Run
from plangauge.reports.collect import OF_PROBLEM, SIZES
from plangauge.reports.names import model_labels, run_names
from plangauge.reports.outcomes import (
    GOAL_MISSED,
    INEXACT,
    NOT_JUDGED,
    NOT_OPTIMAL,
    RIGHT,
    UNREADABLE,
    binary_of,
)
from plangauge.reports.page.chosen import ChosenRun, Held, mark_of
from plangauge.reports.scores import Choice, Key, Scores
from plangauge.reports.view.query import MOST_ROWS, Order, Wanted, ordered, size_column
from plangauge.suites.parquet import one_file, require, write_parquet

MOST_NAMED = 20
"""So many records are offered where there is none of an address."""

_FETCHED = 10_000
_ALL = Choice()

_SOURCE = "read_parquet(?, hive_partitioning=false, file_row_number=true)"

_OUTCOME = f"""CASE
    WHEN status = 'missing' THEN 'missing'
    WHEN "right" = 1 THEN '{RIGHT}'
    WHEN fault = 'parsing' THEN '{UNREADABLE}'
    WHEN fault IS NOT NULL THEN fault
    WHEN valid = 0 THEN '{GOAL_MISSED}'
    WHEN "right" IS NULL THEN '{NOT_JUDGED}'
    WHEN valid IS NULL THEN '{INEXACT}'
    ELSE '{NOT_OPTIMAL}' END"""
"""As `plangauge.reports.outcomes.outcome` says it."""

_READABLE = r"""CREATE MACRO readable(told) AS CASE WHEN json_valid(told) THEN told
    ELSE regexp_replace(told,
      '((?:^|[^\\])(?:\\\\)*)(?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+', '\1�', 'g') END"""
"""JSON without halves of surrogate pairs, which DuckDB does not read."""

_INTEGERS = "('BIGINT', 'UBIGINT')"
_NUMBERS = "('BIGINT', 'UBIGINT', 'DOUBLE')"

_SIZED = ", ".join(
    f"CASE WHEN json_type(meta, '$.{key}') IN {_NUMBERS} "
    f"THEN (meta ->> '$.{key}')::DOUBLE END AS size_{name}"
    for name, key in SIZES.items()
)

_READ = f"""
    SELECT ?::BIGINT + file_row_number AS place, ?::INTEGER AS run, file_row_number AS line,
      sample, problem, domain, task, model, epoch, status, "primary", score, fault,
      map_extract(scores, binaries.name)[1] AS "right", binaries.name AS "binary",
      CASE WHEN len(map_extract(scores, 'valid')) > 0 THEN map_extract(scores, 'valid')[1]
           ELSE map_extract(scores, 'success')[1] END AS valid,
      CASE WHEN json_type(notes, '$.step') IN {_INTEGERS}
           THEN (notes ->> '$.step')::BIGINT END AS step,
      CASE WHEN json_type(notes, '$.message') = 'VARCHAR'
           THEN left(notes ->> '$.message', 300) ELSE '' END AS message,
      json_extract(meta, '$.baselines')::VARCHAR AS baselines, {_SIZED}
    FROM (SELECT * REPLACE (readable(notes) AS notes, readable(meta) AS meta) FROM {_SOURCE})
      AS source LEFT JOIN binaries ON binaries.of_task = task"""  # noqa: S608

_MAKE = f"""CREATE TABLE records AS
    SELECT read.* EXCLUDE (valid), labels.label, labels.suite, {_OUTCOME} AS outcome,
      row_number() OVER (
        PARTITION BY read.run, sample, read.model, epoch ORDER BY place) AS nth,
      lower(concat_ws(' ', sample, problem, label, task, replace(outcome, '_', ' '), outcome,
                      message)) AS words
    FROM read JOIN labels ON labels.run = read.run AND labels.model = read.model
    ORDER BY place"""  # noqa: S608

_ROW = (
    "place", "sample", "problem", "task", "domain", "label", "epoch", "nth", "outcome",
    "score", "primary", "step", "status", "suite",
)  # fmt: skip
"""What the list tells of a record."""
_SELECTED = ", ".join(f'"{name}"' for name in _ROW)


class Table:
    """The records of some runs, to be chosen from; ``records`` counts them.

    What must be read is ``records.parquet``; of a run without one, ``records.jsonl`` is written as
    Parquet into the ``folder``, where the table is made too. Raises `MissingExtra` without DuckDB,
    and `ProblemError` where a file cannot be read.
    """

    def __init__(self, runs: Sequence[Run], folder: Path) -> None:
        require()
        self.runs = runs
        self.names = run_names(runs)
        self.remarks: list[str] = []
        self.files = [self._file(number, run, folder) for number, run in enumerate(runs)]
        import duckdb

        settings: dict[str, Any] = {
            "autoinstall_known_extensions": False,
            "temp_directory": str(folder),
        }
        self.connection = duckdb.connect(str(folder / "records.duckdb"), config=settings)
        try:
            self.labels = self._make()
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            told = ", ".join(map(str, self.files))
            raise ProblemError(f"these are not records: {reason}", file=told) from None
        self.records = int(self._one("SELECT count(*) FROM records"))
        self._count = lru_cache(maxsize=256)(self._counted)

    def _file(self, number: int, run: Run, folder: Path) -> Path:
        if (run.path / TABLE).is_file():
            return run.path / TABLE
        self.remarks.append(
            f"{self.names[number]} has no {TABLE}: {RECORDS} is read, which takes longer to start"
        )
        file = folder / f"run{number}.parquet"
        write_parquet(run.path / RECORDS, file, COLUMNS)
        return file

    def _make(self) -> dict[tuple[int, str], str]:
        """Make the table; return what the models of the runs are called."""
        self._do(_READABLE)
        self._do("CREATE TABLE binaries (of_task VARCHAR, name VARCHAR)")
        tasks: set[str] = set()
        for file in self.files:
            query = f"SELECT DISTINCT task FROM {_SOURCE}"  # noqa: S608
            tasks.update(task for (task,) in self._do(query, one_file(file)).fetchall())
        for task in sorted(tasks):
            self._do("INSERT INTO binaries VALUES (?, ?)", task, binary_of(task))
        first = 0
        for number, file in enumerate(self.files):
            head = "INSERT INTO read" if number else "CREATE TABLE read AS"
            self._do(f"{head} {_READ}", first, number, one_file(file))
            first = int(self._one("SELECT count(*) FROM read"))
        query = "SELECT run, model FROM read GROUP BY run, model ORDER BY min(place)"
        labels = model_labels(self._do(query).fetchall(), self.names)
        self._do("CREATE TABLE labels (run INTEGER, model VARCHAR, label VARCHAR, suite VARCHAR)")
        chosen = self.chosen()
        for (run, model), label in labels.items():
            self._do("INSERT INTO labels VALUES (?, ?, ?, ?)", run, model, label, chosen[run].suite)
        self._do(_MAKE)
        self._do("DROP TABLE read")
        return labels

    def chosen(self, advance: Callable[[int], object] | None = None) -> list[TableRun]:
        """Return the runs as reports read them: only what tables and figures need."""
        told = enumerate(zip(self.runs, self.names, strict=True))
        return [
            TableRun(run.path, run.manifest, name, _ALL, None, self, number, advance or _nothing)
            for number, (run, name) in told
        ]

    def held(self) -> Held:
        """Return that everything is held, and how models are called."""
        return Held(self.records, self.records, frozenset(), self.labels)

    def listed(self, which: Wanted, order: Order, first: int, most: int) -> dict[str, Any]:
        """Return how many records are wanted, and some of them, in an order, as rows."""
        query = (
            f"SELECT {_SELECTED} FROM records WHERE {which.where} "  # noqa: S608
            f"ORDER BY {order.by} LIMIT ? OFFSET ?"
        )
        most = max(0, min(most, MOST_ROWS))
        found = self._do(query, *which.values, *order.values, most, max(0, first))
        rows = [dict(zip(_ROW, row, strict=True)) for row in found.fetchall()]
        return {"total": self._count(which), "rows": rows}

    def _counted(self, which: Wanted) -> int:
        query = f"SELECT count(*) FROM records WHERE {which.where}"  # noqa: S608
        return int(self._one(query, *which.values))

    def forget(self) -> None:
        """Forget what was counted before."""
        self._count.cache_clear()

    def find(self, sample: str, label: str, epoch: int, nth: int) -> dict[str, Any] | None:
        """Return the row of a record; None where there is none."""
        which = Wanted(
            "sample = ? AND label = ? AND epoch = ? AND nth = ?", (sample, label, epoch, nth)
        )
        rows = self.listed(which, ordered("", up=True), 0, 1)["rows"]
        return rows[0] if rows else None

    def named(self, place: str) -> list[dict[str, Any]]:
        """Return the rows of a place, SAMPLE/MODEL/EPOCH and /2 and so on, in plain letters."""
        which = Wanted(
            "starts_with(?, sample) AND concat_ws('/', sample, label, epoch, "
            "CASE WHEN nth > 1 THEN nth END) = ?", (place, place)
        )  # fmt: skip
        return self._some(which)

    def alike(self, place: str) -> list[dict[str, Any]]:
        """Return the rows of a place but for what the model is called: with its run, or without."""
        asked = re.fullmatch(r"(.*?)((?:/[0-9]+){1,2})", place, re.DOTALL)
        if asked is None:
            return []
        name, numbers = asked.groups()
        which = Wanted(
            "starts_with(?, concat(sample, '/', model)) AND concat_ws('/', '', epoch, "
            "CASE WHEN nth > 1 THEN nth END) = ? AND (concat(sample, '/', model) = ? OR "
            "label = model AND starts_with(?, concat(sample, '/', model, ' @ ')))",
            (name, numbers, name, name),
        )
        return self._some(which)

    def answers(self, place: str) -> list[dict[str, Any]]:
        """Return some rows about the samples that a place may name."""
        return self._some(Wanted("starts_with(?, sample || '/')", (place,)))

    def _some(self, which: Wanted) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.listed(which, ordered("", up=True), 0, MOST_NAMED)["rows"]
        return rows

    def others(self, place: int, most: int = MOST_ROWS) -> list[dict[str, Any]]:
        """Return the rows of the other records about the sample of one."""
        which = Wanted(
            "place != ? AND (suite, sample) = "
            "(SELECT (suite, sample) FROM records WHERE place = ?)",
            (place, place),
        )
        rows: list[dict[str, Any]] = self.listed(which, ordered("", up=True), 0, most)["rows"]
        return rows

    def record(self, place: int) -> tuple[int, Record]:
        """Return the number of the run and the whole record at a place."""
        found = self._do("SELECT run, line FROM records WHERE place = ?", place).fetchall()
        number, line = found[0]
        query = f"SELECT * EXCLUDE (file_row_number) FROM {_SOURCE} WHERE file_row_number = ?"  # noqa: S608
        read = self._do(query, one_file(self.files[number]), line)
        row = dict(zip((column[0] for column in read.description), read.fetchall()[0], strict=True))
        for name in ("read", "notes", "meta"):
            row[name] = None if row[name] is None else json.loads(row[name])
        return number, Record(**row)

    def names_of(self, column: str) -> list[str]:
        """Return what there is in a column of texts, sorted."""
        assert column in _ROW
        query = f'SELECT DISTINCT "{column}" FROM records ORDER BY 1'  # noqa: S608
        return [name for (name,) in self._do(query).fetchall()]

    def sizes(self) -> list[str]:
        """Return the sizes that any record tells."""
        counts = ", ".join(f"count(size_{name})" for name in SIZES)
        found = self._do(f"SELECT {counts} FROM records").fetchall()[0]  # noqa: S608
        return [name for name, count in zip(SIZES, found, strict=True) if count]

    def sized(self, scores: Scores, size: str) -> Scores:
        """Return scores, which `collect` has read from this table, with one of the `SIZES`."""
        groups = {
            key: replace(group, sizes=self._sizes_in(key, size))
            for key, group in scores.groups.items()
        }
        if size in OF_PROBLEM:
            least: dict[int, float] = {}
            for group in groups.values():
                for number, own in zip(group.problems, group.sizes, strict=True):
                    if not isnan(own):
                        least[number] = min(own, least.get(number, own))
            for group in groups.values():
                pairs = zip(group.sizes, group.problems, strict=True)
                told = (least.get(number, nan) if isnan(own) else own for own, number in pairs)
                group.sizes = array("d", told)
        return Scores(groups, scores.remarks)

    def _sizes_in(self, key: Key, size: str) -> array[float]:
        found = self._do(
            f"SELECT coalesce({size_column(size)}, 'nan'::DOUBLE) FROM records "  # noqa: S608
            'WHERE label = ? AND task = ? AND domain = ? AND "primary" = ? ORDER BY place', *key
        )  # fmt: skip
        return array("d", (own for (own,) in found.fetchall()))

    def shared(self, one: str, other: str, task: str, most: int) -> dict[str, Any]:
        """Return what two models scored on the same questions and epochs of a task.

        That is how many these are, how often each pair of scores is met, and the questions where
        they differ most.
        """
        both = (
            "FROM records AS one JOIN records AS other USING (suite, sample, epoch, task) "
            "WHERE one.label = ? AND other.label = ? AND task = ? AND one.nth = 1 "
            "AND other.nth = 1 AND one.score IS NOT NULL AND other.score IS NOT NULL"
        )
        values = one, other, task
        points = self._do(
            "SELECT round(one.score, 6) AS x, round(other.score, 6) AS y, count(*), "
            f'min(one."primary") {both} GROUP BY x, y ORDER BY x, y', *values
        ).fetchall()  # fmt: skip
        apart = self._do(
            "SELECT sample, suite, epoch, round(one.score, 6), round(other.score, 6) "
            f"{both} ORDER BY abs(one.score - other.score) DESC, one.place LIMIT ?", *values, most
        ).fetchall()  # fmt: skip
        return {
            "total": sum(count for _, _, count, _ in points),
            "score": points[0][3] if points else None,
            "points": [{"x": x, "y": y, "n": count} for x, y, count, _ in points],
            "apart": [
                {"sample": sample, "suite": mark_of(suite), "epoch": epoch, "x": x, "y": y}
                for sample, suite, epoch, x, y in apart
            ],
        }

    def rows_of(self, run: int) -> Iterator[tuple[Any, ...]]:
        """Yield what `TableRun` makes records of."""
        sizes = ", ".join(f"size_{name}" for name in SIZES)
        found = self._do(
            'SELECT sample, problem, domain, task, model, epoch, status, "primary", score, '  # noqa: S608
            f'"binary", "right", outcome, fault, step, baselines, {sizes} FROM records '
            "WHERE run = ? ORDER BY place", run
        )  # fmt: skip
        while rows := found.fetchmany(_FETCHED):
            yield from rows

    def close(self) -> None:
        """Let go of the files."""
        self.connection.close()

    def _do(self, query: str, *values: Any) -> Any:
        return self.connection.cursor().execute(query, [*values])

    def _one(self, query: str, *values: Any) -> Any:
        return self._do(query, *values).fetchall()[0][0]


@dataclass(frozen=True)
class TableRun(ChosenRun):
    """A run whose records are read from a table, with only what tables and figures need."""

    table: Table | None = field(default=None, repr=False)
    number: int = 0
    advance: Callable[[int], object] = field(default=lambda _: None, repr=False)

    def __iter__(self) -> Iterator[Record]:
        assert self.table is not None
        for count, row in enumerate(self.table.rows_of(self.number), start=1):
            if count % _FETCHED == 0:
                self.advance(_FETCHED)
            yield _record(row)


def _record(row: tuple[Any, ...]) -> Record:
    """Return a record that the reports count as they count the whole one."""
    sample, problem, domain, task, model, epoch, status, primary, score = row[:9]
    binary, right, became, fault, step, baselines, *sizes = row[9:]
    scores: dict[str, float | None] = {primary: score}
    if right is not None:
        scores[binary] = right
    if became in (GOAL_MISSED, NOT_OPTIMAL):
        scores.setdefault("valid", float(became == NOT_OPTIMAL))
    meta: dict[str, Any] = {
        key: size for key, size in zip(SIZES.values(), sizes, strict=True) if size is not None
    }
    if baselines is not None:
        meta["baselines"] = json.loads(baselines)
    return Record(
        sample, problem, domain, task, model, epoch, status, None, primary, score, scores, fault,
        None, {} if step is None else {"step": step}, meta,
    )  # fmt: skip


def _nothing(count: int) -> None:
    del count


def of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the list as the page takes it."""
    score = None if row["score"] is None else round(row["score"], 6)
    return {**row, "score": score, "suite": mark_of(row["suite"])}
