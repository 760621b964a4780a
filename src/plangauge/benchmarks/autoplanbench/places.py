"""The paths of a run's problem and gold plan, and whether the run was about that problem."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from plangauge.benchmarks.autoplanbench.config import Entry
from plangauge.benchmarks.autoplanbench.logs import Log
from plangauge.core.conditions import Condition, Is, Not
from plangauge.core.errors import ProblemError
from plangauge.core.model import Fact
from plangauge.pddl.domain import Domain
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import load_domain, problem_of, read_text


def gold_file(folder: str | None, task: int | str) -> str:
    """Return the path of a task's gold plan; raises `ProblemError` without a folder."""
    if folder is None:
        raise ProblemError("'gold_plan_dir' is null, so there are no gold plans")
    return os.path.join(folder, f"instance-{task}_gold_plan.txt")  # noqa: PTH118 - shown as given


def check_ordinary(file: str) -> None:
    """Raise `ProblemError` for a pipe or a device, which could block forever."""
    if os.path.exists(file) and not os.path.isfile(file):  # noqa: PTH110, PTH113
        raise ProblemError("this is not a regular file", file=file)


def gold_length(file: str) -> int:
    """Return the number of actions in a gold plan: lines that begin with a parenthesis.

    Raises `ProblemError` where the file cannot be read.
    """
    check_ordinary(file)
    try:
        with open(file, "rb") as lines:  # noqa: PTH123
            return sum(line.removeprefix(b"\xef\xbb\xbf").startswith(b"(") for line in lines)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ProblemError(f"cannot read the gold plan: {reason}", file=file) from error


_INSTANCES = {"adapted_gold_plans": "adapted_instances", "orig_gold_plans": "orig_problems"}
"""Folder of gold plans → the folder beside it that has their problems."""


def problem_files(entry: Entry, task: int | str) -> tuple[str, str] | None:
    """Return the files of domain and problem; None if the entry does not determine them."""
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
    """Return why a problem cannot be that of a run, judging by the goal; None if it can be.

    The summary of a run names the facts of its goal.
    """
    if not log.goal:
        return None
    said = {_literal(key) for key in log.goal}
    wanted = {_as_literal(part) for goal in problem.goals for part in goal.conditions}
    if None in wanted:  # more than literals, which the log omits
        return None
    world = problem.world
    for fact, positive in sorted(said - wanted):
        holds = fact.predicate in world.predicates and world.holds(problem.initial, Is(fact))
        if holds != positive:  # else it is always true, and not in our goal
            return f"the goal of the run has {_as_text(fact, positive)}, that of the problem not"
    for missing in sorted(each for each in wanted if each is not None and each not in said):
        return f"the goal of the problem has {_as_text(*missing)}, that of the run not"
    return None


def _version(path: str) -> tuple[str, int, int]:
    """Return a key that identifies a file and its version."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return "", 0, 0
    return os.path.abspath(path), status.st_mtime_ns, status.st_size  # noqa: PTH100


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


def _as_text(fact: Fact, positive: bool) -> str:
    return str(fact) if positive else f"(not {fact})"
