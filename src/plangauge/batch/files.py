"""The files that rows name: domains, problems and words, each read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from plangauge.batch.stream import Row, encode_row, text_in
from plangauge.domains.base import DOMAINS
from plangauge.domains.words import Words
from plangauge.pddl.domain import Domain
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import load_domain, problem_of, read_text


@dataclass(frozen=True, slots=True)
class Options:
    """How rows are read."""

    root: str = "."
    """What the paths in the rows are relative to."""
    notation: str = "auto"


def problem_in(row: Row, options: Options) -> Problem[int]:
    """Return the problem that a row names; raises `ProblemError` where it cannot be read."""
    root = Path(options.root)
    return _load(str(root / text_in(row, "domain")), str(root / text_in(row, "problem")))


def words_in(row: Row, options: Options) -> Words | None:
    """Return the words that a row names; None where it names none."""
    if row.get("words") is None:
        return None
    return _load_words(str(Path(options.root) / text_in(row, "words")))


def context_in(row: Row, options: Options) -> tuple[Problem[int], Words | None]:
    """Return the problem that a row names, and the words.

    Its domain may also be the name of a built-in one, whose words are taken where it names none.
    Raises `ProblemError` where something cannot be read, and `UnknownName` for no such domain.
    """
    name, words = text_in(row, "domain"), words_in(row, options)
    if not names_domain(name, options.root):
        return problem_in(row, options), words
    domain = DOMAINS[name]
    problem = _load_built_in(name, str(Path(options.root) / text_in(row, "problem")))
    return problem, domain.words if words is None else words


def names_domain(name: str, root: str = ".") -> bool:
    """Return whether a text can only be the name of a built-in domain, not the path of a file.

    >>> names_domain("depots"), names_domain("depots.pddl"), names_domain("my/depots")
    (True, False, False)
    """
    path = Path(name)
    return path.name == name and not path.suffix and not (Path(root) / path).is_file()


def spelling_in(row: Row, options: Options) -> Mapping[str, str]:
    """Return how the domain file of a row writes the names that it does not write lower-case."""
    return _load_domain(str(Path(options.root) / text_in(row, "domain"))).spelling


def plan_text(plan: Any) -> str:
    """Return a plan as text; a list or an object is written back as JSON."""
    if isinstance(plan, str):
        return plan
    return encode_row(plan).decode()


@lru_cache(maxsize=64)
def _load_domain(path: str) -> Domain:
    return load_domain(path)


@lru_cache(maxsize=256)
def _load(domain: str, problem: str) -> Problem[int]:
    return problem_of(_load_domain(domain), read_text(problem), problem)


@lru_cache(maxsize=256)
def _load_built_in(domain: str, problem: str) -> Problem[int]:
    return DOMAINS[domain].problem(read_text(problem), problem)


@lru_cache(maxsize=64)
def _load_words(path: str) -> Words:
    return Words.load(path)
