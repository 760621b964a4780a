"""Samples serialized as short texts, so that a log suffices to score them again."""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict, fields, replace
from functools import lru_cache

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
    return sample_in(data, what)


def sample_in(data: bytes, what: str) -> Sample:
    """Return the sample in JSON that has its files as ``texts``.

    Raises `ProblemError`, naming ``what`` it is, for anything else.
    """
    row = parse_object(data, what)
    check_sample(row, what)
    texts, names = row.get("texts"), [field.name for field in fields(Texts)]
    if not isinstance(texts, dict) or {*texts} != {*names}:
        raise ProblemError(f"{row['id']}: texts must be {', '.join(names)}", file=what)
    if not all(isinstance(text, str) for text in texts.values()):
        raise ProblemError(f"{row['id']}: texts must be texts", file=what)
    sample = Sample.from_row(row, Texts(**texts))
    if more := row.keys() - {*sample.as_row(), "options", "texts"}:
        raise ProblemError(f"{sample.id}: unknown: {', '.join(sorted(more))}", file=what)
    return sample
