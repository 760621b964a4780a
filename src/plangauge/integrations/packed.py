"""Samples serialized as short texts, so that a log suffices to score them again."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict, replace
from functools import lru_cache
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.suites import Sample
from plangauge.suites.base import Texts
from plangauge.suites.files import as_line, parse_object
from plangauge.suites.shape import check_sample

_LARGEST = 1 << 26
"""The maximum size of an unpacked sample, in bytes."""


def pack(sample: Sample) -> str:
    """Return a sample and its files as text of letters, digits, ``+/=``.

    The prompt is left out, because scoring does not need it.
    """
    row = replace(sample, prompt="").as_row() | {"texts": asdict(sample.texts)}
    return base64.b64encode(zlib.compress(as_line(row), 9)).decode()


@lru_cache(maxsize=64)
def unpack(text: str) -> Sample:
    """Return the sample in a text made by `pack`, without its prompt.

    Raises `ProblemError` for any other text.
    """
    what = "sample in a log"
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b64decode(text, validate=True), _LARGEST)
    except (ValueError, zlib.error) as error:
        raise ProblemError(f"it cannot be unpacked: {error}", file=what) from None
    if not unpacker.eof:
        raise ProblemError("it is cut off or too large", file=what)
    row = parse_object(data, what)
    texts = row.pop("texts", None)
    check_sample(row, what)
    return _sample(row, texts, what)


def _sample(row: dict[str, Any], texts: Any, what: str) -> Sample:
    try:
        if not all(isinstance(text, str) for text in texts.values()):
            raise ProblemError("its files must be texts", file=what)
        return Sample.from_row(row, Texts(**texts))
    except (KeyError, TypeError, AttributeError):
        raise ProblemError(f"it lacks something: {json.dumps(sorted(row))}", file=what) from None
