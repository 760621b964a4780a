"""Executing plans in any problem: step by step, or, with numbers and time, by happenings."""

from __future__ import annotations

from typing import Any

from plangauge.core.model import Plan
from plangauge.worlds.base import Problem
from plangauge.worlds.schedule import DEFAULT, Timing
from plangauge.worlds.simulate import Trajectory, simulate


def has_numbers(problem: Problem[Any]) -> bool:
    """Return whether a problem has numbers, time, preferences or constraints."""
    return getattr(problem.world, "numbers", None) is not None


def run_plan(problem: Problem[Any], plan: Plan, timing: Timing = DEFAULT) -> Trajectory[Any]:
    """Return the execution of a plan, with times where the problem has numbers or time."""
    if has_numbers(problem):
        from plangauge.worlds.timed import execute  # which classical problems do not need

        return execute(problem, plan, timing)
    return simulate(problem, plan)
