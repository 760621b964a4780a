"""Where the problem of a run is, and whether it is the one that the run was about."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from plangauge.compat.autoplanbench.config import Entry
from plangauge.compat.autoplanbench.gold import check_ordinary
from plangauge.compat.autoplanbench.logs import Log
from plangauge.conditions import Condition, Is, Not
from plangauge.model import Fact
from plangauge.pddl.domain import Domain
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import load_domain, problem_of, read_text

_INSTANCES = {"adapted_gold_plans": "adapted_instances", "orig_gold_plans": "orig_problems"}
"""Folder of gold plans → the folder beside it that has their problems."""


def problem_files(entry: Entry, task: int | str) -> tuple[str, str] | None:
    """Return the files of domain and problem; None where the entry does not tell where they are."""
    gold = os.path.normpath(entry.gold_plan_dir) if entry.gold_plan_dir is not None else None
    home, name = os.path.split(gold) if gold is not None else ("", "")
    domain, instances = entry.domain_file, entry.instance_dir
    if name in _INSTANCES:
        domain = domain or os.path.join(home, "domain.pddl")  # noqa: PTH118 - as it was given
        instances = instances or os.path.join(home, _INSTANCES[name])  # noqa: PTH118
    if domain is None or instances is None:
        return None
    return domain, os.path.join(instances, f"instance-{task}.pddl")  # noqa: PTH118


def load(domain: str, problem: str) -> Problem[int]:
    """Return a problem, read once for all its runs; raises `ProblemError` as its reader does."""
    check_ordinary(domain)
    check_ordinary(problem)
    return _problem(domain, _version(domain), problem, _version(problem))


def why_another(log: Log, problem: Problem[Any]) -> str | None:
    """Return why a problem cannot be the one of a run; None where nothing speaks against it.

    The summary of a run names the facts of its goal.
    """
    if not log.goal:
        return None
    said = {_literal(key) for key in log.goal}
    wanted = {_as_literal(part) for goal in problem.goals for part in goal.conditions}
    if None in wanted:  # more than literals, of which the log does not tell
        return None
    world = problem.world
    for fact, positive in sorted(said - wanted):
        holds = fact.predicate in world.predicates and world.holds(problem.initial, Is(fact))
        if holds != positive:  # else it is true in every state, and no part of our goal
            return f"the goal of the run has {_told(fact, positive)}, that of the problem not"
    for missing in sorted(each for each in wanted if each is not None and each not in said):
        return f"the goal of the problem has {_told(*missing)}, that of the run not"
    return None


def _version(path: str) -> tuple[str, int, int]:
    """Return what tells a file from another, and from what it was before."""
    try:
        told = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return "", 0, 0
    return os.path.abspath(path), told.st_mtime_ns, told.st_size  # noqa: PTH100


@lru_cache(maxsize=256)
def _problem(domain: str, of_domain: object, problem: str, of_problem: object) -> Problem[int]:
    del of_problem
    return problem_of(_domain(domain, of_domain), read_text(problem), problem)


@lru_cache(maxsize=64)
def _domain(path: str, version: object) -> Domain:
    del version
    return load_domain(path)


def _literal(key: str) -> tuple[Fact, bool]:
    name, *args = _terms(key.removeprefix("not ")) or [""]
    return Fact(name, tuple(args)), not key.startswith("not ")


def _terms(key: str) -> list[str]:
    return key.lower().strip("() ").split()


def _as_literal(condition: Condition) -> tuple[Fact, bool] | None:
    if isinstance(condition, Is):
        return condition.fact, True
    if isinstance(condition, Not) and isinstance(condition.condition, Is):
        return condition.condition.fact, False
    return None


def _told(fact: Fact, positive: bool) -> str:
    return str(fact) if positive else f"(not {fact})"
