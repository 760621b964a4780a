"""Which parts of a response were read, and what the others were taken for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

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
    labels = bytearray(len(text))
    for span in reversed(reading.others):
        _fill(labels, span.start, span.end, span.label)
    for start, end in reading.used:
        _fill(labels, start, end, READ)
    painted = np.frombuffer(labels, np.uint8)
    ends = np.flatnonzero(np.diff(painted, append=painted[-1:] ^ 1)) + 1
    names = map(_NAMES.__getitem__, painted[ends - 1].tolist())
    places = ends.tolist()
    return [*map(Part, [0, *places], places, names)]


def labels_in(parts: Iterable[Part]) -> list[str]:
    """Return the labels that occur, what was read first."""
    found = {part.label for part in parts}
    return [name for name in _NAMES[1:] if name in found]


def in_units(text: str, parts: Sequence[Part]) -> list[tuple[int, int, str]]:
    r"""Return the parts that have a label by places in UTF-16, as scripts count them.

    >>> in_units("\U0001f600 (a)", [Part(0, 2, ""), Part(2, 5, "read")])
    [(3, 6, 'read')]
    """
    if len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text):  # each has one unit
        return [(part.start, part.end, part.label) for part in parts if part.label]
    found: list[tuple[int, int, str]] = []
    at = 0
    for start, end, label in parts:
        width = len(text[start:end].encode("utf-16-le", "surrogatepass")) // 2
        if label:
            found.append((at, at + width, label))
        at += width
    return found


def _fill(labels: bytearray, start: int, end: int, label: str) -> None:
    start, end = max(0, start), min(len(labels), end)
    if start < end:
        labels[start:end] = _CODES[label] * (end - start)
