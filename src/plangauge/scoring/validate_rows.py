"""Validating many answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from plangauge.core.errors import ProblemError
from plangauge.reading import Status
from plangauge.scoring.files import Options, plan_text, problem_in, words_in
from plangauge.scoring.stream import Row, attempt, judged, stream, text_in
from plangauge.scoring.verdict import validate

_RESULTS = (
    "readable", "reading", "doubts", "notation", "executable", "goal_reached", "valid", "fault",
    "step", "action", "message", "unmet", "goal_fraction", "goal_missed", "length", "executed",
    "cost", "metric", "violated", "makespan", "metrics",
)  # fmt: skip


@dataclass
class Tally:
    """Counts of rows by result."""

    rows: int = 0
    bad: int = 0
    unreadable: int = 0
    uncertain: int = 0
    """How many were read with doubt; the other counts include them."""
    uncertain_valid: int = 0
    executable: int = 0
    valid: int = 0

    def add(self, row: Row) -> None:
        """Count a row of results."""
        self.rows += 1
        self.bad += row["error"] is not None
        self.unreadable += row["readable"] is False
        uncertain = row.get("reading") == Status.UNCERTAIN
        self.uncertain += uncertain
        self.uncertain_valid += uncertain and row["valid"] is True
        self.executable += row["executable"] is True
        self.valid += row["valid"] is True

    def __str__(self) -> str:
        summary = (
            f"{self.rows:,} rows: {self.valid:,} valid, {self.executable:,} executable, "
            f"{self.unreadable:,} unreadable"
        )
        if not self.uncertain:
            return summary
        sure, valid = self.rows - self.bad - self.uncertain, self.valid - self.uncertain_valid
        return f"{summary}, {self.uncertain:,} uncertain; without these {valid:,} of {sure:,} valid"


def validate_rows(lines: Iterable[bytes], options: Options, *, jobs: int = 1) -> Iterator[Row]:
    """Yield a row of results for each line that is not blank, in the same order.

    A line is ``{"id", "domain", "problem", "plan"}``, where the domain and the problem are paths
    and the plan is a text (or JSON that the notation ``json`` reads), with an optional
    ``"reference"`` plan and ``"notation"``. Instead of a plan it may have a ``"response"``, free
    text, and ``"words"``, the path of a words file for it. A line that cannot be used gives a row
    whose ``error`` says why. Memory does not grow with the number of lines; ``jobs`` processes
    share the work.
    """
    work = partial(judged, partial(_validate, options), dict.fromkeys(_RESULTS))
    return stream(lines, work, jobs=jobs)


def validate_line(options: Options, line: bytes) -> Row:
    """Return the results for one line; if it cannot be used, only its ``error``."""
    ident, results, error = attempt(line, partial(_validate, options))
    return {"id": ident, "error": error, **(results or dict.fromkeys(_RESULTS))}


def _validate(options: Options, row: Row) -> Row:
    problem = problem_in(row, options)
    answer = _answer(row)
    silent = row.get("plan") is None and not answer.strip()  # no answer, not an empty plan file
    notation = "prose" if silent else row.get("notation", options.notation)
    if not isinstance(notation, str):
        raise ProblemError(f"'notation' must be a name, not {notation!r}")
    reference = row.get("reference")
    verdict = validate(
        problem,
        answer,
        notation=notation,
        words=words_in(row, options),
        reference=None if reference is None else plan_text(reference),
        timing=options.timing,
    )
    return verdict.as_row()


def _answer(row: Row) -> str:
    plan, response = row.get("plan"), row.get("response")
    if (plan is None) == (response is None):
        wrong = "is missing" if plan is None else "and 'response' exclude each other"
        raise ProblemError(f"'plan' {wrong}")
    return plan_text(plan) if response is None else text_in(row, "response", "a text")
