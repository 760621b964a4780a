"""The kinds of figures, and how one is made: its numbers first, then the drawing of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plangauge.reports.collect import collect
from plangauge.reports.figures import FORMATS, Look, render, style
from plangauge.reports.scores import Choice, Scores
from plangauge.reports.sheets import format_of
from plangauge.scoring.records import Run
from plangauge.suites.files import new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    "ranking": "ranking",
    "histogram": "histogram",
    "by-size": "by_size",
    "faults": "faults",
    "tasks": "correlations",
}
"""Kind of figure → the module that makes it."""

_ALL = Choice()


@dataclass(frozen=True)
class Chart:
    """The numbers of a figure, ready to be drawn."""

    kind: str
    numbers: Any
    title: str
    """What all its records have in common."""
    remarks: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values for JSON."""
        return {"kind": self.kind, "remarks": self.remarks, **asdict(self.numbers)}

    def write(self, path: str | Path, look: Look | None = None) -> None:
        """Draw the figure to a file; the ending of its name says in which of the `FORMATS`.

        The same numbers give the same bytes, with the same version of matplotlib. Raises
        `ProblemError` for another ending, where there is no room for the panels or nothing can be
        written, and `MissingExtra` where matplotlib is not installed.
        """
        ending = format_of(path, FORMATS)
        with style():
            data = render(self.figure(look), ending)
        with new_file(path, "the figure") as file:
            file.write(data)

    def figure(self, look: Look | None = None) -> Figure:
        """Return the figure; what is drawn within `style` looks as the files do."""
        shown = look or Look()
        if shown.title is None:
            shown = replace(shown, title=self.title)
        figure: Figure = _module(self.kind).draw(self.numbers, shown)
        return figure


def chart(
    kind: str,
    runs: Sequence[Run],
    choice: Choice = _ALL,
    by: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> Chart:
    """Return the numbers of a figure of one of the `KINDS` about some runs.

    ``by`` names what is told apart: first the rows, lines or bars, then the columns; nothing named
    means what is usual for the kind. ``options`` are those of its ``numbers``: ``size`` for
    *by-size*, ``method`` for *tasks*. Raises what `collect` raises, and `ProblemError` where there
    is nothing to draw.
    """
    module, given = _module(kind), dict(options or {})
    sizes = [given.get("size", "objects")] if kind == "by-size" else []
    scores = collect(runs, choice, sizes, questions=True)
    numbers = module.numbers(scores, by or module.BY, **given)
    return Chart(kind, numbers, _common(scores), [*scores.remarks, *scores.unequal()])


def _module(kind: str) -> Any:
    return import_module(f"plangauge.reports.{KINDS[kind]}")


def _common(scores: Scores) -> str:
    """Return the names that all records share."""
    names = [scores.names(part) for part in ("model", "task", "domain")]
    return " · ".join(each[0] for each in names if len(each) == 1)
