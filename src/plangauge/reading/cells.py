"""The action of a row of a table: in one cell, or with its arguments in cells of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from plangauge.model import Action
from plangauge.reading.mention import Line, Mention, Style
from plangauge.reading.result import Label
from plangauge.reading.said import said
from plangauge.reading.segments import Segment, cells_of
from plangauge.reading.vocabulary import Vocabulary

_REFUSED_CELL = re.compile(
    r"\W*(?:no|not (?:\w+ ?){1,2}|false|rejected|invalid|skip(?:ped)?)\W*|\s*[✗❌✘]\s*"
)
_JUDGING = re.compile(
    r"\W*(?:yes|no|✓|✗|✅|❌|.*\b(?:used?|valid|applicable|possible|needed|included?|executable"
    r"|chosen"
    r"|selected|keep|allowed)\b.*)\W*"
)
_MOST_CELLS = 12
_TELLING = ("action", "operator", "command", "move", "call")
"""Words in the captions of columns with actions."""
_REMARKING = ("state", "result", "effect", "precond", "why", "note", "reason", "comment", "after")
"""Words in the captions of columns about actions."""


class RowReader:
    """Reads rows; ``read`` reads the text of one cell."""

    def __init__(self, vocabulary: Vocabulary, read: Callable[[str], Line]) -> None:
        self.vocabulary = vocabulary
        self._read = read

    def row(self, text: str, segment: Segment) -> Line:
        """Return the action of a row: of one cell, or with its arguments in cells of their own."""
        cells = cells_of(text, segment)[:_MOST_CELLS]
        captions = segment.columns
        best = Line()
        rank = (-1, False, False)
        refused = any(
            _JUDGING.fullmatch(caption) and _REFUSED_CELL.fullmatch(text[start:end].lower())
            for caption, (start, end) in zip(captions, cells, strict=False)
        )
        written_: list[tuple[int, Line]] = []
        for n, (start, end) in enumerate(cells):
            if not text[start:end].strip():
                continue
            line = self._cell(text, cells, n, captions)
            if not line.mentions:
                continue
            caption = captions[n] if n < len(captions) else ""
            now = (
                _caption_rank(caption),
                any(m.style is not Style.SAID for m in line.mentions),
                all(m.known for m in line.mentions),
            )
            if now[1] and now[2] and now[0]:
                written_.append((now[0], line))
            if now > rank:
                best, rank = line, now
        lanes = [line for own, line in written_ if own == rank[0]]
        if len(lanes) > 1:  # a column for each of several that act at once
            together = (m for line in lanes for m in line.mentions)
            best = Line(tuple({m.action: m for m in together}.values()), "row")
        if refused:
            denied = tuple(replace(m, label=Label.DENIED) for m in best.mentions)
            return replace(best, mentions=(), others=(*denied, *best.others))
        return best

    def _spread(
        self, text: str, cells: list[tuple[int, int]], n: int, captions: Sequence[str]
    ) -> Mention | None:
        """Return the action of a cell with nothing but its name, its objects in other cells."""
        operator = self.vocabulary.operator(text[slice(*cells[n])].strip(" `*"))
        if operator is None or not operator.types:
            return None
        pairs: list[tuple[str, str]] = []
        for k, (start, end) in enumerate(cells):
            units = self.vocabulary.names.units(text, start, end) if k != n else []
            caption = captions[k] if k < len(captions) else ""
            objects = [unit.obj for unit in units if unit.obj]
            if objects and all(u.obj or not u.text[0].isalnum() for u in units):
                pairs += [(caption if len(objects) == 1 else "", thing) for thing in objects]
        if len(pairs) != len(operator.types):
            return None
        args = self.vocabulary.arguments_in_order(operator.name, pairs)
        action = Action(operator.name, args)
        known = self.vocabulary.fits(action)
        return Mention(action, *cells[n], Style.BARE, known) if known else None

    def _cell(
        self, text: str, cells: list[tuple[int, int]], n: int, captions: Sequence[str]
    ) -> Line:
        start, end = cells[n]
        own = self._read(text[start:end].strip())
        shift = start + len(text[start:end]) - len(text[start:end].lstrip())
        own = own.moved(shift)
        if spread := self._spread(text, cells, n, captions):
            return Line((spread,), "row")
        for last in range(min(len(cells), n + 7), n + 1, -1):
            joined = " ".join(
                text[a:b].strip(" `*") for a, b in cells[n:last] if text[a:b].strip(" -–—`*")
            )
            wide = said(joined.replace(",", " "), 0, len(joined), self.vocabulary, item=True)
            named = wide and (
                wide[0].style is Style.BARE or self.vocabulary.action(text[start:end].strip(" `*"))
            )
            if not named or not wide[0].known or len(wide) > 1:
                continue
            longer = not own.mentions or len(wide[0].action.args) > len(own.mentions[0].action.args)
            if longer or any(m.guess or not m.known for m in own.mentions):
                return Line((replace(wide[0], start=start, end=cells[last - 1][1]),), "row")
        return replace(own, form="row")


def _caption_rank(caption: str) -> int:
    if any(word in caption for word in _TELLING):
        return 2
    return 0 if any(word in caption for word in _REMARKING) else 1
