"""What the manifest, the samples and the words of a suite must look like, to name what does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from plangauge.errors import ProblemError


class _Hidden(msgspec.Struct):
    domain: str


class _Domain(msgspec.Struct):
    problems: int
    parameters: dict[str, int | str | None] = {}
    obfuscated: _Hidden | None = None


class _Manifest(msgspec.Struct):
    name: str
    domains: dict[str, _Domain]
    tasks: dict[str, int]
    sha256: dict[str, str]
    seed: int | None = None
    system: str | None = None
    licence: str | None = None
    citation: str | None = None
    left_out: list[dict[str, str]] = []


class _Sample(msgspec.Struct):
    id: str
    task: str
    domain: str
    problem: str
    actions: list[str]
    prompt: str
    truth: list[str] | dict[str, list[str]] | None
    references: list[list[str]]
    meta: dict[str, Any]


class _Words(msgspec.Struct, forbid_unknown_fields=True):
    objects: dict[str, str] = {}
    actions: dict[str, str] = {}
    facts: dict[str, str] = {}


def check_manifest(told: Mapping[str, Any], file: str) -> None:
    """Raise `ProblemError` where a part that is relied on is missing or of another kind."""
    _check(told, _Manifest, "manifest", file)


def check_sample(row: Mapping[str, Any], file: str) -> None:
    """Raise `ProblemError` where a part is missing or of another kind."""
    ident = row.get("id")
    _check(row, _Sample, f"sample {ident!r}" if isinstance(ident, str) else "sample", file)


def check_words(told: Mapping[str, Any], file: str) -> None:
    """Raise `ProblemError` where there is anything else than templates and phrases."""
    _check(told, _Words, "file of words", file)


def _check(value: Mapping[str, Any], shape: type[msgspec.Struct], kind: str, file: str) -> None:
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise ProblemError(f"a malformed {kind}: {error}", file=file) from None
