"""The overview in words: the headings of the table, and the rounded text in each cell."""

from __future__ import annotations

from plangauge.reports.overview import Overview, Row
from plangauge.statistics import LEVEL

TEXTS = ("model", "task", "domain", "score", "faults")
"""The columns that are texts; all others are numbers."""

INTERVAL = f"{LEVEL:.0%} interval"
_SHARES = {name: name for name in ("right", "exact", "near", "far", "missing", "uncertain")} | {
    "unread": "unreadable",
    "sure right": "right_certain",
}
_MEANS = {"mean": "mean", "sure mean": "mean_certain"}
_SHOWN_FAULTS = 2


def headings(table: Overview) -> list[str]:
    """Return the headings of what was measured; a column that would say nothing is left out."""
    missing = ["missing"] if any(row.missing for row in table.rows) else []
    faults = ["faults"] if any(row.faults for row in table.rows) else []
    shares = ["right", "exact", "near", "far", "unread"]
    doubt = ["uncertain", "sure mean", "sure right"] if table.uncertain else []
    return ["score", "n", "problems", "mean", INTERVAL, *shares, *missing, *doubt, *faults]


def cell(row: Row, heading: str) -> str:
    """Return what stands under a heading, or under the name of a part that rows are grouped by."""
    if heading in _SHARES:
        return percent(getattr(row, _SHARES[heading]))
    if heading == "n" and row.scored < row.n:
        return f"{row.scored:,} of {row.n:,}"
    if heading in ("n", "problems"):
        return f"{getattr(row, heading):,}"
    if heading in _MEANS:
        return number(getattr(row, _MEANS[heading]))
    if heading == INTERVAL:
        return "–" if row.low is None else f"[{number(row.low)}, {number(row.high)}]"
    if heading == "score":
        return f"{row.label} ↓" if row.better == "lower" else row.label
    return _faults(row) if heading == "faults" else str(getattr(row, heading))


def number(value: float | None) -> str:
    """Return a score as text, with three digits after the point.

    >>> number(0.25)
    '0.250'
    """
    return "–" if value is None else f"{value:.3f}"


def percent(value: float | None) -> str:
    """Return a share as text; only nothing is 0%, and only all is 100%.

    >>> percent(7 / 501), percent(0.0001), percent(0.9999)
    ('1.4%', '<0.1%', '>99.9%')
    """
    if value is None:
        return "–"
    if 0 < value < 0.0005 or 0.9995 <= value < 1:
        return "<0.1%" if value < 0.5 else ">99.9%"
    return f"{value:.1%}"


def _faults(row: Row) -> str:
    """Return the commonest faults."""
    shown = [f"{name.replace('_', ' ')} {count:,}" for name, count in row.faults.items()]
    more = [f"{len(shown) - _SHOWN_FAULTS} more"] if len(shown) > _SHOWN_FAULTS + 1 else []
    return ", ".join([*shown[:_SHOWN_FAULTS], *more] if more else shown)
