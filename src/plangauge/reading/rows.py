"""The rows of a table: the actions they tell, the facts they state; and what a statement is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from plangauge.core.model import Action
from plangauge.reading.english import PREPOSITIONS, word_set
from plangauge.reading.labels import REFUSED, Heading, heading_of, sign_of, truth_of, words_of
from plangauge.reading.mention import Line, Mention, Style
from plangauge.reading.result import Label
from plangauge.reading.segments import Head, Kind, Segment, cells_of
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
_BESIDE_OBJECTS = PREPOSITIONS.keys() | {"and"}
_TELLING = ("action", "operator", "command", "move", "call")
"""Words in the captions of columns with actions."""
_REMARKING = ("state", "result", "effect", "precond", "why", "note", "reason", "comment", "after")
"""Words in the captions of columns about actions."""


class ActionRows:
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
            denied = tuple(m._replace(label=Label.DENIED) for m in best.mentions)
            return best._replace(mentions=(), others=(*denied, *best.others))
        return best

    def _cell(
        self, text: str, cells: list[tuple[int, int]], n: int, captions: Sequence[str]
    ) -> Line:
        if spread := across(text, cells, n, captions, self.vocabulary):
            return Line(tuple(spread), "row")
        start, end = cells[n]
        own = self._read(text[start:end].strip())
        at = end - len(text[start:end].lstrip())
        return own.moved(at)._replace(form="row")


def across(
    text: str,
    cells: Sequence[tuple[int, int]],
    n: int,
    captions: Sequence[str],
    vocabulary: Vocabulary,
) -> list[Mention]:
    """Return the terms of a cell with nothing but their name, their objects in other cells.

    >>> words = Vocabulary({"stack": 2, "clear": 1}, "ab")
    >>> [str(m.action) for m in across("|stack|b|on a|", [(1, 6), (7, 8), (9, 13)], 0, (), words)]
    ['(stack b a)']
    >>> [str(m.action) for m in across("|clear|a, b|", [(1, 6), (7, 11)], 0, (), words)]
    ['(clear a)', '(clear b)']
    """
    operator = vocabulary.operator(text[slice(*cells[n])].strip(" `*"))
    if operator is None or not operator.types:
        return []
    pairs: list[tuple[str, str]] = []
    first = 0
    for k, (start, end) in enumerate(cells):
        units = vocabulary.names.units(text, start, end) if k != n else []
        objects = [unit.obj for unit in units if unit.obj]
        plain = (u.obj or not u.text[0].isalnum() or u.text in _BESIDE_OBJECTS for u in units)
        if all(plain):
            caption = captions[k] if k < len(captions) and len(objects) == 1 else ""
            pairs += [(caption, thing) for thing in objects]
            first = first or len(pairs)
    size = len(operator.types)
    several = range(0, first, size) if first > size and not first % size else (0,)
    actions = [
        Action(operator.name, vocabulary.arguments_in_order(operator.name, pairs[at : at + size]))
        for at in several
    ]
    return [
        Mention(action, *cells[n], Style.BARE, known=True)
        for action in actions
        if vocabulary.fits(action)
    ]


def _caption_rank(caption: str) -> int:
    if any(word in caption for word in _TELLING):
        return 2
    return 0 if any(word in caption for word in _REMARKING) else 1


SAME = word_set(
    "remains remain stays stay still unchanged unaffected same continues continue keeps kept"
)


class Statement(NamedTuple):
    """A term that an answer states.

    ``sign`` is 1 where it becomes true, -1 where it becomes false, and 0 where neither is said.
    """

    mention: Mention
    segment: Segment
    sign: int = 0
    order: int = 0

    @property
    def is_written(self) -> bool:
        """Whether it is written rather than said."""
        return self.mention.style is not Style.SAID

    @property
    def is_listed(self) -> bool:
        """Whether it stands in a list, a table or a code fence, or is written as a term."""
        plain = self.segment.kind in (Kind.LINE, Kind.SENTENCE) and not self.segment.fence
        return not plain or self.mention.style in (Style.TERM, Style.VALUE)


class FactRows:
    """Finds the statements of rows; ``read`` finds the mentions of a cell."""

    def __init__(
        self,
        text: str,
        vocabulary: Vocabulary,
        read: Callable[[Segment, str], tuple[list[Mention], list[str]]],
        *,
        signed: bool,
    ) -> None:
        self.text = text
        self.vocabulary = vocabulary
        self.read = read
        self.signed = signed

    def statements(self, segment: Segment) -> list[Statement]:
        """Return the statements of a row, by its captions and by what its other cells say."""
        cells = cells_of(self.text, segment)
        captions = [*segment.columns, *[""] * len(cells)]
        own = [self._cell(segment, *cell) for cell in cells]
        if not any(own):
            own = [
                across(self.text, cells, n, captions, self.vocabulary) for n in range(len(cells))
            ]
        acting = [n for n, mentions in enumerate(own) if mentions]
        others = [
            (captions[n], self.text[start:end].strip(" *`_"))
            for n, (start, end) in enumerate(cells)
            if n not in acting
        ]
        out: list[Statement] = []
        for n in acting:
            sign = sign_of(captions[n]) if self.signed else 0
            taken = sign if self.signed else heading_of(captions[n]) is not Heading.CHECK
            if taken or n == acting[0]:
                out += [self._in_row(mention, segment, sign, others) for mention in own[n]]
        return out

    def _cell(self, segment: Segment, start: int, end: int) -> list[Mention]:
        text = self.text[start:end]
        if not text.strip():
            return []
        mentions, _ = self.read(segment._replace(kind=Kind.ITEM), text)
        return [mention.moved(start) for mention in mentions]

    def _in_row(
        self, mention: Mention, segment: Segment, sign: int, others: list[tuple[str, str]]
    ) -> Statement:
        """Return a mention with what other cells, which come with their captions, say of it."""
        truths = [(caption, truth_of(cell)) for caption, cell in others]
        before, after, any_ = (
            next((t for c, t in truths if t is not None and any(w in c for w in words)), None)
            for words in (("before", "initial"), ("after", "now", "final", "result"), ("",))
        )
        label = mention.label
        if self.signed:
            if before is not None and after is not None:
                sign = after - before
                label = label if sign else Label.REMARK
            elif not sign:
                sign = next((found for _, cell in others if (found := sign_of(cell))), 0)
                stays = any(not SAME.isdisjoint(words_of(cell)) for _, cell in others)
                label = Label.REMARK if stays and not sign else label
            if mention.negated or label is Label.DENIED:
                sign, label = -1, Label.ASSERTED
        else:
            value = any_ if after is None else after
            refused = any(REFUSED.match(cell) for _, cell in others)
            if value is False or refused or any(map(denies, segment.path)):
                label = Label.DENIED
        return Statement(mention._replace(label=label), segment, sign)


def denies(head: Head) -> bool:
    """Tell a heading above what is not meant: what is rejected, or an example."""
    return head.label in (Heading.REJECTED, Heading.EXAMPLE)
