"""Answers with times, and executing plans in any problem."""

from __future__ import annotations

import re
from dataclasses import replace
from os import PathLike
from typing import Any

from plangauge.core.decoding import decoded, read_bytes
from plangauge.core.errors import ParseError
from plangauge.core.model import Plan
from plangauge.reading import Reading, Status
from plangauge.worlds.base import Problem
from plangauge.worlds.schedule import Schedule, Timing
from plangauge.worlds.simulate import Trajectory, simulate

_BEGINS = re.compile(r"\s*+(?:[0-9.(;+-]|(?:nan|inf(?:inity)?)[ \t]*+:)", re.IGNORECASE)
"""How a plan file begins, its times be right or wrong."""


def has_numbers(problem: Problem[Any]) -> bool:
    """Return whether a problem has numbers, time, preferences or constraints."""
    return getattr(problem.world, "numbers", None) is not None


def run_of(problem: Problem[Any], plan: Plan | Schedule, timing: Timing) -> Trajectory[Any]:
    """Return the execution of a plan, with times where the problem has numbers or time."""
    if has_numbers(problem):
        from plangauge.worlds.timed import execute  # which classical problems do not need

        return execute(problem, plan, timing)
    return simulate(problem, plan.plan if isinstance(plan, Schedule) else plan)


def read_schedule(answer: object, notation: str) -> tuple[Schedule | None, Reading | None]:
    """Return the schedule of an answer with times, and its reading; None for any other answer.

    An answer that begins like a plan file must be one; from a text, all timed actions are taken.
    """
    if isinstance(answer, Schedule):
        return answer, Reading(answer.plan, notation="plan", how="as given")
    from plangauge.reading.timed import find_timed_plan, looks_timed, read_timed_plan

    text = decoded(read_bytes(answer)) if isinstance(answer, PathLike) else answer
    if not isinstance(text, str) or notation not in ("auto", "pddl", "prose"):
        return None, None
    if not looks_timed(text):
        return None, None
    used = ((0, len(text)),)
    try:
        schedule = read_timed_plan(text)
        return schedule, Reading(schedule.plan, notation="pddl", used=used)
    except ParseError as error:
        begins = _BEGINS.match(text) is not None
        strict = notation == "pddl" or (notation == "auto" and begins)
        found = None if strict else find_timed_plan(text)
        if found is None:
            return None, Reading(None, Status.NO_ANSWER, "pddl", how=error.reason)
        how = "timed actions in the text"
        return found, doubted(Reading(found.plan, notation="prose", how=how, used=used), text)


def doubted(reading: Reading, text: str) -> Reading:
    """Return the reading of a text; uncertain where what stands before an action is no time."""
    if ":" not in text or not reading.answered:
        return reading
    from plangauge.reading.timed import odd_time

    odd = odd_time(text)
    if not odd:
        return reading
    return replace(reading, status=Status.UNCERTAIN, doubts=(odd, *reading.doubts))
