"""Lists in brackets in a text: where they stand, which belong together, what is said of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from plangauge.parse.claims import HEADING, Claim, claims

_BRACKET = re.compile(r"[\[\]]")
_BETWEEN = re.compile(
    r"[\s,;*_`|>]*+(?:and\b\s*+)?+(?:(?:[-+•–]|[0-9]{1,3}[.):])\s++)?+[*_`]*+", re.IGNORECASE
)
_ALONE = re.compile(
    r"(?:\A|[:=>|*]|\b(?:is|are|be|so|thus|hence|therefore|answer))[\s*_`\"'$]*\Z", re.IGNORECASE
)
_WORDS = re.compile(r"\w|[¬~!?✗✘❌]")
_NOT = re.compile(r"\bnot\W*\Z", re.IGNORECASE)
_LONGEST_LEAD = 400


class List(NamedTuple):
    """A pair of brackets in a text: ``text[start:end]``, and whether it is closed."""

    start: int
    end: int
    inner: str
    closed: bool


class Run(NamedTuple):
    """Lists that follow each other, and what is said of them."""

    lists: tuple[List, ...]
    claim: Claim

    @property
    def start(self) -> int:
        """Where the first list starts."""
        return self.lists[0].start

    @property
    def end(self) -> int:
        """Where the last list ends."""
        return self.lists[-1].end


def lists(text: str) -> list[List]:
    """Return the outermost pairs of brackets; the last one may not be closed.

    >>> [(each.inner, each.closed) for each in lists("[[a]] b] [c")]
    [('[a]', True), ('c', False)]
    """
    found: list[List] = []
    depth = start = 0
    for sign in _BRACKET.finditer(text):
        if sign[0] == "[":
            start = sign.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                end = sign.end()
                found.append(List(start, end, text[start + 1 : end - 1], True))
    if depth:
        found.append(List(start, len(text), text[start + 1 :], False))
    return found


def runs(text: str) -> list[Run]:
    r"""Return the lists of a text in runs, between which there are only blanks, commas and marks.

    The lists of different lines make one run only if the same is said of them.

    >>> text = "[a], [b]\n[c]\n[d] is wrong"
    >>> [([each.inner for each in run.lists], run.claim.name) for run in runs(text)]
    [(['a', 'b', 'c'], 'MEANT'), (['d'], 'REFUSED')]
    """
    found: list[tuple[list[List], Claim]] = []
    rows = _rows(text)
    heading, end = "", 0
    for row, until in zip(rows, [*(row[0].start for row in rows[1:]), len(text)], strict=True):
        heading = _heading(text[end : row[0].start], heading)
        said = _said_of(text, row, (end, until), heading)
        for each, claim in zip(row, said, strict=True):
            if found and found[-1][1] is claim and _BETWEEN.fullmatch(text, end, each.start):
                found[-1][0].append(each)
            else:
                found.append(([each], claim))
            end = each.end
    return [Run(tuple(run), claim) for run, claim in found]


def _rows(text: str) -> list[list[List]]:
    """Return the lists that follow each other in a line."""
    rows: list[list[List]] = []
    for each in lists(text):
        end = rows[-1][-1].end if rows else 0
        near = bool(rows) and _BETWEEN.fullmatch(text, end, each.start) is not None
        if near and "\n" not in text[end : each.start]:
            rows[-1].append(each)
        else:
            rows.append([each])
    return rows


def _heading(gap: str, before: str) -> str:
    """Return the heading of the lists behind a gap, given that of those before it."""
    *lines, line = gap[-_LONGEST_LEAD:].rsplit("\n", 2)
    if _WORDS.search(line):
        return ""
    above = gap[-_LONGEST_LEAD:].rstrip()
    if not _WORDS.search(above):
        return before
    last = above[above.rfind("\n") + 1 :]
    return last if lines and HEADING.fullmatch(last) else ""


def _said_of(text: str, row: Sequence[List], within: tuple[int, int], heading: str) -> list[Claim]:
    """Return what a line says of each of its lists, as far as no others stand before or behind.

    An empty list that is only mentioned, as in "I did not write []", is refused.
    """
    after, until = within
    before, behind = around(text, row[0].start, row[-1].end, after, until)
    if not (heading or _WORDS.search(before) or _WORDS.search(behind)):
        return [Claim.MEANT] * len(row)
    first = [""] * (row[0].start - len(before) == after > 0)
    last = [""] * (row[-1].end + len(behind) == until < len(text))
    between = (text[one.end : other.start] for one, other in pairwise(row))
    gaps = [before, *between, behind]
    said = claims([*first, *gaps, *last], heading)[len(first) : len(first) + len(row)]
    mentioned = not any(each.inner.strip() for each in row) and not _ALONE.search(before)
    if mentioned or (said[0] is Claim.FALSE and _NOT.search(before)):
        said[0] = Claim.REFUSED
    return said


def around(text: str, start: int, end: int, after: int, until: int) -> tuple[str, str]:
    r"""Return what stands in the line before a part of a text and behind it, within two places.

    >>> around("no\nyes: [a] or\nno", 8, 11, 0, 17)
    ('yes: ', ' or')
    """
    first, last = max(after, start - _LONGEST_LEAD), min(until, end + _LONGEST_LEAD)
    line = max(text.rfind("\n", first, start) + 1, first)
    stop = text.find("\n", end, last)
    return text[line:start], text[end : stop if stop >= 0 else last]


def begins_at_once(text: str, place: int) -> bool:
    r"""Tell whether a place is in the first line of a text that is not blank.

    >>> begins_at_once("\n\nIt is [a]\n[b]", 8), begins_at_once("It is [a]\n[b]", 10)
    (True, False)
    """
    first = len(text) - len(text.lstrip())
    return text.find("\n", first, place) < 0
