"""Records by rows and columns, the frame of every figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plangauge.errors import ProblemError
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import PARTS, Group, Scores


class Column(NamedTuple):
    """What a column is about; different scores are never in the same one."""

    name: str
    score: str


@dataclass(frozen=True)
class Grid:
    """Groups of records by row and column; not every place need be taken."""

    rows: list[str]
    columns: list[Column]
    cells: dict[tuple[str, Column], Group]

    def title(self, column: Column) -> str:
        """Return what a column is called: with the score where that is needed to tell it."""
        twins = [each for each in self.columns if each.name == column.name]
        if len(twins) == 1 and column.name:
            return column.name
        return f"{column.name} {scale_of(column.score).label}".lstrip()


def grid(scores: Scores, by: Sequence[str]) -> Grid:
    """Return the records with the first part of ``by`` as rows and the second, if any, as columns.

    Raises `ProblemError` where there are no records, or it cannot be grouped so.
    """
    if not 1 <= len(by) <= 2 or len(set(by)) < len(by) or not set(by) <= set(PARTS):
        told = f"give one or two of {', '.join(PARTS)}"
        raise ProblemError(f"a figure cannot be grouped by {', '.join(by)!r}: {told}")
    if not scores.groups:
        raise ProblemError("there are no records to draw")
    cells = {
        (getattr(key, by[0]), Column(getattr(key, by[1]) if len(by) > 1 else "", key.score)): group
        for key, group in scores.pooled(by)
    }
    rows, names = scores.names(by[0]), scores.names(by[1]) if len(by) > 1 else [""]
    order = {name: place for place, name in enumerate(names)}
    columns = sorted(dict.fromkeys(column for _, column in cells), key=lambda c: order[c.name])
    return Grid(rows, columns, cells)
