"""Scoring many answers to questions about actions and change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from plangauge.batch.files import Options, plan_text, problem_in, spelling_in, words_in
from plangauge.batch.stream import Row, attempt, stream, text_in
from plangauge.errors import ProblemError
from plangauge.evaluate import read_reference
from plangauge.model import Action
from plangauge.reading import Status
from plangauge.reading.notations.actions import read_action
from plangauge.tasks import Question, Task, find_task
from plangauge.tasks.base import Listed
from plangauge.worlds.base import Problem


@dataclass
class ScoreTally:
    """How many rows came out how."""

    rows: int = 0
    bad: int = 0
    responses: int = 0
    statuses: dict[str, int] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Count a row of results."""
        self.rows += 1
        self.bad += "error" in row
        if "status" in row:
            self.responses += 1
            self.statuses[row["status"]] = self.statuses.get(row["status"], 0) + 1

    def __str__(self) -> str:
        read = ", ".join(f"{self.statuses.get(status, 0):,} {status.value}" for status in Status)
        return f"{self.rows:,} rows, {self.responses:,} responses: {read}"


def score_rows(lines: Iterable[bytes], options: Options, *, jobs: int = 1) -> Iterator[Row]:
    """Yield a row with the true answer, and scores, for each line that is not blank.

    A line is ``{"id", "task", "domain", "problem"}``, with paths for the domain and the problem,
    and optionally ``"actions"`` (a list of texts such as ``(stack a b)``), ``"reference"`` (a plan,
    for tasks about plans), ``"response"`` and ``"words"``, the path of the words that it may be
    written in. A line that cannot be used gives a row whose ``error`` says why. Names of actions
    and predicates are spelt as the domain file spells them.
    """
    return stream(lines, partial(_line, options), jobs=jobs)


def _line(options: Options, number: int, line: bytes) -> Row:
    ident, results, error = attempt(line, partial(_score, options))
    if error is not None:
        error = f"line {number}: {error}"
    return {"id": ident, "error": error} if results is None else {"id": ident, **results}


def _score(options: Options, row: Row) -> Row:
    task = find_task(text_in(row, "task", "the name of a task"))
    problem = problem_in(row, options)
    question = _ask(task, problem, _actions(row), _reference(row))
    spelling = spelling_in(row, options)
    results: Row = {"task": task.name, "truth": _spelt(question.truth, spelling)}
    if row.get("response") is None:
        return results
    response = text_in(row, "response", "a text")
    judged = task.judge(question, response, words_in(row, options))
    return results | {
        "read": _spelt(judged.read, spelling),
        "status": judged.status.value,
        "scores": dict(judged.scores),
        "notes": dict(judged.notes),
    }


@lru_cache(maxsize=256)
def _ask(
    task: Task, problem: Problem[int], actions: tuple[Action, ...], reference: str | None
) -> Question[int]:
    plans = () if reference is None else (read_reference(problem, reference),)
    return task.question(problem, actions, plans)


def _actions(row: Row) -> tuple[Action, ...]:
    given = row.get("actions")
    if given is None:
        return ()
    if not isinstance(given, list):
        raise ProblemError(f"'actions' must be a list of actions, not {given!r}")
    return tuple(map(_action, given))


def _action(text: Any) -> Action:
    action = read_action(text) if isinstance(text, str) else None
    if action is None:
        raise ProblemError(f"'actions': {text!r} is not an action")
    return action


def _reference(row: Row) -> str | None:
    reference = row.get("reference")
    return None if reference is None else plan_text(reference)


def _spelt(terms: Listed, spelling: Mapping[str, str]) -> Listed:
    """Return the terms with their names as the domain file spells them."""
    if not spelling or terms is None:
        return terms
    if isinstance(terms, dict):
        return {sign: _respelt(each, spelling) for sign, each in terms.items()}
    return _respelt(terms, spelling)


def _respelt(terms: list[str], spelling: Mapping[str, str]) -> list[str]:
    split = (term[1:-1].split(" ", 1) for term in terms)
    return [f"({' '.join((spelling.get(name, name), *rest))})" for name, *rest in split]
