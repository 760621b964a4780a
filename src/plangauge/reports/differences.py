"""Any number of models on the same questions: a matrix of differences for each task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.text import Explained, Line
from plangauge.reports.collect import collect
from plangauge.reports.comparison import (
    COLUMNS,
    Compared,
    Comparison,
    chosen_models,
    compare_pairs,
    flat,
    score_text,
)
from plangauge.reports.scores import Choice
from plangauge.reports.sheets import Sheet, Table, html, latex, markdown, separated, write_as
from plangauge.reports.tables import interval
from plangauge.scoring.records import Run
from plangauge.statistics import ALPHA, LEVEL, POWER
from plangauge.suites.files import as_page

_ALL = Choice()

NOTES = (
    "each number: the mean of the row's model less the column's, on the questions both were asked",
    f"* or bold: shown, at {ALPHA} with Holm's adjustment for all pairs and all rows of a kind",
)


@dataclass(frozen=True)
class Differences(Explained):
    """The comparisons of all pairs of models that share questions."""

    models: list[str]
    comparisons: list[Comparison]

    def lines(self) -> Iterator[Line]:
        """Yield what each comparison says."""
        return chain.from_iterable(each.lines() for each in self.comparisons)

    def as_dict(self, *, pairs: bool = False) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return {
            "models": self.models,
            "level": LEVEL,
            "alpha": ALPHA,
            "power": POWER,
            "comparisons": [each.as_dict(pairs=pairs) for each in self.comparisons],
        }


def differences(runs: Sequence[Run], choice: Choice = _ALL) -> Differences:
    """Return how the chosen models of some runs differ, pair by pair.

    Raises what `collect` and `compare_pairs` raise, and `ProblemError` for fewer than two models.
    """
    scores = collect(runs, choice, questions=True)
    models = chosen_models(scores, choice)
    if len(models) < 2:
        there = ", ".join(models) or "none"
        raise ProblemError(f"it takes two models to compare; there are: {there}")
    return Differences(models, compare_pairs(scores, [*combinations(models, 2)]))


def sheets(found: Differences, *, intervals: bool = True) -> list[Sheet]:
    """Return a triangle for each task and score; what is shown is in bold, or has a star."""
    rows: dict[tuple[str, str], dict[tuple[str, str], Compared]] = {}
    for each in found.comparisons:
        for row in each.rows:
            rows.setdefault((row.task, score_text(row)), {})[each.one, each.other] = row
    remarks = dict.fromkeys(text for each in found.comparisons for text in each.remarks)
    return [
        _sheet(found.models, f"{task}, {score}", own, [*remarks, *NOTES], intervals=intervals)
        for (task, score), own in rows.items()
    ]


def _sheet(
    models: Sequence[str],
    title: str,
    rows: dict[tuple[str, str], Compared],
    notes: Sequence[str],
    *,
    intervals: bool,
) -> Sheet:
    best, lines = set(), []
    for place, one in enumerate(models[:-1]):
        line = [one]
        for at, other in enumerate(models[1:], start=1):
            row = rows.get((one, other))
            told = "" if at <= place else "–" if row is None else f"{row.difference:+.3f}"
            if row is not None and intervals:
                told += f" {interval(row.low, row.high)}"
            if row is not None and row.winner:
                best.add((place, at))
                told += "" if intervals else "*"
            line.append(told)
        lines.append(line)
    return Sheet(title, [title, *models[1:]], lines, [title], notes, best=best)


def write_differences(found: Differences, path: str | Path, *, raw: bool = False) -> None:
    """Write the matrices to a file; the ending of its name says in which of the `FORMATS`.

    Those for machines have a row for each pair, task and score. It appears only when it is
    complete. Raises `ProblemError` for another ending or where nothing can be written.
    """
    write_as(path, FORMATS, found, raw=raw)


def _table(found: Differences) -> Table:
    rows = ([each.one, each.other, *flat(row)] for each in found.comparisons for row in each.rows)
    return ["one", "other", *COLUMNS], rows


FORMATS: dict[str, Callable[..., bytes]] = {
    **separated(_table),
    ".json": lambda found: as_page(found.as_dict(pairs=True)),
    ".md": lambda found: b"\n".join(map(markdown, sheets(found))),
    ".tex": lambda found: b"\n".join(map(latex, sheets(found))),
    ".html": lambda found: html(*sheets(found)),
}
"""Ending of a file's name → what writes the matrices so; only .json has the pairs."""
