"""What is asked of the list of responses, as SQL; values are always parameters."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any, NamedTuple

from plangauge.core.errors import ProblemError
from plangauge.reports.columns import SIZES
from plangauge.reports.outcomes import OUTCOMES, RIGHT

MOST_ROWS = 1000
"""So many rows are given at once."""
FACETS = {
    "model": "label", "task": "task", "domain": "domain", "outcome": "outcome", "status": "status"
}  # fmt: skip
"""What responses are chosen by → the column that has it."""

_SAME = {
    "model": "label = ?",
    "task": "task = ?",
    "domain": "domain = ?",
    "status": "status = ?",
}
_NUMBERS = {"least": "round(score, 6) >= ?", "most": "round(score, 6) <= ?", "step": "step + 1 = ?"}
_DIFFERS = (
    "EXISTS (SELECT 1 FROM records AS other WHERE other.label = ? AND (other.suite, other.sample, "
    "other.epoch, other.nth) = (records.suite, records.sample, records.epoch, records.nth) "
    "AND round(other.score, 6) IS DISTINCT FROM round(records.score, 6))"
)
_MOST_WORDS = 50

_PLACES = "coalesce(list_position(?::VARCHAR[], outcome), 1000)"
_ORDERS = {
    "": "place",
    "question": "lower(sample)",
    "model": "lower(label)",
    "epoch": "epoch",
    "outcome": _PLACES,
    "score": "score",
    "measured as": '"primary"',
    "failed at step": "step",
    "reading": "status",
}
"""Heading of a column → what it is sorted by."""


class Clause(NamedTuple):
    """A condition or an order in SQL, and the values of its parameters."""

    sql: str
    values: tuple[Any, ...] = ()


def wanted(given: Mapping[str, str]) -> Clause:
    """Return which records fit what is given; what is empty or not known means nothing.

    Known are ``model``, ``task``, ``domain``, ``outcome`` (*wrong* for all but right), ``status``,
    ``scores`` (names set apart by commas), ``step`` from 1, ``least`` and ``most`` of the score,
    ``by`` (one of the `SIZES`) with ``smallest`` and ``largest``, ``differ`` (a model that scored
    otherwise at the same question), and ``search``: words that must all occur. Raises
    `ProblemError` for what is not a number, or no size.

    >>> wanted({"model": "m", "least": "0.5"})
    Clause(sql='label = ? AND round(score, 6) >= ?', values=('m', 0.5))
    >>> wanted({})
    Clause(sql='TRUE', values=())
    """
    parts: list[tuple[str, Any]] = []
    parts += [(test, given[key]) for key, test in _SAME.items() if given.get(key)]
    if outcome := given.get("outcome"):
        wrong = outcome == "wrong"
        parts.append(("outcome != ?", RIGHT) if wrong else ("outcome = ?", outcome))
    parts += [(test, number(given[key])) for key, test in _NUMBERS.items() if given.get(key)]
    if scores := given.get("scores"):
        parts.append(("\"primary\" IN (SELECT unnest(string_split(?, ',')))", scores))
    if other := given.get("differ"):
        parts.append((_DIFFERS, other))
    for key, sign in (("smallest", ">="), ("largest", "<=")):
        if given.get(key):
            parts.append((f"{size_column(given.get('by', ''))} {sign} ?", number(given[key])))
    words = given.get("search", "").lower().split()[:_MOST_WORDS]
    parts += [("contains(words, ?)", word) for word in words]
    if not parts:
        return Clause("TRUE")
    return Clause(" AND ".join(test for test, _ in parts), tuple(value for _, value in parts))


def ordered(title: str, *, up: bool) -> Clause:
    """Return the order by a column; what is not defined comes last. Raises `ProblemError`."""
    if title not in _ORDERS:
        raise ProblemError(f"there is no column {title!r}")
    by = f"{_ORDERS[title]} {'ASC' if up or not title else 'DESC'} NULLS LAST, place"
    return Clause(by, ([*OUTCOMES],) if title == "outcome" else ())


def size_column(name: str) -> str:
    """Return the column with a size; raises `ProblemError` where there is no such size."""
    if name not in SIZES:
        raise ProblemError(f"there is no size {name!r}")
    return f"size_{name}"


def number(text: str) -> float:
    """Return a number; raises `ProblemError` for what is none.

    >>> number("0.5")
    0.5
    """
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if isnan(value):
        raise ProblemError(f"not a number: {text[:40]!r}")
    return value
