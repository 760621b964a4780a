"""Schemas of the manifest, the samples and the words of a suite, for precise errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from plangauge.core.errors import ProblemError


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
    truth: list[str] | dict[str, list[str]] | float | bool | str | None
    references: list[list[str]]
    meta: dict[str, Any]
    options: list[str] = []


class _Words(msgspec.Struct, forbid_unknown_fields=True):
    objects: dict[str, str] = {}
    actions: dict[str, str] = {}
    facts: dict[str, str] = {}


def check_manifest(manifest: Mapping[str, Any], file: str) -> None:
    """Raise `ProblemError` where a required part is missing or has another type."""
    _check(manifest, _Manifest, "manifest", file)


def check_sample(row: Mapping[str, Any], file: str) -> None:
    """Raise `ProblemError` where a part is missing or has another type."""
    ident = row.get("id")
    _check(row, _Sample, f"sample {ident!r}" if isinstance(ident, str) else "sample", file)


def check_words(words: Mapping[str, Any], file: str) -> None:
    """Raise `ProblemError` where there is anything but templates and phrases."""
    _check(words, _Words, "file of words", file)


def _check(value: Mapping[str, Any], shape: type[msgspec.Struct], kind: str, file: str) -> None:
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise ProblemError(f"a malformed {kind}: {error}", file=file) from None
