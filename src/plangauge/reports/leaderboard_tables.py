"""A leaderboard as a file: for papers with the best in bold, for machines with every digit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from plangauge.core.text import number as number_text
from plangauge.reports.leaderboard import Leaderboard
from plangauge.reports.names import without_version
from plangauge.reports.outcomes import OUTCOMES
from plangauge.reports.overview import POOLED
from plangauge.reports.scales import scale_of
from plangauge.reports.sheets import (
    Sheet,
    html,
    latex,
    markdown,
    parquet,
    separated,
    write_as,
)
from plangauge.reports.standings import Ranking, Standing
from plangauge.reports.standings_text import measure_text, number
from plangauge.statistics import LEVEL
from plangauge.suites.files import as_page

COLUMNS = {
    "measure": "VARCHAR", "model": "VARCHAR", "ranked": "BOOLEAN",
    "rank_low": "BIGINT", "rank_high": "BIGINT", "task": "VARCHAR", "domain": "VARCHAR",
    "value": "DOUBLE", "low": "DOUBLE", "high": "DOUBLE", "n": "BIGINT", "problems": "BIGINT",
    "worst": "DOUBLE", "best": "DOUBLE", "right": "DOUBLE", "answers": "BIGINT",
    "uncertain": "DOUBLE", "unreadable": "DOUBLE", "missing": "DOUBLE",
    **{f"outcome_{name.replace(' ', '_')}": "DOUBLE" for name in OUTCOMES},
}  # fmt: skip
"""The columns for machines, and the type of each in SQL.

A model has a row for its mean, of which task and domain are *(all)*, and one for each cell; where
secondary scores were asked for also one for each of them, which is their ``measure``.
"""
_OF_CELLS = ("task", "domain", "value", "low", "high", "n", "problems")


def write_leaderboard(found: Leaderboard, path: str | Path, *, raw: bool = False) -> None:
    """Write the leaderboard to a file; the ending of its name says in which of the `FORMATS`.

    It appears only when it is complete. ``raw`` leaves texts in .csv and .tsv as they are, even
    where a spreadsheet takes them for formulas. Raises `ProblemError` for another ending or where
    nothing can be written, `MissingExtra` for Parquet without DuckDB.
    """
    write_as(path, FORMATS, found, raw=raw)


def sheets(found: Leaderboard) -> list[Sheet]:
    """Return a table for each ranking."""
    return [_sheet(each, found.remarks) for each in found.rankings]


def _sheet(found: Ranking, remarks: Sequence[str]) -> Sheet:
    rows = [*found.rows, *found.references]
    columns = found.columns if len(found.columns) > 1 else []
    several = len({task for task, _ in columns}) > 1
    cells = [f"{without_version(task)}, {name}" if several else name for task, name in columns]
    beside = found.secondary
    tasks = {task for task, _ in beside}
    labels = [
        f"{without_version(task)}, {scale_of(name).text}" if len(tasks) > 1 else scale_of(name).text
        for task, name in beside
    ]
    measure = measure_text(found) + (" (%)" if found.binary else "")
    doubted = any(row.uncertain for row in rows)
    names = ["rank", "model", "n", measure, f"{LEVEL:.0%} interval"]
    names += ["if uncertain wrong–right"] if doubted else []
    values = [[row.value, *(_value(row, *column) for column in columns)] for row in rows]
    texts = []
    for row, (value, *own) in zip(rows, values, strict=True):
        line = [row.ranks or "–", row.model, f"{row.n:,}", number(found, value)]
        line += [_interval(found, row.low, row.high)]
        line += [_interval(found, *sorted((row.worst, row.best)))] if doubted else []
        line += [number(found, each) for each in own]
        texts.append(line + [number_text(row.secondary.get(t, {}).get(n)) for t, n in beside])
    places = [3, *range(len(names), len(names) + len(cells))]
    return Sheet(
        f"Leaderboard, {measure_text(found)}", [*names, *cells, *labels], texts, ("model", "rank"),
        [*found.sentences, *remarks, *found.remarks], definitions=definitions(found),
        best=_best(found, [line[: len(places)] for line in values], places),
        second=len(found.rows) if found.references else None,
        over=[("", len(names)), *_over(columns), *([("", len(beside))] if beside else [])]
        if several else (),
    )  # fmt: skip


def _over(columns: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
    return [
        (without_version(task), len([*own]))
        for task, own in groupby(columns, lambda column: column[0])
    ]


def definitions(found: Ranking) -> list[str]:
    """Return what the columns mean."""
    mean = {
        "questions": "over all questions",
        "tasks": "of the means of the tasks",
        "domains": "of the means of the domains",
    }
    return [
        f"mean: {mean[found.mean]}; its {LEVEL:.0%} interval is clustered by problem",
        "rank: from 1 + how many models test better, to all models less those that test worse",
        "tests: all pairs, each on the questions both models were asked, with Holm's correction",
    ]


def _value(row: Standing, task: str, domain: str) -> float | None:
    cell = row.cell(task, domain)
    return None if cell is None else cell.value


def _interval(found: Ranking, low: float | None, high: float | None) -> str:
    return "–" if low is None else f"[{number(found, low)}, {number(found, high)}]"


def _best(
    found: Ranking, values: Sequence[Sequence[float | None]], places: Sequence[int]
) -> set[tuple[int, int]]:
    """Return where the best of the ranked models stand, as they are shown."""
    choose: Callable[[Iterable[float]], float] = min if found.better == "lower" else max
    best = set()
    for place, column in zip(places, zip(*values[: len(found.rows)], strict=True), strict=True):
        known = [value for value in column if value is not None]
        shown = number(found, choose(known)) if known else ""
        best |= {(row, place) for row, value in enumerate(column) if number(found, value) == shown}
    return best


def _rows(found: Leaderboard) -> Iterable[dict[str, Any]]:
    for ranking in found.rankings:
        for row in (*ranking.rows, *ranking.references):
            about = {"measure": ranking.measure, "model": row.model}
            values = {name: getattr(row, name, None) for name in COLUMNS}
            shares = {
                f"outcome_{name.replace(' ', '_')}": row.outcomes.get(name, 0.0)
                for name in OUTCOMES
            }
            ranked = row.rank_low is not None
            yield values | about | shares | {"ranked": ranked, "task": POOLED, "domain": POOLED}
            for task, means in row.secondary.items():
                for name, mean in means.items():
                    own = {"measure": name, "ranked": False, "task": task, "domain": POOLED}
                    yield {**dict.fromkeys(COLUMNS), **about, **own, "value": mean}
            for cell in row.cells:
                own = {name: getattr(cell, name) for name in _OF_CELLS}
                yield {**dict.fromkeys(COLUMNS), **about, "ranked": ranked, **own}


FORMATS: dict[str, Callable[..., bytes]] = {
    **separated(lambda found: (COLUMNS, (row.values() for row in _rows(found)))),
    ".json": lambda found: as_page(found.as_dict()),
    ".md": lambda found: b"\n".join(map(markdown, sheets(found))),
    ".tex": lambda found: b"\n".join(map(latex, sheets(found))),
    ".html": lambda found: html(*sheets(found)),
    ".parquet": lambda found: parquet(COLUMNS, _rows(found)),
}
"""Ending of a file's name → what writes the leaderboard so."""
