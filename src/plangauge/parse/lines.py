"""The lines of an answer that make up a plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from plangauge.model import Action, Plan
from plangauge.parse.answers import Region
from plangauge.parse.listed import made_up_in
from plangauge.parse.mentions import Line, read_line, read_unclosed
from plangauge.parse.vocabulary import Vocabulary

_UNCLOSED = re.compile(r"(?:[^\W\d][\w.-]*+)?+\([^()\n]*+\s*+\Z")
_BLANK = re.compile(r"\s*+")
_CONCLUSION = re.compile(
    r"[\s*_#>]*+(?:so|hence|thus|therefore|consequently|altogether|overall|finally|as a result"
    r"|in (?:short|summary|conclusion|total|the end)|to (?:sum up|conclude|summari[sz]e))\b"
    r"[^\n:(\[]{0,80}(?::[\s*_]*+|(?=[(\[]))",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[*_#]*+\w[^\n:()\[\]]{0,60}:")
_GAP = re.compile(r"\n[ \t\r]*+\n")
_TAIL = 400
_MOST_SKIPPED = 20
_LONGEST_SKIPPED = 200


@dataclass(frozen=True, slots=True)
class Found:
    """A plan in a region of the text; ``cut`` where the text ends before the plan does."""

    plan: Plan
    start: int
    end: int
    how: str
    cut: bool = False
    skipped: tuple[str, ...] = ()


def bounded(parts: Iterable[str]) -> tuple[str, ...]:
    """Return what was skipped, as much of it as a reading may hold.

    >>> bounded(["", " a "])
    ('a',)
    """
    shown = (part.strip()[:_LONGEST_SKIPPED] for part in parts)
    return tuple(part for part, _ in zip(filter(None, shown), range(_MOST_SKIPPED), strict=False))


def ends_early(text: str, region: Region) -> re.Match[str] | None:
    r"""Return what stands behind a parenthesis that the end of the text leaves open.

    >>> ends_early("(a) (b c\n", Region(0, 9, "whole text"))[0]
    '(b c\n'
    """
    if _BLANK.fullmatch(text, region.end) is None:
        return None
    return _UNCLOSED.search(text, max(region.start, region.end - _TAIL), region.end)


def in_lines(text: str, region: Region, vocabulary: Vocabulary | None) -> Found | None:
    r"""Return the plan in the lines of a region; one without steps where it is cut in its first.

    >>> found = in_lines("1. (a)\n2. (b", Region(0, 13, "whole text"), None)
    >>> str(found.plan), found.cut, found.how
    ('(a)', True, 'numbered lines')
    """
    tail = ends_early(text, region)
    lines = list(
        _lines(text, region.start, tail.start() if tail else region.end, region, vocabulary)
    )
    chosen, how = _chosen(text, lines, region, vocabulary)
    actions = [action for line in chosen for action in line.actions]
    cut, end = region.cut, chosen[-1].end if chosen else region.end
    if tail and (chosen or vocabulary):
        last = read_unclosed(tail[0].rstrip(), vocabulary)
        in_words = chosen and not chosen[-1].explicit and chosen[-1].end >= tail.start()
        if last and not in_words:
            actions.append(last)
        cut, end = True, region.end
    elif vocabulary and _is_short(text, region, lines, chosen, vocabulary):
        if lines[-1] in chosen and _lacks(actions[-1], vocabulary):
            actions.pop()
        cut, end = True, region.end
    if not actions and not (chosen and cut):
        return None
    start = chosen[0].start if chosen else region.start
    skipped = bounded(_skipped(text, lines, chosen, end))
    return Found(Plan.of(*actions), start, end, how, cut, skipped)


def _is_short(
    text: str, region: Region, lines: list[Line], chosen: list[Line], vocabulary: Vocabulary
) -> bool:
    """Tell whether the text ends in an action whose arguments are missing.

    Where it does not end with a word such as "on", the other actions must have all of theirs.
    """
    if not (lines and chosen and lines[-1].short) or _BLANK.fullmatch(text, region.end) is None:
        return False
    actions = [action for line in chosen for action in line.actions]
    others = actions[:-1] if lines[-1] is chosen[-1] else actions
    complete = bool(others) and not any(_lacks(action, vocabulary) for action in others)
    return lines[-1].short > 1 or complete


def _lacks(action: Action, vocabulary: Vocabulary) -> bool:
    return len(action.args) < vocabulary.actions.get(action.name, 0)


def _skipped(text: str, lines: list[Line], chosen: list[Line], end: int) -> Iterator[str]:
    """Yield the lines among the chosen ones, and those of plans that were given up for others."""
    start = chosen[0].start if chosen else end
    inside = {line.start for line in chosen}
    kept = [action for line in chosen for action in line.actions]
    others = [action for line in lines if line.start not in inside for action in line.actions]
    late = bool(chosen) and (chosen[0].number or 0) > 1  # the first numbers name no actions
    repeated = bool(kept) and others == kept * (len(others) // len(kept))
    for line in lines:
        if line.start in inside:
            yield line.unread
        elif (
            (line.actions and not repeated)
            or (line.number is not None and (late or line.start >= start))
            or start <= line.start < end
        ):
            yield text[line.start : line.end]


def _lines(
    text: str, start: int, stop: int, region: Region, vocabulary: Vocabulary | None
) -> Iterator[Line]:
    """Yield the lines that are not blank."""
    while start < stop:
        end = text.find("\n", start, stop)
        end = stop if end < 0 else end
        if text[start:end].strip():
            yield read_line(text, start, end, vocabulary, listed=region.listed)
        start = end + 1


def _chosen(
    text: str, lines: list[Line], region: Region, vocabulary: Vocabulary | None
) -> tuple[list[Line], str]:
    """Return the lines that make up the plan, all marked and written in the same way."""
    lines = _at_once(text, lines) if region.final else lines
    lines = _without_states(text, lines, vocabulary)
    if concluding := _conclusion(text, lines, vocabulary):
        return concluding, "conclusion"
    acting = [line for line in lines if line.actions]
    explicit = [line for line in acting if line.explicit]
    if 2 * len(explicit) >= len(acting) and not (vocabulary and _is_counted(acting)):
        acting = explicit
    numbered = [line for line in acting if line.number is not None]
    if 2 * len(numbered) >= len(acting):
        chosen = _known([*_numberings(numbered)], vocabulary)[-1]
        return _filled(text, lines, chosen, vocabulary), "numbered lines"
    bulleted = [line for line in acting if line.bulleted]
    if 2 * len(bulleted) >= len(acting):
        blocks = _known([*_blocks(text, lines, bulleted)], vocabulary)
        return [line for block in blocks for line in block], "bulleted lines"
    opening = [line for line in acting if line.opening]
    if _count(opening) > 1 and 2 * _count(opening) >= _count(acting):  # others only mention one
        acting = opening
    return _last_run(lines, {line.start for line in acting}, vocabulary), "lines"


def _without_states(text: str, lines: list[Line], vocabulary: Vocabulary | None) -> list[Line]:
    """Return the lines without the actions of blocks that hold nothing but facts.

    Blocks end at text, at blank lines, and where lines are marked in another way.
    """
    facts = vocabulary.facts if vocabulary is not None else frozenset()
    acting = _actions(lines)
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
    if all(action.name in facts for action in _actions(block)):
        return [replace(line, actions=()) for line in block]
    return block


def _at_once(text: str, lines: list[Line]) -> list[Line]:
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
        bullets = takewhile(lambda line: not _LABEL.match(text, line.start, line.end), lines)
        return [line for line in bullets if line.bulleted or not line.actions]
    block = list(takewhile(lambda line: line.opening, lines))
    return block if _count(block) > 1 else lines


def _is_marked(line: Line) -> bool:
    return line.bulleted or line.number is not None


def _is_heading(text: str, line: Line) -> bool:
    inside = _is_marked(line) or text[line.start].isspace()
    return not (line.actions or inside) and text[line.start : line.end].rstrip(" *_")[-1:] == ":"


def _conclusion(text: str, lines: list[Line], vocabulary: Vocabulary | None) -> list[Line]:
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
    return found if label and first.opening and _count(found) > 1 else []


def _is_counted(lines: list[Line]) -> bool:
    """Tell whether all lines have numbers that only grow, so that they are one plan."""
    numbers = [line.number for line in lines if line.number is not None]
    return len(numbers) == len(lines) and numbers == sorted(numbers)


def _numberings(lines: list[Line]) -> Iterator[list[Line]]:
    """Yield the lines from where the numbers begin anew to where they do so again."""
    first = 0
    for n in range(1, len(lines)):
        number, before = lines[n].number or 0, lines[n - 1].number or 0
        if number <= 1 and before > number:
            yield lines[first:n]
            first = n
    yield lines[first:]


def _filled(
    text: str, lines: list[Line], chosen: list[Line], vocabulary: Vocabulary | None
) -> list[Line]:
    """Return numbered lines with those between and behind them that can only make up an action.

    All others must be nothing but an action, and the numbers must go on.
    """
    if vocabulary is None or not all(_is_terse(text, line) for line in chosen):
        return chosen
    wanted = {line.start for line in chosen}
    filled: list[Line] = []
    for line in lines:
        if line.start in wanted:
            filled.append(line)
        elif filled and not line.actions and line.number == (filled[-1].number or 0) + 1:
            action = made_up_in(text[line.start : line.end], vocabulary)
            filled += [replace(line, actions=(action,))] if action else []
    return filled


def _is_terse(text: str, line: Line) -> bool:
    words = text[line.start : line.end].split()
    return line.explicit or len(words) <= 2 + len(line.actions[0].args)


def _blocks(text: str, lines: list[Line], wanted: list[Line]) -> Iterator[list[Line]]:
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


def _known(blocks: list[list[Line]], vocabulary: Vocabulary | None) -> list[list[Line]]:
    """Return the blocks with known actions, or all if there are none; others may be states."""
    if vocabulary is None:
        return blocks
    return [block for block in blocks if vocabulary.knows_any(_plan(block))] or blocks


def _count(lines: list[Line]) -> int:
    return len(_actions(lines))


def _last_run(lines: list[Line], wanted: set[int], vocabulary: Vocabulary | None) -> list[Line]:
    """Return the last of several blocks of lines; single lines among text are one plan."""
    runs: list[list[Line]] = [[]]
    for line in lines:
        if line.start in wanted:
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    long = [run for run in runs if _count(run) > 1]
    if len(long) > 1 or (long and vocabulary is None):
        return _known(long, vocabulary)[-1]
    return [line for run in runs for line in run]


def _plan(lines: list[Line]) -> Plan:
    return Plan.of(*_actions(lines))


def _actions(lines: list[Line]) -> list[Action]:
    return [action for line in lines for action in line.actions]
