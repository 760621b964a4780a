"""Samples that lm-eval has logged (``--log_samples``) as responses, one after another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plangauge.batch.responses import response_lines
from plangauge.batch.stream import Row, decode_row
from plangauge.errors import ProblemError
from plangauge.integrations.lm_eval.scoring import ABSENT, PACKED
from plangauge.integrations.packed import unpack
from plangauge.suites import Sample, Suite
from plangauge.suites.files import as_line, begins_with, parse_object

_BEGINS = re.compile(rb'\s*\{\s*"doc_id"\s*:')
"""How a row of logged samples begins, and no row of responses does."""

_DATE = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl$")
_LARGEST = 1 << 26
"""How many bytes of results are read, to find the name of the model."""

_NOTHING = "None"
"""What lm-eval logs where a model gave no text at all, and where it gave this one."""


def is_log(path: Path) -> bool:
    """Return whether a file holds logged samples: by its beginning."""
    return path.suffix == ".jsonl" and begins_with(path, _BEGINS)


@contextmanager
def log_lines(path: Path, suite: Suite | None = None) -> Iterator[Iterable[bytes]]:
    """Give a line of JSON, as files of responses have them, for each repeat of each sample.

    What the model said is scored, once, not what filters have made of it. The name of the model is
    that in the results beside the file, else that of the folder; repeats are epochs. Where nobody
    can tell what it said, there is a null that says why. Raises `ProblemError` where the file
    cannot be read, or holds samples of a task that is none of ours, or a question that has the id
    of one of the ``suite``, but is another one.
    """
    with response_lines(path) as lines:
        yield _responses(path, lines, suite)


def model_of(path: Path) -> str:
    """Return the name of the model whose samples a file holds; empty where nothing tells it."""
    date = _DATE.search(path.name)
    for beside in sorted(path.parent.glob(f"*_{date[1]}.json")) if date else ():
        try:
            if beside.stat().st_size <= _LARGEST:
                name = parse_object(beside.read_bytes(), str(beside)).get("model_name")
                if isinstance(name, str) and name:
                    return name
        except (OSError, ProblemError):
            continue
    return path.resolve().parent.name


def _responses(path: Path, lines: Iterable[bytes], suite: Suite | None) -> Iterator[bytes]:
    model, place = model_of(path), str(path)
    known, filters = False, dict[str, Any]()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = decode_row(line)
        except ProblemError:  # to be remarked on where it is read
            yield line
            continue
        doc = row["doc"] if isinstance(row.get("doc"), dict) else {}
        if not known and PACKED not in doc:
            raise ProblemError("these are samples of another task of lm-eval", file=place)
        known = True
        if filters.setdefault(str(row.get("doc_id")), row.get("filter")) != row.get("filter"):
            continue  # another filter made something else of the same responses
        if suite is not None and not _is_asked(doc, suite):
            message = f"{doc['id']} is another question in {suite.name}; was another suite asked?"
            raise ProblemError(message, file=place, line=number)
        for epoch, (text, why) in enumerate(_said(row), start=1):
            found = {"id": doc.get("id"), "response": text, "model": model, "epoch": epoch}
            yield as_line(found | ({"why": why} if why else {}))


def _is_asked(doc: Row, suite: Suite) -> bool:
    """Return whether a question is that of the suite; of an unknown id there is nothing to say."""
    ident = doc.get("id")
    if not isinstance(ident, str) or ident not in suite.numbers:
        return True
    try:
        return _asked(unpack(str(doc.get(PACKED)))) == _asked(suite[ident])
    except ProblemError:
        return False


def _asked(sample: Sample) -> tuple[object, ...]:
    texts = sample.texts
    return sample.task, sample.actions, sample.truth, texts.domain, texts.problem, texts.world


def _said(row: Row) -> list[tuple[str | None, str | None]]:
    """Return what the model said in each repeat, or None and why that is not known."""
    texts = _texts(row)
    if texts is None:
        return [(None, "there are no responses in 'resps'")]
    if _NOTHING not in texts:
        return [(text, None) for text in texts]
    absent, nothing = row.get(ABSENT), texts.count(_NOTHING)
    if absent == 0:
        return [(text, None) for text in texts]
    known = isinstance(absent, int | float) and round(absent * len(texts)) == nothing
    why = "there is no response" if known else "lm-eval logs no response, too, as 'None'"
    return [(None, why) if text == _NOTHING else (text, None) for text in texts]


def _texts(row: Row) -> list[str] | None:
    """Return the texts of the only request about a sample."""
    for key in ("resps", "filtered_resps"):
        told: Any = row.get(key)
        while isinstance(told, list) and len(told) == 1 and isinstance(told[0], list):
            told = told[0]
        if isinstance(told, list) and told and all(isinstance(text, str) for text in told):
            return told
    return None
