"""Answers with times and durations: ``0.5: (walk home shop) [3]``."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from os import PathLike

from plangauge.core.decoding import decoded, read_bytes
from plangauge.core.errors import ParseError
from plangauge.core.model import Action, Plan
from plangauge.pddl.quantities import Number, exact
from plangauge.reading.notations.actions import read_action
from plangauge.reading.result import Reading, Status
from plangauge.worlds.schedule import Schedule, TimedAction

_DIGITS = r"(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})"
_STEP = (
    rf"(?:(?P<time>-?{_DIGITS})[ \t]*+:\s*+)?\((?P<words>[^()\[\];:]*+)\)"
    rf"(?:[ \t]*+\[\s*+(?P<duration>-?{_DIGITS})\s*+\])?"
)
_LINE = re.compile(rf"\s*+{_STEP}", re.IGNORECASE)
_TIMED = re.compile(_STEP.replace(r"\s*+)?\(", r"\s*+)\(", 1), re.IGNORECASE)
_FINAL = re.compile(r"\bfinal (?:answer|plan)\b", re.IGNORECASE)
_FENCED = re.compile(r"^[ \t]*+```[^\n]*+\n(.*?)^[ \t]*+```", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r";[^\n]*+")
_LOOKS_TIMED = re.compile(r"[0-9.][ \t]*+:\s*+\(|\)[ \t]*+\[\s*+-?[0-9.]")
_BARE = (
    rf"(?P<time>-?{_DIGITS})[ \t]*+:[ \t]*+(?P<words>[^\W\d][\w-]*+(?:[ \t]++[\w-]++)*+)"
    rf"[ \t]*+\[\s*+(?P<duration>-?{_DIGITS})\s*+\][ \t]*+$"
)
"""An action without parentheses, in a line that has both a time and a duration."""
_BARE_LINE = re.compile(rf"\s*+{_BARE}", re.MULTILINE)
_BARE_TIMED = re.compile(rf"^[ \t]*+{_BARE}", re.MULTILINE)
_ODD = re.compile(
    r"^[ \t]*+([+-][0-9.]++(?:e[+-]?[0-9]++)?|[0-9.]++e[+-]?[0-9]++|[+-]?(?:nan|inf(?:inity)?))"
    r"[ \t]*+:[ \t]*+\(",
    re.IGNORECASE | re.MULTILINE,
)
_BEGINS = re.compile(r"\s*+(?:[0-9.(;+-]|(?:nan|inf(?:inity)?)[ \t]*+:)", re.IGNORECASE)
"""How a plan file begins, its times be right or wrong."""
_NO_TIME = "is not a time: times are decimal numbers from 0 on, without exponents"


def read_schedule(answer: object, notation: str = "auto") -> Reading | None:
    """Return the reading of an answer with times, whose actions have times; None for any other.

    An answer that begins like a plan file must be one, unless its notation is prose; from any other
    text, all timed actions of its final part are taken.
    """
    if isinstance(answer, Schedule):
        return Reading(Plan.of(*answer.actions), notation="plan", how="as given")
    text = decoded(read_bytes(answer)) if isinstance(answer, PathLike) else answer
    if not isinstance(text, str) or notation not in ("auto", "pddl", "prose"):
        return None
    if not _looks_timed(text):
        return None
    used = ((0, len(text)),)
    try:
        return Reading(Plan.of(*read_timed_plan(text).actions), notation="pddl", used=used)
    except ParseError as error:
        strict = notation == "pddl" or (notation == "auto" and _BEGINS.match(text) is not None)
        found = None if strict else find_timed_plan(text)
        if found is None:
            return Reading(None, Status.NO_ANSWER, "pddl", how=error.reason)
        plan, how = Plan.of(*found.actions), "timed actions in the text"
        return doubted(Reading(plan, notation="prose", how=how, used=used), text)


def doubted(reading: Reading, text: str) -> Reading:
    """Return the reading of a text; uncertain where what stands before an action is no time."""
    odd = _ODD.search(text) if ":" in text and reading.answered else None
    if odd is None:
        return reading
    doubts = (f"{odd[1]} {_NO_TIME}", *reading.doubts)
    return replace(reading, status=Status.UNCERTAIN, doubts=doubts)


def _looks_timed(text: str) -> bool:
    """Tell whether a text has an action with a time before it, or a duration behind it."""
    return (":" in text or "[" in text) and any(
        form.search(text) for form in (_LOOKS_TIMED, _BARE_TIMED, _ODD)
    )


def read_timed_plan(text: str) -> Schedule:
    r"""Return the schedule of a plan file; raise `ParseError` for any other text.

    Times and durations are decimal numbers without exponents. Either all actions have a time, or
    none: then they have the numbers of their lines, from 1. Names are in lower case, comments
    begin with a semicolon.

    >>> print(read_timed_plan("2: (wash cup) [1.5]\n0.5: (Fill cup)"))
    0.5: (fill cup)
    2: (wash cup) [1.5]
    """
    bare = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    found: list[tuple[Number | None, TimedAction]] = []
    position = 0
    while match := _LINE.match(bare, position):
        found.append(_read(match, text))
        position = match.end()
    if odd := _ODD.search(bare):
        raise ParseError(f"{odd[1]} {_NO_TIME}", text, odd.start(1))
    if missing := _BARE_LINE.match(bare, position):
        wanted = f"expected parentheses: ({missing['words']})"
        raise ParseError(wanted, text, missing.start("words"))
    if bare[position:].strip():
        raise ParseError("expected time: (name arg ...) [duration]", text, position)
    times = [time for time, _ in found]
    if None not in times:
        return Schedule.of_actions(each for _, each in found)
    if any(time is not None for time in times):
        raise ParseError("some actions have a time, and others none", text)
    numbered = enumerate((each for _, each in found), start=1)
    return Schedule(tuple(replace(each, time=n) for n, each in numbered))


def read_step(text: str) -> Action | None:
    """Return the action of a step, with its time if it has one; None for any other text.

    >>> str(read_step("0.50: (walk home)")), str(read_step("(walk home)"))
    ('0.5: (walk home)', '(walk home)')
    """
    timed = _LINE.fullmatch(text) if text[:1].isdigit() else None
    if timed is None:
        return read_action(text)
    try:
        time, action = _read(timed, text)
    except ParseError:
        return None
    return action.action if time is None else action


def read_timed_list(text: str) -> Schedule | None:
    """Return the schedule of ``[0: (fill cup) [2], …]``; None where a text is not just that.

    >>> print(read_timed_list("[1: (fill cup) [2], 3.5: (drink cup)]"))
    1: (fill cup) [2]
    3.5: (drink cup)
    """
    inner = text.strip()
    marked = _TIMED.sub("\0", inner[1:-1].replace("\0", "?"))
    pieces = "".join(marked.split()).split(",")
    listed = inner[:1] == "[" and inner[-1:] == "]" and {*pieces} == {"\0"}
    return _all_timed(text) if listed else None


def find_timed_plan(text: str) -> Schedule | None:
    """Return the schedule of the timed actions in a text; None where there are none.

    These are the ones after the last "Final answer" or "Final plan", else those of the last code
    block, else all.

    >>> print(find_timed_plan("First, at 1: (fill cup) [2], then 3.5: (drink cup)."))
    1: (fill cup) [2]
    3.5: (drink cup)
    >>> print(find_timed_plan("Maybe 1: (fill cup) [2]? No. Final answer: [2: (drink cup)]"))
    2: (drink cup)
    """
    parts = [*_FENCED.findall(text)[-1:], text]
    if finals := [*_FINAL.finditer(text)]:
        parts.insert(0, text[finals[-1].end() :])
    return next((found for part in parts if (found := _all_timed(part))), None)


def _all_timed(text: str) -> Schedule | None:
    try:
        matches = sorted((*_TIMED.finditer(text), *_BARE_TIMED.finditer(text)), key=re.Match.start)
        found = [_read(match, text) for match in matches]
    except ParseError:
        return None
    return Schedule.of_actions(each for _, each in found) if found else None


def _read(match: re.Match[str], text: str) -> tuple[Number | None, TimedAction]:
    name, *args = match["words"].lower().split() or [""]
    if not name:
        raise ParseError("an action without a name", text, match.start("words"))
    time, duration = (_number(match[group]) for group in ("time", "duration"))
    if time is not None and time < 0:
        raise ParseError(f"{match['time']} {_NO_TIME}", text, match.start("time"))
    return time, TimedAction(name, tuple(args), time or 0, duration)


@lru_cache(maxsize=1024)  # most durations and many times occur again
def _number(text: str | None) -> Number | None:
    return None if text is None else exact(text)
