"""Where in a model's response the answer may be: behind the reasoning, markers and code fences."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from plangauge.parse.wording import CONCLUSIONS, any_of

_REASONING = re.compile(
    r"<(?P<close>/?)(?:think|thinking|reasoning|thought|thoughts|scratchpad|analysis)>",
    re.IGNORECASE,
)
_CALL_TAG = re.compile(r"<(?P<close>/?)tool_call>", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"<(?P<close>/?)(?:final_)?(?:answer|plan|solution)>", re.IGNORECASE)
_PLAN_TAG = re.compile(
    r"\[(?P<close>/|end[ _])?(?:(?:query|final)[ _])?plan(?P<end>[ _]end)?\]", re.IGNORECASE
)
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
_FINAL = re.compile(
    r"\bfinal (?:answer|plan)\b[^\n:.]{0,60}:(?!:)[*_]*+"
    r"|^[ \t]*+#++[^\n:]{0,40}\bfinal (?:answer|plan)\b[^\n:]{0,20}$",
    re.IGNORECASE | re.MULTILINE,
)
_LISTS = re.compile(r"[\s*_`]*+(?:[(\[{]|[-•]\s|[0-9]{1,6}[.):][ \t]++\S)")
_FENCE = re.compile(r"^[ \t>]*+(?:```|~~~)[^\n]*+$", re.MULTILINE)
_MARKING = ("answer", "plan", "solution", "sequence")
"""Of these words, one is in each marker, and all of it is in one line."""
_SAME_LETTERS = "\u0130\u0131\u017f"
"""What is a Latin letter, too, where case is ignored, but does not become one in lower case."""
_CONCLUDING = tuple(CONCLUSIONS.split(", "))
_CONCLUSION = re.compile(
    rf"(?:^|(?<=[.!?] ))[\s>*_#-]*+{any_of(CONCLUSIONS)}\b,?+(?:[*_]*+:"
    r"|[^\n:.\[(]{0,60}?\b(?:answer|actions|facts|effects|propositions|set|list|state|these|those"
    r"|ones|following|give|get|conclude)\b[^\n:.\[(]{0,40}?(?::|\b(?:are|is)\b:?))[*_]*+"
    r"|\b(?:are|is),? (?:therefore|thus|hence)\b[,:]?[*_]*+",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_MARKERS = 3


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a text where the answer may be; ``cut`` where its end is missing.

    In a ``listed`` region every line is expected to be an action. A ``closed`` one has an end tag
    that says that a plan ends there: where nothing comes before it, the plan is empty. Where a
    ``final`` answer begins at once, what else follows is a remark.
    """

    start: int
    end: int
    how: str
    listed: bool = True
    cut: bool = False
    closed: bool = False
    final: bool = False


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


def regions(text: str) -> Iterator[Region]:
    r"""Yield the places where an answer may be, the most telling first, the whole text last.

    >>> [region.how for region in regions("Plan: (a)\n<answer>(b)</answer>")]
    ['answer tag', 'marker', 'whole text']
    """
    if "<" in text:
        yield from _tagged(text, list(_ANSWER_TAG.finditer(text)), "answer tag")
    if "[" in text:
        yield from _tagged(text, list(_PLAN_TAG.finditer(text)), "plan tag")
    if "\\boxed" in text:
        yield from _boxed(text)
    yield from _marked(text)
    yield Region(0, len(text), "whole text", listed=False)


def conclusions(text: str) -> Iterator[Region]:
    r"""Yield what follows a conclusion in words, the last first: "Hence: …", "So the facts are …".

    >>> text = "It may be (a). So the answer is (b).\nSo (a) is wrong."
    >>> [text[region.start : region.end] for region in conclusions(text)]
    [' (b).\nSo (a) is wrong.']
    """
    low = text.lower()
    if not any(word in low for word in _CONCLUDING):
        return
    found = deque((match.end() for match in _CONCLUSION.finditer(text)), maxlen=_MOST_MARKERS)
    for start in reversed(found):
        yield Region(start, len(text), "conclusion", listed=False)


def _marked(text: str) -> Iterator[Region]:
    """Yield what follows markers such as "Final answer:", the most telling first.

    Behind a final one no list follows another marker.
    """
    if ":" not in text and "#" not in text:
        return
    lines = _lines_with_markers(text)
    found = [marker for line in lines for marker in _MARKER.finditer(text, *line)]
    if not found:
        return
    markers = [marker for marker in found if not _REMARK.search(marker[0])]
    ends = [marker.end() for marker in markers]
    finals = [marker.end() for line in lines for marker in _FINAL.finditer(text, *line)]
    for start in dict.fromkeys((*finals[-1:], *reversed(ends[-_MOST_MARKERS:]))):
        later = (other.end() for other in markers if other.start() >= start)
        final = start in finals and not any(_LISTS.match(text, end) for end in later)
        yield Region(start, len(text), "marker", final=final)


def _lines_with_markers(text: str) -> list[tuple[int, int]]:
    """Return where the lines begin and end that may hold markers."""
    if any(letter in text for letter in _SAME_LETTERS):
        return [(0, len(text))]
    low = text.lower()
    lines: set[tuple[int, int]] = set()
    for word in _MARKING:
        at = low.find(word)
        while at >= 0:
            end = low.find("\n", at)
            end = len(low) if end < 0 else end
            lines.add((low.rfind("\n", 0, at) + 1, end))
            at = low.find(word, end)
    return sorted(lines)


def fences(text: str, region: Region) -> list[Region]:
    r"""Return the insides of the code fences of a region.

    >>> [(fence.start, fence.end) for fence in fences("```\n(a)\n```", Region(0, 11, "whole text"))]
    [(3, 8)]
    """
    if "```" not in text and "~~~" not in text:
        return []
    marks = list(_FENCE.finditer(text, region.start, region.end))
    found = []
    for opening, closing in zip(marks[::2], [*marks[1::2], None], strict=False):
        end = closing.start() if closing else region.end
        found.append(Region(opening.end(), end, "code fence", cut=closing is None))
    return found


def tool_calls(text: str) -> list[Region]:
    """Return the insides of ``<tool_call>`` tags.

    >>> [(call.start, call.end, call.cut) for call in tool_calls("<tool_call>1</tool_call>")]
    [(11, 12, False)]
    """
    tags = list(_CALL_TAG.finditer(text))
    return [
        Region(tag.end(), after.start() if after else len(text), "tool call", cut=after is None)
        for tag, after in zip(tags, [*tags[1:], None], strict=False)
        if not tag["close"]
    ]


def _tagged(text: str, tags: list[re.Match[str]], how: str) -> Iterator[Region]:
    """Yield what follows the last opening tag; before the first tag if that is a closing one."""
    closing = [bool(tag["close"] or tag.groupdict().get("end")) for tag in tags]
    if closing and closing[0]:
        yield Region(0, tags[0].start(), how, closed=how == "plan tag")
    for n in range(len(tags) - 1, -1, -1):
        if not closing[n]:
            closed = n + 1 < len(tags)
            end = tags[n + 1].start() if closed else len(text)
            is_plan = how == "plan tag"
            yield Region(
                *(tags[n].end(), end, how),
                cut=not closed and not is_plan,
                closed=closed and is_plan,
            )
            break


def _boxed(text: str) -> Iterator[Region]:
    boxes = list(_BOXED.finditer(text))
    if boxes:
        start = boxes[-1].end()
        depth = 1
        for brace in _BRACE.finditer(text, start):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                yield Region(start, brace.start(), "box")
                return
        yield Region(start, len(text), "box", cut=True)
