"""The lines of an answer that make up a plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from plangauge.model import Action, Plan
from plangauge.parse.answers import Region
from plangauge.parse.blocks import (
    blocks,
    conclusion,
    count,
    from_the_start,
    numberings,
    with_known,
    without_refused,
    without_states,
)
from plangauge.parse.listed import made_up_in
from plangauge.parse.mentions import Line, read_line, read_unclosed
from plangauge.parse.vocabulary import Vocabulary

_UNCLOSED = re.compile(r"(?:[^\W\d][\w.-]*+)?+\([^()\n]*+\s*+\Z")
_BLANK = re.compile(r"\s*+")
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
    tail = max(region.start, region.end - _TAIL), region.end
    if text.rfind("(", *tail) <= text.rfind(")", *tail):  # searching takes longer
        return None
    return _UNCLOSED.search(text, *tail)


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
        elif line is lines[-1] and text[line.start : line.end].rstrip()[-1:].isalnum():
            yield line.unread  # "load package", where the answer is cut


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
    lines = from_the_start(text, lines) if region.final else lines
    lines = without_refused(text, without_states(text, lines, vocabulary))
    if concluding := conclusion(text, lines, vocabulary):
        return concluding, "conclusion"
    acting = [line for line in lines if line.actions]
    explicit = [line for line in acting if line.explicit]
    if 2 * len(explicit) >= len(acting) and not (vocabulary and _is_counted(acting)):
        acting = explicit
    numbered = [line for line in acting if line.number is not None]
    if 2 * len(numbered) >= len(acting):
        chosen = with_known([*numberings(numbered)], vocabulary)[-1]
        return _filled(text, lines, chosen, vocabulary), "numbered lines"
    bulleted = [line for line in acting if line.bulleted]
    if 2 * len(bulleted) >= len(acting):
        known = with_known([*blocks(text, lines, bulleted)], vocabulary)
        return [line for block in known for line in block], "bulleted lines"
    opening = [line for line in acting if line.opening]
    if count(opening) > 1 and 2 * count(opening) >= count(acting):  # others only mention one
        acting = opening
    return _last_run(lines, {line.start for line in acting}, vocabulary), "lines"


def _is_counted(lines: list[Line]) -> bool:
    """Tell whether all lines have numbers that only grow, so that they are one plan."""
    numbers = [line.number for line in lines if line.number is not None]
    return len(numbers) == len(lines) and numbers == sorted(numbers)


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


def _last_run(lines: list[Line], wanted: set[int], vocabulary: Vocabulary | None) -> list[Line]:
    """Return the last of several blocks of lines; single lines among text are one plan."""
    runs: list[list[Line]] = [[]]
    for line in lines:
        if line.start in wanted:
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    long = [run for run in runs if count(run) > 1]
    if len(long) > 1 or (long and vocabulary is None):
        return with_known(long, vocabulary)[-1]
    return [line for run in runs for line in run]
