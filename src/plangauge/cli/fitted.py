"""A table for people, as wide as the terminal: a number is left out or whole, never cut."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal

from plangauge.cli.console import printable, shortened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from plangauge.reports.sheets import Sheet

_LONGEST = 24
"""Longer headings are cut."""

_NARROWEST = 9
"""Texts and headings that are wrapped are no narrower than this."""

_GAP = 2


def fitted(sheet: Sheet, out: Console, least_missed: Sequence[int]) -> Table:
    """Return the table of a sheet, fitted as by `fitted_rows`."""
    from rich.text import Text

    rows = [[Text(printable(cell)) for cell in cells] for cells in sheet.rows]
    texts = [place for place, name in enumerate(sheet.names) if name in sheet.texts]
    names = [shortened(name, _LONGEST) for name in sheet.names]
    return fitted_rows(names, rows, texts, out, least_missed)


def fitted_rows(
    names: Sequence[str],
    rows: Sequence[Sequence[Text]],
    texts: Collection[int],
    out: Console,
    least_missed: Sequence[int],
) -> Table:
    """Return the table with as many columns as the terminal is wide; a pipe takes them all.

    Those at the places ``least_missed`` are left out first, in this order; then headings, and the
    columns at the places ``texts``, are wrapped. Where that is not enough, the table is wider than
    the terminal, which breaks its lines: all numbers are there.
    """
    from rich.table import Table

    if not out.is_terminal:
        out.width = 10_000
    cells = [max((row[at].cell_len for row in rows), default=0) for at in range(len(names))]
    widths = [max(len(name), cell) for name, cell in zip(names, cells, strict=True)]
    places = [*range(len(names))]
    for least in (None, *least_missed):
        places = [place for place in places if place != least]
        room = out.width - _GAP * (len(places) - 1)
        if sum(widths[place] for place in places) <= room:
            break
    least_of = [
        min(width, _NARROWEST if at in texts else max(cells[at], _NARROWEST))
        for at, width in enumerate(widths)
    ]
    _narrow(widths, least_of, places, room)
    out.width = max(out.width, sum(widths[place] for place in places) + out.width - room)
    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for place in places:
        justify: Literal["left", "right"] = "left" if place in texts else "right"
        drawn.add_column(names[place], justify=justify, width=widths[place], overflow="fold")
    for row in rows:
        drawn.add_row(*(row[place] for place in places))
    return drawn


def _narrow(widths: list[int], least: Sequence[int], places: Sequence[int], room: int) -> None:
    """Make the widest columns narrower, none than its least, until they have room."""
    while sum(widths[place] for place in places) > room:
        wider = [place for place in places if widths[place] > least[place]]
        if not wider:
            break
        widths[max(wider, key=lambda place: widths[place])] -= 1
