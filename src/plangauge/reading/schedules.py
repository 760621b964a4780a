"""Answers with times."""

from __future__ import annotations

import re
from dataclasses import replace
from os import PathLike

from plangauge.core.decoding import decoded, read_bytes
from plangauge.core.errors import ParseError
from plangauge.core.model import Plan
from plangauge.reading.result import Reading, Status
from plangauge.worlds.schedule import Schedule

_BEGINS = re.compile(r"\s*+(?:[0-9.(;+-]|(?:nan|inf(?:inity)?)[ \t]*+:)", re.IGNORECASE)
"""How a plan file begins, its times be right or wrong."""


def read_schedule(answer: object, notation: str = "auto") -> Reading | None:
    """Return the reading of an answer with times, whose actions have times; None for any other.

    An answer that begins like a plan file must be one, unless its notation is prose; from any other
    text, all timed actions of its final part are taken.
    """
    if isinstance(answer, Schedule):
        return Reading(Plan.of(*answer.actions), notation="plan", how="as given")
    from plangauge.reading.timed import find_timed_plan, looks_timed, read_timed_plan

    text = decoded(read_bytes(answer)) if isinstance(answer, PathLike) else answer
    if not isinstance(text, str) or notation not in ("auto", "pddl", "prose"):
        return None
    if not looks_timed(text):
        return None
    used = ((0, len(text)),)
    try:
        return Reading(Plan.of(*read_timed_plan(text).actions), notation="pddl", used=used)
    except ParseError as error:
        begins = _BEGINS.match(text) is not None
        strict = notation == "pddl" or (notation == "auto" and begins)
        found = None if strict else find_timed_plan(text)
        if found is None:
            return Reading(None, Status.NO_ANSWER, "pddl", how=error.reason)
        plan, how = Plan.of(*found.actions), "timed actions in the text"
        return doubted(Reading(plan, notation="prose", how=how, used=used), text)


def doubted(reading: Reading, text: str) -> Reading:
    """Return the reading of a text; uncertain where what stands before an action is no time."""
    if ":" not in text or not reading.answered:
        return reading
    from plangauge.reading.timed import time_error

    odd = time_error(text)
    if not odd:
        return reading
    return replace(reading, status=Status.UNCERTAIN, doubts=(odd, *reading.doubts))
