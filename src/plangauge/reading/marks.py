"""Which parts of a response were read, and what the others were taken for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from plangauge.reading.result import Label, Reading

READ = "read"
MEANINGS: Mapping[str, str] = {
    READ: "taken as the answer",
    Label.ASSERTED: "said to be so, but not part of the answer",
    Label.DENIED: "said not to be so",
    Label.DRAFT: "part of a version that the text rejects or replaces",
    Label.ALTERNATIVE: "what could be done, is only asked, or holds under a condition",
    Label.EXAMPLE: "an example",
    Label.STATE: "describes a state",
    Label.DONE: "reported as done",
    Label.LATER: "announced for later",
    Label.REMARK: "explains or checks what is said elsewhere",
    Label.UNREAD: "names something of the problem, and was not understood",
}
"""What was read, and each label of what was not → what it means."""

_NAMES = ("", *map(str, MEANINGS))
_CODES = {name: bytes([code]) for code, name in enumerate(_NAMES)}


class Part(NamedTuple):
    """A part of a text, and its label; empty where there is nothing to say about it."""

    start: int
    end: int
    label: str


def parts_of(text: str, reading: Reading) -> list[Part]:
    """Return the parts of a text one after the other, as a reading of it labels them.

    What was read counts before everything else, and of other spans the one that comes first.

    >>> from plangauge.reading.result import Span
    >>> reading = Reading((), used=((4, 7),), others=(Span(0, 5, Label.DRAFT),))
    >>> [(part.start, part.end, part.label) for part in parts_of("(a) (b).", reading)]
    [(0, 4, 'draft'), (4, 7, 'read'), (7, 8, '')]
    """
    found, last = list[Part](), 0
    for part in _labelled(len(text), reading):
        if last < part.start:
            found.append(Part(last, part.start, ""))
        found.append(part)
        last = part.end
    return [*found, Part(last, len(text), "")] if last < len(text) else found


def marks_of(text: str, reading: Reading) -> dict[str, list[int]]:
    """Return the parts that have a label: label → start and end of each, in characters, in turn.

    A compact form for records.

    >>> marks_of("(a) (b).", Reading((), used=((0, 3), (4, 7))))
    {'read': [0, 3, 4, 7]}
    """
    marks: dict[str, list[int]] = {}
    for start, end, label in _labelled(len(text), reading):
        marks.setdefault(label, []).extend((start, end))
    return marks


def in_utf16(text: str, marks: Mapping[str, list[int]]) -> list[tuple[int, int, str]]:
    r"""Return what `marks_of` has found, in order, by places in UTF-16, as scripts count them.

    >>> in_utf16("\U0001f600 (a)", {"read": [2, 5]})
    [(3, 6, 'read')]
    """
    found = sorted(
        (start, end, label)
        for label, places in marks.items()
        for start, end in zip(places[::2], places[1::2], strict=True)
    )
    if text.isascii() or max(text) <= "\uffff":  # each character has one unit
        return found
    places = [0, *accumulate(1 + (sign > "\uffff") for sign in text)]
    return [(places[start], places[end], label) for start, end, label in found]


def labels_in(parts: Iterable[Part]) -> list[str]:
    """Return the labels that occur, what was read first."""
    found = {part.label for part in parts}
    return [name for name in _NAMES[1:] if name in found]


def _labelled(length: int, reading: Reading) -> Iterator[Part]:
    """Yield the parts of a text of a length that have a label."""
    labels = bytearray(length)
    for span in reversed(reading.others):
        _fill(labels, span.start, span.end, span.label)
    for start, end in reading.used:
        _fill(labels, start, end, READ)
    for run in _RUN.finditer(labels):
        yield Part(run.start(), run.end(), _NAMES[labels[run.start()]])


_RUN = re.compile(rb"([^\0])\1*", re.DOTALL)


def _fill(labels: bytearray, start: int, end: int, label: str) -> None:
    start, end = max(0, start), min(len(labels), end)
    if start < end:
        labels[start:end] = _CODES[label] * (end - start)
