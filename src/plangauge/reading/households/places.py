"""Where in an answer a plan for a household may be: behind reasoning, in tags, behind markers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_REASONING = re.compile(
    r"<(?P<close>/?)(?:think|thinking|reasoning|thought|thoughts|scratchpad|analysis)>",
    re.IGNORECASE,
)
_ANSWER_TAG = re.compile(r"<(?P<close>/?)(?:final_)?(?:answer|plan|solution)>", re.IGNORECASE)
_PLAN_TAG = re.compile(
    r"\[(?P<close>/|end[ _])?(?:(?:query|final)[ _])?plan(?:[ _]end)?\]", re.IGNORECASE
)
_CLOSES = re.compile(r".[/]|\[end[ _]|.*[ _]end\]", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s*+\{")
_BRACE = re.compile(r"[{}]")
_MARKER = re.compile(
    r"\b(?:answer|plan|solution|action sequence|sequence of actions)\b[^\n:.]{0,60}:(?!:)[*_]*+"
    r"|^[ \t]*+#++[^\n]{0,40}\b(?:answer|plan|solution)\b[^\n]{0,20}$",
    re.IGNORECASE | re.MULTILINE,
)
_REMARK = re.compile(
    r"satisfies|achieves|reaches|ensures|results in|leads to|fulfils|fulfills|accomplishes|works",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t>]*+(?:```|~~~)[^\n]*+$", re.MULTILINE)
_MOST_MARKERS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a text."""

    start: int
    end: int


def without_reasoning(text: str) -> tuple[str, bool]:
    """Return the text with blanks for the reasoning, and whether the reasoning has no end.

    >>> without_reasoning("<think>(a)</think>(b)")
    ('                  (b)', False)
    >>> without_reasoning("(a)</think>(b)<think>(c)")
    ('           (b)          ', True)
    """
    parts: list[str] = []
    opened = False
    position = 0
    for tag in _REASONING.finditer(text):
        if tag["close"] and not opened:
            parts = [" " * tag.end()]
        else:
            kept = text[position : tag.start()]
            parts.append(" " * len(kept) if opened else kept)
            parts.append(" " * len(tag[0]))
        opened = not tag["close"]
        position = tag.end()
    rest = text[position:]
    parts.append(" " * len(rest) if opened else rest)
    return "".join(parts), opened


def places(text: str) -> Iterator[Place]:
    r"""Yield where a plan may be, the most telling first, the whole text last.

    >>> text = "Plan: (a)\n<answer>(b)</answer>"
    >>> [text[place.start : place.end] for place in places(text)][:1]
    ['(b)']
    """
    for pattern in (_ANSWER_TAG, _PLAN_TAG):
        yield from _tagged(text, [*pattern.finditer(text)])
    yield from _boxed(text)
    markers = [m for m in _MARKER.finditer(text) if not _REMARK.search(m[0])]
    finals = [m for m in markers if "final" in text[max(0, m.start() - 6) : m.end()].lower()]
    for marker in dict.fromkeys((*finals[-1:], *reversed(markers[-_MOST_MARKERS:]))):
        yield Place(marker.end(), len(text))
    yield Place(0, len(text))


def fences(text: str, place: Place) -> list[Place]:
    r"""Return the insides of the code fences in a part of a text.

    >>> fences("```\n(a)\n```", Place(0, 11))
    [Place(start=3, end=8)]
    """
    marks = [*_FENCE.finditer(text, place.start, place.end)] if "```" in text or "~~~" in text else []
    ends = [mark.start() for mark in marks[1::2]] + [place.end]
    return [Place(mark.end(), end) for mark, end in zip(marks[::2], ends, strict=False)]


def _tagged(text: str, tags: list[re.Match[str]]) -> Iterator[Place]:
    """Yield what stands before the first tag, if it is a closing one; behind the last opening."""
    closing = [_CLOSES.match(tag[0]) is not None for tag in tags]
    if closing and closing[0]:
        yield Place(0, tags[0].start())
    opening = [n for n, closes in enumerate(closing) if not closes]
    if opening:
        last = opening[-1]
        end = tags[last + 1].start() if last + 1 < len(tags) else len(text)
        yield Place(tags[last].end(), end)


def _boxed(text: str) -> Iterator[Place]:
    boxes = [*_BOXED.finditer(text)]
    depth = 1
    for brace in _BRACE.finditer(text, boxes[-1].end()) if boxes else ():
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            yield Place(boxes[-1].end(), brace.start())
            return
    if boxes:
        yield Place(boxes[-1].end(), len(text))
