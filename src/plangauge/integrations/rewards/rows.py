"""A suite as a table for trainers; each row has all that its reward needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from plangauge.core.errors import Error, ProblemError, needing
from plangauge.integrations.packed import sample_in
from plangauge.integrations.rewards.parts import Shaping
from plangauge.suites import Sample, Suite
from plangauge.suites.files import parse_object
from plangauge.tasks import TASKS
from plangauge.worlds.cache import CACHE, SharedResults

QUESTION = "question"
"""The key of ``info`` for the question."""


def suite_rows(suite: Suite | str | Path, *, chat: bool = True) -> Iterator[dict[str, Any]]:
    """Yield a row of plain values for each question of a suite.

    ``prompt`` is a list of messages, with the system prompt of the suite, or without ``chat`` one
    text; ``answer`` is the true one, in the form that the prompt requests ("" if it is unknown);
    ``sample``, ``task``, ``domain`` and ``problem`` are names; ``info`` is the question with all
    that the reward needs, as JSON. Raises `ProblemError` for a missing or invalid suite.
    """
    loaded = suite if isinstance(suite, Suite) else Suite.load(suite)
    return (_row(loaded, sample, chat=chat) for sample in loaded)


def suite_dataset(suite: Suite | str | Path, *, chat: bool = True) -> Any:
    """Return the rows of a suite as a Hugging Face ``datasets.Dataset``.

    Raises `MissingExtra` without that library, and `ProblemError` as `suite_rows` does.
    """
    with needing("datasets", "rewards"):
        datasets = import_module("datasets")
    return datasets.Dataset.from_list([*suite_rows(suite, chat=chat)])


def check_rows(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return how many rows have a question of ours, after checking each for its reward.

    It takes about a millisecond for each, and is worth it before training, because a trainer may
    count an error in a reward as 0. Raises `ProblemError` for a broken row, with its number from 0.
    """
    count = 0
    for number, row in enumerate(rows):
        try:
            count += shaping(row.get("info")) is not None
        except Error as error:
            raise ProblemError(f"row {number}: {error}") from error
    return count


def shaping(info: object) -> Shaping | None:
    """Return the `Shaping` for the ``info`` of a row; None for a row that is not ours.

    Raises `ProblemError` where the row is one of ours, but broken.
    """
    text = question_in(info)
    return None if text is None else shaped(text)


def question_in(info: object) -> str | None:
    """Return the question in the ``info`` of a row, which may be JSON; None if there is none.

    >>> question_in({"question": "{}"}), question_in('{"question": "{}"}'), question_in(None)
    ('{}', '{}', None)
    """
    row = parse_object(info.encode("utf-8", "replace"), "info") if isinstance(info, str) else info
    if row is None:
        return None
    if not isinstance(row, Mapping):
        raise ProblemError(f"info must be a mapping, not {type(row).__name__}")
    question = row.get(QUESTION)
    if question is not None and not isinstance(question, str):
        raise ProblemError(f"info: {QUESTION} must be a text, not {type(question).__name__}")
    return question


def shaped(question: str) -> Shaping:
    """Return the `Shaping` for the JSON of a question; raises `ProblemError`.

    Its problem keeps it alive while the cache has room.
    """
    shaping = _shaping(question)
    problem = shaping.scorer.question.problem
    problem.prepared[shaping] = shaping
    CACHE.use(problem)
    return shaping


@SharedResults
def _shaping(question: str) -> Shaping:
    sample = sample_in(question.encode("utf-8", "replace"), "info")
    try:
        return Shaping(sample)
    except Error as error:
        raise ProblemError(f"{sample.id}: {error}", file="info") from None


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
    """Return a question as JSON, without the prompt, which is in its own column."""
    return json.dumps({**sample.as_row(), "prompt": "", "texts": asdict(sample.texts)})
