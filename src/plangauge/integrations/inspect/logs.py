"""Logs of Inspect, read as a stream of responses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from plangauge.core.errors import ProblemError, needing
from plangauge.core.redaction import secret_redactor, secrets_in
from plangauge.integrations.packed import unpack
from plangauge.suites import Suite
from plangauge.suites.files import as_line, begins_with, unpacked

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample

_AT_ONCE = 64
_LARGEST_MEMBER = 1 << 28
_UNUSED = {"messages", "events", "events_data", "store", "attachments", "metadata", "timelines"}
"""Parts of a sample that are not read; the response is in its output."""

_SAME = ("task", "actions", "truth", "references", "texts")
"""The fields that identify a question, regardless of its wording."""

_BEGINS = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
"""How a log in JSON begins, unlike a row of responses."""


def is_log(path: Path) -> bool:
    """Return whether a file is a log of Inspect, by its name, and for JSON by its beginning.

    >>> is_log(Path("logs/x.eval")), is_log(Path("rows.jsonl"))
    (True, False)
    """
    if path.suffix == ".eval":
        return True
    return path.suffix == ".json" and begins_with(path, _BEGINS)


@contextmanager
def log_lines(path: Path, suite: Suite | None = None) -> Iterator[Iterable[bytes]]:
    """Open a log as rows of responses, one line of JSON for each sample.

    A sample without output, because of an error or a limit, has a null response and the reason,
    with secrets redacted. Samples are read from ``.eval`` in small batches, from ``.json`` all at
    once. Raises `MissingExtra` without Inspect, and `ProblemError` where the log cannot be read, or
    its questions differ from those of the ``suite`` with the same ids.
    """
    yield _lines(path, suite)


def _lines(path: Path, suite: Suite | None) -> Iterator[bytes]:
    hide = secret_redactor(secrets_in(dict(os.environ)), looks=True)
    for model, sample in _samples(path, suite):
        if suite is not None:
            _check_question(path, suite, sample)
        yield as_line(_row(model, sample, hide))


def _check_question(path: Path, suite: Suite, sample: EvalSample) -> None:
    """Raise `ProblemError` where a sample of ours differs from that of the suite."""
    from plangauge.integrations.inspect.scorer import PACKED

    packed, ident = sample.metadata.get(PACKED), str(sample.id)
    if not isinstance(packed, str) or ident not in suite.numbers:
        return
    asked, known = unpack(packed), suite[ident]
    if any(getattr(asked, part) != getattr(known, part) for part in _SAME):
        message = f"{ident} is a different question in {suite.path}"
        raise ProblemError(message, file=str(path))


@contextmanager
def _reading(path: Path) -> Iterator[ModuleType]:
    """Give Inspect's module of logs, and turn any error of reading into `ProblemError`."""
    with needing("inspect-ai", "inspect"):
        from inspect_ai import log
    try:
        yield log
    except ProblemError:
        raise
    except Exception as error:  # noqa: BLE001  # a damaged file may raise any exception
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise ProblemError(f"not a log of Inspect: {reason}", file=str(path)) from None


def _samples(path: Path, suite: Suite | None) -> Iterator[tuple[str, EvalSample]]:
    """Yield the samples of a log, each with the name of the model.

    Metadata are read only if needed to decide whether they belong to the suite.
    """
    with _reading(path) as log:
        if path.suffix == ".json":
            whole = log.read_eval_log(path)
            yield from ((whole.eval.model, sample) for sample in whole.samples or ())
            return
        samples = _check_members(path)
        evaluation = log.read_eval_log(path, header_only=True).eval
        model, of = evaluation.model, (evaluation.metadata or {}).get("suite_sha256")
        unused = _UNUSED if suite is None or of in (None, suite.sha256) else _UNUSED - {"metadata"}
        there = log.read_eval_log_sample_summaries(path)
        found = dict.fromkeys((each.id, each.epoch) for each in there)
        if len(found) < samples:
            raise ValueError("its table of contents lacks some samples")
        places = iter(found)
        while some := list(islice(places, _AT_ONCE)):
            for sample in log.read_eval_log_samples_by_id(path, some, exclude_fields=unused):
                yield model, sample


def _check_members(path: Path) -> int:
    """Return the number of samples in a log.

    Raises `ProblemError` where any member unpacks to too much, which Inspect does not check.
    """
    with ZipFile(path) as members:
        for name in members.namelist():
            with members.open(name) as member:
                for _ in unpacked(member.read, f"{path}: {name}", _LARGEST_MEMBER):
                    pass
        return len({name for name in members.namelist() if name.startswith("samples/")})


def _row(model: str, sample: EvalSample, hide: Callable[[str], str]) -> dict[str, Any]:
    from plangauge.integrations.inspect.scorer import response_of

    response = response_of(str(sample.id), sample.output, model, sample.epoch)
    row = {
        "id": response.sample,
        "response": response.text,
        "model": response.model,
        "epoch": response.epoch,
        "stop_reason": response.stop_reason,
    }
    if response.text is not None:
        return row
    limit = None if sample.limit is None else f"it reached the limit of its {sample.limit.type}"
    return row | {"why": hide(sample.error.message) if sample.error else limit}
