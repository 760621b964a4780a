"""A suite as a table with what trainers need; each row holds all that its reward needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from plangauge.errors import Error, MissingExtra, ProblemError
from plangauge.integrations.rewards.parts import Shaping
from plangauge.suites import Sample, Suite
from plangauge.suites.base import Texts
from plangauge.suites.files import parse_object
from plangauge.suites.shape import check_sample
from plangauge.tasks import TASKS

QUESTION = "question"
"""The key of ``info`` under which a row keeps its question."""

_TEXTS = ("domain", "problem", "words", "world")
_KEPT = 256
"""How many questions a process keeps ready."""


def suite_rows(suite: Suite | str | Path, *, chat: bool = True) -> Iterator[dict[str, Any]]:
    """Yield a row of plain values for each question of a suite.

    ``prompt`` is a list of messages, with the system prompt of the suite, or without ``chat`` one
    text; ``answer`` is the true one, in the form that the prompt asks for ("" where none is known);
    ``sample``, ``task``, ``domain`` and ``problem`` are names; ``info`` holds the question with all
    that the reward needs, as JSON. Raises `ProblemError` where there is no suite, or a bad one.
    """
    loaded = suite if isinstance(suite, Suite) else Suite.load(suite)
    return (_row(loaded, sample, chat=chat) for sample in loaded)


def suite_dataset(suite: Suite | str | Path, *, chat: bool = True) -> Any:
    """Return the rows of a suite as a Hugging Face ``datasets.Dataset``.

    Raises `MissingExtra` without that library, and `ProblemError` as `suite_rows` does.
    """
    try:
        datasets = import_module("datasets")
    except ImportError:
        raise MissingExtra("datasets", "rewards") from None
    return datasets.Dataset.from_list([*suite_rows(suite, chat=chat)])


def check_rows(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return how many rows have a question of ours, after trying each as its reward will.

    It takes about a millisecond for each. A trainer may take an error in a reward for a 0, so it is
    worth it before training. Raises `ProblemError` for a broken row, with its number from 0.
    """
    count = 0
    for number, row in enumerate(rows):
        try:
            count += shaping(row.get("info")) is not None
        except Error as error:
            raise ProblemError(f"row {number}: {error}") from error
    return count


def shaping(info: object) -> Shaping | None:
    """Return what turns answers into parts, from the ``info`` of a row; None for no row of ours.

    Raises `ProblemError` where the row is one of ours, but broken.
    """
    text = question_in(info)
    return None if text is None else shaped(text)


def question_in(info: object) -> str | None:
    """Return the question in the ``info`` of a row, itself JSON or not; None where there is none.

    >>> question_in({"question": "{}"}), question_in('{"question": "{}"}'), question_in(None)
    ('{}', '{}', None)
    """
    told = parse_object(info.encode("utf-8", "replace"), "info") if isinstance(info, str) else info
    if told is None:
        return None
    if not isinstance(told, Mapping):
        raise ProblemError(f"info must be a mapping, not {type(told).__name__}")
    question = told.get(QUESTION)
    if question is not None and not isinstance(question, str):
        raise ProblemError(f"info: {QUESTION} must be a text, not {type(question).__name__}")
    return question


@lru_cache(maxsize=_KEPT)
def shaped(question: str) -> Shaping:
    """Return what turns answers into parts, from the JSON of a question; raises `ProblemError`."""
    row = parse_object(question.encode("utf-8", "replace"), "info")
    check_sample(row, "info")
    texts = row.pop("texts", None)
    if not isinstance(texts, dict) or {*texts} != {*_TEXTS}:
        raise ProblemError(f"{row['id']}: texts must be {', '.join(_TEXTS)}", file="info")
    if not all(isinstance(text, str) for text in texts.values()):
        raise ProblemError(f"{row['id']}: texts must be texts", file="info")
    actions, references = tuple(row["actions"]), tuple(map(tuple, row["references"]))
    told = {**row, "actions": actions, "references": references, "texts": Texts(**texts)}
    try:
        return Shaping(Sample(**told))
    except (Error, TypeError) as error:
        raise ProblemError(f"{row['id']}: {error}", file="info") from None


def _row(suite: Suite, sample: Sample, *, chat: bool) -> dict[str, Any]:
    task = TASKS[sample.task]
    answer = "" if sample.truth is None else task.written(sample.question(), sample.truth)
    messages = suite.messages(sample)
    return {
        "prompt": messages if chat else "\n\n".join(each["content"] for each in messages),
        "answer": answer,
        "sample": sample.id,
        "task": sample.task,
        "domain": sample.domain,
        "problem": sample.problem,
        "info": {QUESTION: _as_json(sample)},
    }


def _as_json(sample: Sample) -> str:
    """Return a question as JSON, without the prompt, which has a column of its own."""
    texts = {name: getattr(sample.texts, name) for name in _TEXTS}
    return json.dumps({**sample.as_row(), "prompt": "", "texts": texts})
