"""Blocks of lines: states, analyses, remarks and other plans beside the plan of an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import accumulate, takewhile

from plangauge.model import Action, Plan
from plangauge.parse.mentions import Line, read_line
from plangauge.parse.vocabulary import Vocabulary

_CONCLUSION = re.compile(
    r"[\s*_#>]*+(?:so|hence|thus|therefore|consequently|altogether|overall|finally|as a result"
    r"|in (?:short|summary|conclusion|total|the end)|to (?:sum up|conclude|summari[sz]e))\b"
    r"[^\n:(\[]{0,80}(?::[\s*_]*+|(?=[(\[]))",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[*_#]*+\w[^\n:()\[\]]{0,60}:")
_REFUSED = re.compile(
    r"[\])|:\s*_`–—-](?:it )?(?:is )?(?:no|impossible|inapplicable|invalid|[✗✘❌]"
    r"|not (?:applicable|possible|executable|allowed|valid|needed|useful|used))[\s*_`.|!)]*+\Z",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"[\s*_#]*+(?:not|rejected|discarded|impossible|inapplicable|invalid|unnecessary|alternatives?"
    r"|considered)\b",
    re.IGNORECASE,
)
_REFUSING = (
    *("no", "impossible", "inapplicable", "invalid"),
    *("rejected", "discarded", "unnecessary", "alternative", "considered"),
)
_GAP = re.compile(r"\n[ \t\r]*+\n")


def without_states(text: str, lines: list[Line], vocabulary: Vocabulary | None) -> list[Line]:
    """Return the lines without the actions of blocks that hold nothing but facts.

    Blocks end at text, at blank lines, and where lines are marked in another way.
    """
    facts = vocabulary.facts if vocabulary is not None else frozenset()
    acting = actions_of(lines)
    if all(action.name in facts for action in acting) or facts.isdisjoint(a.name for a in acting):
        return lines
    kept: list[Line] = []
    block: list[Line] = []
    last: Line | None = None
    for line in lines:
        inside = line.actions or _is_marked(line) or text[line.start].isspace()
        apart = last is not None and line.actions and not _goes_on(text, last, line)
        if not inside or apart:
            kept += _without_state(block, facts)
            block, last = [], None
        block.append(line)
        last = line if line.actions else last
    return kept + _without_state(block, facts)


def _goes_on(text: str, before: Line, line: Line) -> bool:
    """Tell whether a line is marked as the one before it, and its number is not another first."""
    if line.number is None and _GAP.search(text, before.end, line.start + 1):
        return False
    if before.bulleted != line.bulleted or (before.number is None) != (line.number is None):
        return False
    begins = [text[each.start : each.end].lstrip()[:1] == "(" for each in (before, line)]
    if line.number is None and begins[0] != begins[1]:
        return False
    return line.number is None or line.number > (before.number or 0)


def _without_state(block: list[Line], facts: Collection[str]) -> list[Line]:
    if all(action.name in facts for action in actions_of(block)):
        return [replace(line, actions=()) for line in block]
    return block


def without_refused(text: str, lines: list[Line]) -> list[Line]:
    r"""Return marked lines without what is said to be impossible or not meant, if more is there.

    That is said at the end of a line, "(a): no", or by a heading such as "Not useful:".

    >>> text = "- (lift a) no\n- (drop a)"
    >>> lines = [read_line(text, *span, None, listed=True) for span in ((0, 13), (14, 24))]
    >>> [len(line.actions) for line in without_refused(text, lines)]
    [0, 1]
    """
    refused = {line.start for line in _refused(text, lines)} if _may_refuse(text) else set()
    if all(line.start in refused for line in lines if line.actions):
        return lines
    return [replace(line, actions=()) if line.start in refused else line for line in lines]


def _may_refuse(text: str) -> bool:
    """Tell whether a word of `_REFUSED` or `_OTHERS` is in a text, which takes less time."""
    low = text.lower()
    return not text.isascii() or any(word in low for word in _REFUSING)


def _refused(text: str, lines: list[Line]) -> Iterator[Line]:
    under_heading = False
    for line in lines:
        if _is_heading(text, line):
            under_heading = _OTHERS.match(text, line.start, line.end) is not None
        elif not (_is_marked(line) or text[line.start].isspace() or text[line.start] == "|"):
            under_heading = False
        elif under_heading or (
            len(line.actions) == 1 and _REFUSED.search(text, line.start, line.end)
        ):
            yield line


def from_the_start(text: str, lines: list[Line]) -> list[Line]:
    """Return the lines of a final answer that begins with actions; all lines where it does not.

    Numbers go on, bullets end at a label such as "Note:", and other lines follow each other. Behind
    several actions with which the first line opens, its others are in a sentence of their own.
    """
    first = lines[0] if lines else None
    if first is None or not (first.opening or (first.actions and _is_marked(first))):
        return lines
    if 1 < first.opening < len(first.actions):
        rest = " ".join(map(str, first.actions[first.opening :]))
        first = replace(first, actions=first.actions[: first.opening], unread=rest)
        lines = [first, *lines[1:]]
    if first.number is not None:
        last = list(accumulate((line.number or 0 for line in lines), max))
        again = (n for n in range(1, len(lines)) if 0 < (lines[n].number or 0) <= last[n - 1])
        lines = lines[: next(again, None)]
        return [line for line in lines if line.number is not None or not line.actions]
    if first.bulleted:
        bullets = takewhile(lambda line: not _is_labelled(text, line), lines)
        return [line for line in bullets if line.bulleted or not line.actions]
    rows = takewhile(lambda line: line.opening and not _is_labelled(text, line), lines[1:])
    block = [first, *rows]
    return block if count(block) > 1 else lines


def _is_labelled(text: str, line: Line) -> bool:
    return _LABEL.match(text, line.start, line.end) is not None


def _is_marked(line: Line) -> bool:
    return line.bulleted or line.number is not None


def _is_heading(text: str, line: Line) -> bool:
    inside = _is_marked(line) or text[line.start].isspace()
    return not (line.actions or inside) and text[line.start : line.end].rstrip(" *_")[-1:] == ":"


def conclusion(text: str, lines: list[Line], vocabulary: Vocabulary | None) -> list[Line]:
    """Return the lines of "Hence: (a), (b)" behind an analysis in marked lines; [] for none."""
    acting = [n for n, line in enumerate(lines) if line.actions]
    marked = [n for n in acting if _is_marked(lines[n])]
    behind = acting[len(marked) :]
    if not (marked and behind and marked[-1] < behind[0]):
        return []
    first = lines[behind[0]]
    label = _CONCLUSION.match(text, first.start, first.end)
    if label is not None:
        read = read_line(text, label.end(), first.end, vocabulary, listed=True)
        first = replace(read, start=first.start)
    else:
        before = lines[behind[0] - 1]
        label = _CONCLUSION.fullmatch(text, before.start, before.end)
    found = [line for line in (first, *(lines[n] for n in behind[1:])) if line.opening]
    return found if label and first.opening and count(found) > 1 else []


def numberings(lines: list[Line]) -> Iterator[list[Line]]:
    """Yield the lines from where the numbers begin anew to where they do so again."""
    first = 0
    for n in range(1, len(lines)):
        number, before = lines[n].number or 0, lines[n - 1].number or 0
        if number <= 1 and before > number:
            yield lines[first:n]
            first = n
    yield lines[first:]


def blocks(text: str, lines: list[Line], wanted: list[Line]) -> Iterator[list[Line]]:
    """Yield those of the lines that are wanted from one heading to the next."""
    starts = {line.start for line in wanted}
    block: list[Line] = []
    for line in lines:
        if line.start in starts:
            block.append(line)
        elif block and _is_heading(text, line):
            yield block
            block = []
    yield block


def with_known(blocks: list[list[Line]], vocabulary: Vocabulary | None) -> list[list[Line]]:
    """Return the blocks with known actions, or all if there are none; others may be states."""
    if vocabulary is None:
        return blocks
    return [block for block in blocks if vocabulary.knows_any(plan_of(block))] or blocks


def count(lines: list[Line]) -> int:
    """Return the number of actions of some lines."""
    return len(actions_of(lines))


def plan_of(lines: list[Line]) -> Plan:
    """Return the plan of all actions of some lines."""
    return Plan.of(*actions_of(lines))


def actions_of(lines: list[Line]) -> list[Action]:
    """Return the actions of some lines."""
    return [action for line in lines for action in line.actions]
