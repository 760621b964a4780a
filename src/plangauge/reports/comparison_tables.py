"""The comparison of two models as a file: rounded for people, with every digit for machines."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from plangauge.reports.cells import INTERVAL, number
from plangauge.reports.comparison import RIGHT, Compared, Comparison
from plangauge.reports.notes import gathered
from plangauge.reports.scales import scale_of
from plangauge.reports.sheets import (
    Sheet,
    as_separated,
    for_people,
    format_of,
)
from plangauge.statistics import ALPHA, LEVEL, POWER
from plangauge.suites.files import as_page, new_file

TEXTS = ("task", "score", "verdict")
"""The columns that are texts; all others are numbers."""

NOTES = (
    "problems: only questions that both were asked; several answers to one count as their mean",
    f"difference: the first model less the second, with its {LEVEL:.0%} interval",
    "↓ marks scores of which less is better",
    "Holm: p adjusted for all rows of graded scores, or for all rows of what is right",
    "effect: Cohen's d of paired samples, or the odds ratio (OR) of pairs that differ",
    f"detectable: the smallest difference that would have been found with {POWER:.0%} power",
    f"… at {ALPHA} divided by the rows of a kind, if differences vary as here; – if shown",
    f"a difference is called shown where Holm is at most {ALPHA}",
    "intervals are of each row alone, not adjusted; where they disagree, the test decides",
)


def write_comparison(found: Comparison, path: str | Path) -> None:
    """Write the table to a file; the ending of its name says in which of the `FORMATS`.

    It appears only when it is complete. Raises `ProblemError` for another ending or where nothing
    can be written.
    """
    data = FORMATS[format_of(path, FORMATS)](found)
    with new_file(path) as file:
        file.write(data)


def sheet(found: Comparison, *, verdicts: bool = True) -> Sheet:
    """Return the table for people, with the verdict in words as its last column if wanted."""
    names = ["task", "score", "problems", found.one, found.other, "difference", INTERVAL]
    names += ["p", "Holm", "effect", "detectable", *(["verdict"] if verdicts else [])]
    rows = [[*_cells(row), *([row.verdict] if verdicts else [])] for row in found.rows]
    notes = [*_caveats(found), *found.remarks, *NOTES]
    return Sheet(f"{found.one} and {found.other}", names, rows, TEXTS, notes)


def _caveats(found: Comparison) -> list[str]:
    """Return what must be known about rows, each once with the tasks that it is about."""
    names = [f"{row.task} ({score_text(row)})" for row in found.rows]
    told = (
        (name, text) for name, row in zip(names, found.rows, strict=True) for text in row.caveats
    )
    return gathered(told, names)


def score_text(row: Compared) -> str:
    """Return what is compared, for people."""
    return RIGHT if row.kind == RIGHT else scale_of(row.score).text


def _cells(row: Compared) -> list[str]:
    asked = f"{row.problems:,}"
    interval = "–"
    if row.low is not None and row.high is not None:
        interval = f"[{number(row.low)}, {number(row.high)}]"
    return [
        row.task, score_text(row),
        asked if row.n == row.problems else f"{asked} ({row.n:,} questions)",
        number(row.mean_one), number(row.mean_other), f"{row.difference:+.3f}", interval,
        _chance(row.p), _chance(row.holm), _effect(row),
        number(None if row.winner else row.detectable),
    ]  # fmt: skip


def _chance(value: float) -> str:
    """Return a probability as text.

    >>> _chance(0.04), _chance(0.0004)
    ('0.040', '<0.001')
    """
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _effect(row: Compared) -> str:
    if row.effect is None:
        return "–"
    return f"{'OR' if row.effect_name == 'odds ratio' else 'd'} {row.effect:.2f}"


def _flat(row: Compared) -> list[Any]:
    values = row.as_dict()
    values["caveats"] = "; ".join(row.caveats)
    return [values[name] for name in _COLUMNS]


_COLUMNS = [part.name for part in fields(Compared) if part.name != "pairs"]


def _csv(found: Comparison) -> bytes:
    return _separated(found, ",")


def _tsv(found: Comparison) -> bytes:
    return _separated(found, "\t")


def _separated(found: Comparison, delimiter: str) -> bytes:
    names = ["one", "other", *_COLUMNS]
    rows = ([found.one, found.other, *_flat(row)] for row in found.rows)
    return as_separated(names, rows, delimiter)


def _json(found: Comparison) -> bytes:
    return as_page(found.as_dict(pairs=True))


FORMATS = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".json": _json,
    **for_people(sheet),
}
"""Ending of a file's name → what writes the table so; only .json has the pairs."""
