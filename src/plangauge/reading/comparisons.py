"""Comparisons of numbers in PDDL inside a text: ``(>= (fuel van) 3)``."""

from __future__ import annotations

import re
from typing import NamedTuple

from plangauge.pddl.quantities import COMPARED

_SIGN = re.compile(
    rf"\(\s{{0,9}}(?:not\s{{0,9}}\(\s{{0,9}}=|(?:{'|'.join(COMPARED)}))(?=[\s(])", re.IGNORECASE
)
_BRACKET = re.compile(r"[()]")
_WHOLE = re.compile(r"(?<![\w.])(-?\d{1,600})\.0{1,600}(?![\w.])")
_LONGEST = 1_000


class Found(NamedTuple):
    """A comparison, spelled as in verdicts, and where it stands."""

    text: str
    start: int
    end: int


def comparisons_in(text: str) -> list[Found]:
    """Return the comparisons in a text, in order; without those longer than 1,000 characters.

    >>> [found.text for found in comparisons_in("[invalid, (>=  (Fuel) 3.0 ), (< (fuel)")]
    ['(>= (fuel) 3)']
    """
    opened, spans = list[int](), list[tuple[int, int]]()
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            start, end = opened.pop(), bracket.end()
            if end - start <= _LONGEST and _SIGN.match(text, start):
                while spans and spans[-1][0] > start:
                    spans.pop()  # it stands inside
                spans.append((start, end))
    return [Found(_spelt(text[start:end]), start, end) for start, end in spans]


def _spelt(term: str) -> str:
    plain = " ".join(term.lower().replace("(", " ( ").replace(")", " ) ").split())
    return _WHOLE.sub(r"\1", plain.replace("( ", "(").replace(" )", ")"))
