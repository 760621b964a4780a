"""What the rows of a table state; and what a statement is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from plangauge.reading.english import word_set
from plangauge.reading.labels import Heading, heading_of
from plangauge.reading.mention import Mention, Style
from plangauge.reading.result import Label
from plangauge.reading.said import said
from plangauge.reading.segments import Kind, Segment, cells_of
from plangauge.reading.signs import FALSE, REFUSED, sign_of, truth_of
from plangauge.reading.vocabulary import Vocabulary

SAME = word_set(
    "remains remain stays stay still unchanged unaffected same continues continue keeps kept"
)
_WORD = re.compile(r"[\w'’-]+|[^\s\w]")


@dataclass(frozen=True, slots=True)
class Statement:
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


class RowReader:
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
        text = self.text
        cells = cells_of(text, segment)
        own = [self._cell(segment, *cell) for cell in cells]
        acting = [n for n, mentions in enumerate(own) if mentions]
        if not acting:
            return self._spread(segment, cells)
        captions = [*segment.columns, *[""] * len(cells)]
        heads = segment.path
        truth = {n: truth_of(text[a:b]) for n, (a, b) in enumerate(cells) if n not in acting}
        first = acting[0]
        out: list[Statement] = []
        for n in acting:
            if n != first and self._is_remark(captions[n]) and not self.signed:
                continue
            sign = sign_of(captions[n]) if self.signed else 0
            if n != first and self.signed and not sign:
                continue
            out += [
                self._in_row(mention, segment, sign, truth, captions, heads) for mention in own[n]
            ]
        return out

    def _cell(self, segment: Segment, start: int, end: int) -> list[Mention]:
        text = self.text[start:end]
        if not text.strip():
            return []
        mentions, _ = self.read(replace(segment, kind=Kind.ITEM), text)
        return [mention.moved(start) for mention in mentions]

    def _is_remark(self, caption: str) -> bool:
        return heading_of(caption) is Heading.CHECK or any(
            word in caption
            for word in ("why", "reason", "because", "precond", "note", "comment", "check")
        )

    def _in_row(
        self,
        mention: Mention,
        segment: Segment,
        sign: int,
        truth: dict[int, bool | None],
        captions: list[str],
        heads: Sequence[object],
    ) -> Statement:
        before = _told_in(truth, captions, ("before", "initial"))
        after = _told_in(truth, captions, ("after", "now", "final", "result"))
        label = mention.label
        cells = [
            self.text[a:b] for n, (a, b) in enumerate(cells_of(self.text, segment)) if n in truth
        ]
        if self.signed:
            if before is not None and after is not None:
                sign = (after > before) - (after < before)
                label = label if sign else Label.REMARK
            elif not sign:
                sign = next((s for cell in cells if (s := sign_of(cell))), 0)
                if not sign and (same := any(SAME & {*words_of(cell)} for cell in cells)):
                    label = Label.REMARK if same else label
            if mention.negated or label is Label.DENIED:
                sign, label = -1, Label.ASSERTED
        else:
            value = (
                after
                if after is not None
                else next((t for t in truth.values() if t is not None), None)
            )
            if value is False or any(REFUSED.match(cell.strip(" *`_")) for cell in cells):
                label = Label.DENIED
        if (
            any(getattr(h, "label", None) in (Heading.REJECTED, Heading.EXAMPLE) for h in heads)
            and not self.signed
        ):
            label = Label.DENIED
        return Statement(replace(mention, label=label), segment, sign)

    def _spread(self, segment: Segment, cells: list[tuple[int, int]]) -> list[Statement]:
        """Return the term of a row with a cell for the name and cells for the arguments."""
        parts = [self.text[a:b].strip(" `*") for a, b in cells]
        joined = " ".join(part for part in parts if part.strip("-–— ")).replace(",", " ")
        found = said(joined, 0, len(joined), self.vocabulary, item=True)
        if not found or found[0].style is not Style.BARE or not found[0].known:
            return []
        mention = replace(found[0], start=segment.start, end=segment.end)
        falls = any(FALSE.match(part) for part in parts if part)
        sign = next((s for part in parts if (s := sign_of(part))), 0) if self.signed else 0
        label = Label.DENIED if falls and not self.signed else Label.ASSERTED
        return [Statement(replace(mention, label=label), segment, sign)]


def _told_in(
    truth: dict[int, bool | None], captions: list[str], words: Sequence[str]
) -> bool | None:
    """Return the first truth value below a caption with one of some words."""
    told = (
        value
        for n, value in truth.items()
        if value is not None and any(word in captions[n] for word in words)
    )
    return next(told, None)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, and its other signs."""
    return [word.lower() for word in _WORD.findall(text)]
