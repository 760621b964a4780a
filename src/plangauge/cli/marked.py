"""A response in a terminal or a pipe, with what was read in it marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from plangauge.cli.console import printable
from plangauge.reports.marks import MEANINGS, READ, Part, labels_in

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_STYLES = {
    READ: "bold green",
    "denied": "red",
    "draft": "yellow",
    "alternative": "yellow",
    "example": "cyan",
    "state": "cyan",
    "done": "blue",
    "later": "blue",
    "unread": "magenta",
}
_USUAL = "dim"
_TAB = "    "
_NARROWEST = 20


class _Cell(NamedTuple):
    """What is shown for a character, how wide it is, and the label of its part."""

    shown: str
    width: int
    label: str


def show_marked(out: Console, text: str, parts: Sequence[Part]) -> None:
    """Print a text with its labels: of whole lines in the margin, of parts of a line below them.

    Colours say nothing that is not said in words.
    """
    from rich.text import Text

    labels = labels_in(parts)
    margin = max(map(len, labels), default=0)
    room = max(_NARROWEST, out.width - margin - 4)
    for cells in _lines(text, parts):
        whole = _label_of_all(cells)
        for row in _wrapped(cells, room):
            below = [] if whole or not any(cell.label for cell in row) else [_below(row)]
            for at, shown in enumerate([_coloured(row), *below]):
                head = Text(f"{'' if at else whole:>{margin}}", _style(whole))
                line = (head + Text(" │ ", "dim") if labels else head) + shown
                line.rstrip()
                out.print(line)
    for label in labels:
        meaning = f"{label:>{margin}} = {MEANINGS[label]}"
        out.print(Text(meaning, _style(label)))


def _style(label: str) -> str:
    return _STYLES.get(label, _USUAL if label else "")


def _lines(text: str, parts: Sequence[Part]) -> Iterator[list[_Cell]]:
    """Yield the lines of a text without their ends."""
    from rich.cells import cell_len

    line: list[_Cell] = []
    for start, end, label in parts:
        for char in text[start:end]:
            if char == "\n":
                yield line
                line = []
                continue
            shown = _TAB if char == "\t" else printable(char)
            line.append(_Cell(shown, cell_len(shown), label))
    if line:
        yield line


def _label_of_all(line: Sequence[_Cell]) -> str:
    """Return the label of all words of a line, numbers and signs aside; empty for several."""
    found = {cell.label for cell in line if cell.label or cell.shown.isalpha()}
    return found.pop() if len(found) == 1 else ""


def _wrapped(line: list[_Cell], room: int) -> Iterator[list[_Cell]]:
    """Yield a line in rows that are not wider than there is room, broken at blanks."""
    row: list[_Cell] = []
    width, blank = 0, 0
    for cell in line:
        if width + cell.width > room and row:
            cut = blank or len(row)
            yield row[:cut]
            row = row[cut:]
            width, blank = sum(each.width for each in row), 0
        row.append(cell)
        width += cell.width
        if cell.shown == " ":
            blank = len(row)
    yield row


def _coloured(row: Sequence[_Cell]) -> Text:
    from rich.text import Text

    found = Text()
    for label, cells in groupby(row, key=lambda cell: cell.label):
        found.append("".join(cell.shown for cell in cells), _style(label))
    return found


def _below(row: Sequence[_Cell]) -> Text:
    """Return the labels of the parts of a row, each as wide as its part."""
    from rich.text import Text

    found = Text()
    for label, cells in groupby(row, key=lambda cell: cell.label):
        width = sum(cell.width for cell in cells)
        found.append(f"{label:{'~' if label else ' '}<{width}}"[:width], _style(label))
    found.rstrip()
    return found
