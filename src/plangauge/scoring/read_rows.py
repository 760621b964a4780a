"""Reading many answers: what each says, how certain that is, and where it says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from plangauge.core.errors import ProblemError
from plangauge.domains.words import Words
from plangauge.episodes.policy import APPROACHES
from plangauge.episodes.reading import read_turn
from plangauge.reading.result import Reading, Status
from plangauge.scoring.files import Options, context_in
from plangauge.scoring.stream import Row, judged, shown, stream, text_in
from plangauge.tasks import read_answer
from plangauge.worlds.base import Problem

TURN = "turn"
"""The task name for reading a single turn of an episode."""
USUAL_POLICY = "act"


@dataclass
class ReadTally:
    """Counts of rows by the status of their reading."""

    rows: int = 0
    bad: int = 0
    statuses: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Count a row of results."""
        self.rows += 1
        self.bad += "error" in row
        if "status" in row:
            self.statuses[row["status"]] = self.statuses.get(row["status"], 0) + 1

    @property
    def by_status(self) -> str:
        """The count of every status, as text."""
        return ", ".join(f"{self.statuses.get(status, 0):,} {status.value}" for status in Status)

    def __str__(self) -> str:
        return f"{self.rows:,} rows: {self.by_status}"


def read_rows(lines: Iterable[bytes], options: Options, *, jobs: int = 1) -> Iterator[Row]:
    """Yield a row with the reading of the response in each line that is not blank.

    A line is ``{"id", "task", "domain", "problem", "response"}``, and may have ``"words"`` and,
    where the task is *turn*, the ``"policy"``; all paths are relative to the root. A line that
    cannot be used gives a row whose ``error`` says why. Memory does not grow with the number of
    lines; ``jobs`` processes share the work.
    """
    return stream(lines, partial(judged, partial(_read, options), None), jobs=jobs)


def read_as(
    task: str,
    problem: Problem[int],
    text: str,
    words: Words | None = None,
    policy: str = USUAL_POLICY,
) -> Reading:
    """Return the reading of an answer to a task, or of a *turn* by the policy of an approach.

    Raises `UnknownName` for an unknown task, and `ProblemError` for an unknown policy.
    """
    if task != TURN:
        return read_answer(task, problem, text, words=words)
    if policy not in APPROACHES:
        raise ProblemError(f"'policy' must be one of {', '.join(APPROACHES)}, not {shown(policy)}")
    return read_turn(problem, text, policy=APPROACHES[policy], words=words)


def _read(options: Options, row: Row) -> Row:
    task = text_in(row, "task", "the name of a task")
    text = text_in(row, "response", "a text")
    policy = row.get("policy")
    if policy is None:
        policy = USUAL_POLICY
    elif not isinstance(policy, str):
        raise ProblemError(f"'policy' must be the name of an approach, not {shown(policy)}")
    problem, words = context_in(row, options)
    return read_as(task, problem, text, words, policy).as_row()
