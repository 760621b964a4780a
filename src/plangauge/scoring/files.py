"""The files that rows name: domains, problems and words, each read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plangauge.domains.base import DOMAINS
from plangauge.domains.words import Words
from plangauge.pddl.domain import Domain
from plangauge.scoring.stream import Row, encode_row, text_in
from plangauge.worlds.base import Problem
from plangauge.worlds.cache import CACHE, SharedResults
from plangauge.worlds.pddl import load_domain, problem_of, read_text
from plangauge.worlds.schedule import DEFAULT, Timing


@dataclass(frozen=True, slots=True)
class Options:
    """How rows are read."""

    root: str = "."
    """What the paths in the rows are relative to."""
    notation: str = "auto"
    timing: Timing = DEFAULT


def problem_in(row: Row, options: Options) -> Problem[Any]:
    """Return the problem that a row names; raises `ProblemError` where it cannot be read."""
    return _used(_problem(options.root, text_in(row, "domain"), text_in(row, "problem")))


def words_in(row: Row, options: Options) -> Words | None:
    """Return the words that a row names; None where it names none."""
    if row.get("words") is None:
        return None
    return _words(options.root, text_in(row, "words"))


def context_in(row: Row, options: Options) -> tuple[Problem[Any], Words | None]:
    """Return the problem and the words that a row names.

    The domain may also be the name of a built-in one, whose words are the default. Raises
    `ProblemError` for an unreadable file, and `UnknownName` for an unknown domain.
    """
    name, words = text_in(row, "domain"), words_in(row, options)
    if not names_domain(name, options.root):
        return problem_in(row, options), words
    domain = DOMAINS[name]
    problem = _used(_built_in_problem(options.root, name, text_in(row, "problem")))
    return problem, domain.words if words is None else words


def names_domain(name: str, root: str = ".") -> bool:
    """Return whether a text can only be the name of a built-in domain, not the path of a file.

    >>> names_domain("depots"), names_domain("depots.pddl"), names_domain("my/depots")
    (True, False, False)
    """
    path = Path(name)
    return path.name == name and not path.suffix and not (Path(root) / path).is_file()


def spelling_in(row: Row, options: Options) -> Mapping[str, str]:
    """Return the names that the domain file of a row does not write lower-case, as written."""
    return _domain(options.root, text_in(row, "domain")).spelling


def plan_text(plan: Any) -> str:
    """Return a plan as text; a list or an object is written back as JSON."""
    if isinstance(plan, str):
        return plan
    return encode_row(plan).decode()


def _used(problem: Problem[Any]) -> Problem[Any]:
    CACHE.use(problem)
    return problem


@SharedResults
def _domain(root: str, path: str) -> Domain:
    return load_domain(Path(root, path))


@SharedResults
def _problem(root: str, domain: str, problem: str) -> Problem[Any]:
    path = Path(root, problem)
    return problem_of(_domain(root, domain), read_text(path), str(path))


@SharedResults
def _built_in_problem(root: str, domain: str, problem: str) -> Problem[Any]:
    path = Path(root, problem)
    return DOMAINS[domain].problem(read_text(path), str(path))


@SharedResults
def _words(root: str, path: str) -> Words:
    return Words.load(Path(root, path))
