"""A table for people, as wide as the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from plangauge.cli.console import printable, shortened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from plangauge.reports.sheets import Sheet

_LONGEST = 24
"""Longer headings are cut."""


def fitted(sheet: Sheet, out: Console, least_missed: Sequence[int]) -> Table:
    """Return the table with as many columns as the terminal is wide; a pipe takes them all.

    Those at the places ``least_missed`` are left out first, in this order.
    """
    from rich.measure import Measurement

    if not out.is_terminal:
        out.width = 10_000
    unlimited = out.options.update(max_width=10_000)
    places = [*range(len(sheet.names))]
    for least in (None, *least_missed):
        places = [place for place in places if place != least]
        drawn = _table(sheet, places)
        if Measurement.get(out, unlimited, drawn).maximum <= out.width:
            break
    return drawn


def _table(sheet: Sheet, places: Sequence[int]) -> Table:
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for name in (sheet.names[place] for place in places):
        justify: Literal["left", "right"] = "left" if name in sheet.texts else "right"
        drawn.add_column(shortened(name, _LONGEST), justify=justify, no_wrap=True)
    for cells in sheet.rows:
        drawn.add_row(*(Text(printable(cells[place])) for place in places))
    return drawn
