"""How scores depend on the size of a problem, with the interval of each mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plangauge.core.errors import ProblemError
from plangauge.reports.figures import Frame, Look, boards, grid, line_legend, line_look
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import Group, Scores
from plangauge.statistics import mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

BY = ("model", "task")
MOST_POINTS = 12
"""If a panel has more different sizes than this, neighbouring ones are taken together."""

_MOST_BANDS = 3
"""With more lines than these, bands would hide each other: intervals are then bars only."""

_HOLLOW: dict[str, Any] = {"linestyle": "", "markerfacecolor": "white", "markeredgewidth": 0.9}
"""How the mean of a single problem is drawn, which has no interval."""

LABELS = {
    "objects": "number of objects",
    "length": "length of the reference plan",
    "cost": "cost of the reference plan",
    "actions": "number of actions in the question",
    "truth": "size of the true answer",
    "changed": "number of changed facts",
}


@dataclass(frozen=True)
class Point:
    """The mean score of the problems whose size is from ``least`` to ``most``."""

    size: float
    """The mean size of the records."""
    least: float
    most: float
    n: int
    problems: int
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Curve:
    """One line of the figure."""

    row: str
    column: str
    score: str
    points: list[Point]


@dataclass(frozen=True)
class Curves:
    """The numbers of the figure."""

    size: str
    rows: list[str]
    columns: list[str]
    curves: list[Curve]


def numbers(scores: Scores, by: Sequence[str] = BY, size: str = "objects") -> Curves:
    """Return the means by size; records of unknown size or score are left out.

    Raises `ProblemError` where none is left.
    """
    found = grid(scores, by)
    sizes: dict[str, list[NDArray[Any]]] = {}
    for (_, column), group in found.cells.items():
        sizes.setdefault(found.title(column), []).append(group.sizes[size])
    edges = {title: _edges(np.concatenate(own)) for title, own in sizes.items()}
    if not any(edges.values()):
        raise ProblemError(f"no record tells the {LABELS[size]}")
    curves = [
        Curve(row, title, column.score, _points(group, size, edges[title], column.score))
        for (row, column), group in found.cells.items()
        for title in [found.title(column)]
    ]
    columns = [*map(found.title, found.columns)]
    return Curves(size, found.rows, columns, [curve for curve in curves if curve.points])


def _edges(sizes: NDArray[Any]) -> list[tuple[float, float]]:
    """Return the first and the last size of each point."""
    different = np.unique(sizes[~np.isnan(sizes)]).tolist()
    if len(different) <= MOST_POINTS:
        return [(size, size) for size in different]
    least, most = different[0], different[-1]
    places = [
        min(int((s - least) / (most - least) * MOST_POINTS), MOST_POINTS - 1) for s in different
    ]
    found: dict[int, tuple[float, float]] = {}
    for size, place in zip(different, places, strict=True):
        found[place] = (found.get(place, (size, size))[0], size)
    return [*found.values()]


def _points(
    group: Group, size: str, edges: Sequence[tuple[float, float]], score: str
) -> list[Point]:
    values, problems, sizes = group.scores, group.problems, group.sizes[size]
    points = []
    for least, most in edges:
        chosen = (sizes >= least) & (sizes <= most) & ~np.isnan(values)
        found = mean(values[chosen], problems[chosen], bounds=scale_of(score).bounds)
        if found:
            middle = float(np.sort(sizes[chosen]).mean())
            points.append(Point(middle, least, most, found.n, found.clusters, found.value,
                                found.low, found.high))  # fmt: skip
    return points


def draw(found: Curves, look: Look) -> Figure:
    """Return the figure: a panel for each column, in it a line and a band for each row."""
    scores = list(dict.fromkeys(scale_of(curve.score).text for curve in found.curves))
    legend = line_legend(found.rows)
    alone = [_alone()] if any(p.low is None for c in found.curves for p in c.points) else []
    shown = [*(legend if len(legend) > 1 else ()), *alone]
    (board,) = boards(look, Frame([""], found.columns, 2.1, 1.7, shown))
    apart = _apart(found) if len(found.rows) > _MOST_BANDS else 0.0
    for curve in found.curves:
        ax = board.panel("", curve.column, LABELS[found.size])
        place = found.rows.index(curve.row)
        shift = apart * (place - (len(found.rows) - 1) / 2)
        _line(ax, curve, line_look(place), shift, banded=not apart)
        if len(scores) > 1:
            ax.set_ylabel(f"mean {scale_of(curve.score).text}")
    return board.finish(f"mean {scores[0]}" if len(scores) == 1 else "")


def _alone() -> Line2D:
    """Return the entry of the legend for points without an interval."""
    from matplotlib.lines import Line2D

    like = {**_HOLLOW, "marker": "o", "markeredgecolor": "black"}
    return Line2D([], [], label="hollow: one problem, no interval", **like)


def _apart(found: Curves) -> float:
    """Return by how much lines are shifted so that their intervals are not one above the other."""
    sizes: dict[str, set[float]] = {column: set() for column in found.columns}
    for curve in found.curves:
        sizes[curve.column].update(point.least for point in curve.points)
    gaps = [b - a for own in sizes.values() for a, b in pairwise(sorted(own))]
    return 0.5 * min(gaps, default=1.0) / len(found.rows)


def _line(ax: Axes, curve: Curve, like: dict[str, Any], shift: float, *, banded: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    points = curve.points
    sizes = [point.size + shift for point in points]
    low = [nan if point.low is None else point.low for point in points]
    high = [nan if point.high is None else point.high for point in points]
    colour = like["color"]
    ax.plot(sizes, [point.mean for point in points], **like)
    alone = [(size, p.mean) for size, p in zip(sizes, points, strict=True) if p.low is None]
    if alone:
        ax.plot(*zip(*alone, strict=True), **{**like, **_HOLLOW, "markeredgecolor": colour})
    ax.vlines(sizes, low, high, color=colour, linewidth=0.6)
    if banded:  # between two points without interval there is no band, not one of no width
        ax.fill_between(sizes, low, high, color=colour, alpha=0.13, linewidth=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ax.yaxis.grid(True)
    if scale_of(curve.score).unit:
        ax.set_ylim(-0.03, 1.03)
