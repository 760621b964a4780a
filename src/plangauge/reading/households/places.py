"""Where in a response the plan of a household may be: behind tags and markers, in code fences."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TAGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"<(?P<close>/?)(?:final_)?(?:answer|plan|solution)>",
        r"\[(?P<close>/|end[ _])?(?:(?:query|final)[ _])?plan(?P<end>[ _]end)?\]",
    )
)
_MARKER = re.compile(
    r"(?P<final>\bfinal )?\b(?:answer|plan|solution|action sequence|sequence of actions)\b"
    r"[^\n:.]{0,60}:(?!:)[*_]*+"
    r"|^[ \t]*+#++[^\n]{0,40}\b(?:answer|plan|solution)\b[^\n]{0,20}$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t>]*+(?:```|~~~)[^\n]*+$", re.MULTILINE)
_MOST_MARKERS = 3


def places(text: str) -> Iterator[tuple[int, int]]:
    r"""Yield the parts of a text where an answer may be, the most telling first, all of it last.

    >>> list(places("Plan: [1]\n<answer>[2]</answer>"))
    [(18, 21), (5, 30), (0, 30)]
    """
    for pattern in _TAGS:
        tags = [*pattern.finditer(text)]
        closing = [bool(tag["close"] or tag.groupdict().get("end")) for tag in tags]
        if closing and closing[0]:
            yield 0, tags[0].start()
        if False in closing:
            last = len(tags) - 1 - closing[::-1].index(False)
            yield tags[last].end(), tags[last + 1].start() if last + 1 < len(tags) else len(text)
    markers = [*_MARKER.finditer(text)]
    finals = [marker.end() for marker in markers if marker["final"]]
    ends = [marker.end() for marker in markers[-_MOST_MARKERS:]]
    for start in dict.fromkeys((*finals[-1:], *reversed(ends))):
        yield start, len(text)
    yield 0, len(text)


def fences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    r"""Return the insides of the code fences in a part of a text.

    >>> fences("```\n(a)\n```", 0, 11)
    [(3, 8)]
    """
    if "```" not in text and "~~~" not in text:
        return []
    marks = [*_FENCE.finditer(text, start, end)]
    pairs = zip(marks[::2], [*marks[1::2], None], strict=False)
    return [(mark.end(), close.start() if close else end) for mark, close in pairs]
