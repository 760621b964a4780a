"""Response files in the layout of the Embodied Agent Interface."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plangauge.errors import ProblemError
from plangauge.suites.files import read_bytes

_SUFFIX = "_outputs.json"
_FOLDER = "action_sequencing"

_LONGEST = 1e9

Entry = Mapping[str, Any]
"""``identifier``, ``llm_output`` and, for BEHAVIOR, perhaps ``sizes``."""


@dataclass(frozen=True)
class Checked:
    """The entries of a file that are scored, and what is amiss with the others."""

    entries: tuple[Entry, ...]
    unknown: tuple[str, ...] = ()
    repeated: tuple[str, ...] = field(default=())


def model_files(responses: Path, dataset: str) -> dict[str, Path]:
    """Return the file of each model; raises `ProblemError` where there is none."""
    folder = responses / dataset / _FOLDER
    files = sorted(folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []
    if not files:
        message = f"there is no file *{_SUFFIX}; responses are expected there"
        raise ProblemError(message, file=str(folder))
    models = {file.name.removesuffix(_SUFFIX): file for file in files}
    for model, file in models.items():
        if model in ("", ".", "..") or not model.isprintable():
            raise ProblemError(f"no model can be named {model!r:.80}", file=ascii(str(file)))
    return models


def read_entries(file: Path) -> list[Entry]:
    """Return the entries of a response file.

    Raises `ProblemError`, which names the entry, where the file is not a list of objects with the
    texts ``identifier`` and ``llm_output``.
    """
    value = _decoded(read_bytes(file), str(file))
    if not isinstance(value, list):
        raise ProblemError('not a list of {"identifier": …, "llm_output": …}', file=str(file))
    return [_entry(item, number, str(file)) for number, item in enumerate(value, start=1)]


def checked(entries: list[Entry], tasks: Container[str], *, keep_repeated: bool) -> Checked:
    """Return which entries are scored: those of known tasks, of each the first or all.

    Nothing is dropped silently: what is unknown or repeated is named.
    """
    seen: Counter[str] = Counter()
    kept: list[Entry] = []
    unknown: list[str] = []
    for entry in entries:
        identifier = entry["identifier"]
        if identifier not in tasks:
            unknown.append(identifier)
            continue
        seen[identifier] += 1
        if seen[identifier] == 1 or keep_repeated:
            kept.append(entry)
    repeated = tuple(identifier for identifier, count in seen.items() if count > 1)
    return Checked(tuple(kept), tuple(unknown), repeated)


def _decoded(data: bytes, file: str) -> Any:
    try:
        # Not msgspec: what models write may hold lone surrogates, which Python's own reader takes.
        return json.loads(data.decode("utf-8-sig", errors="replace"))
    except json.JSONDecodeError as error:
        raise ProblemError(
            f"not JSON: {error.msg}", file=file, line=error.lineno, column=error.colno
        ) from None
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"not JSON: {error}", file=file) from None


def _entry(item: Any, number: int, file: str) -> Entry:
    if not isinstance(item, dict):
        raise ProblemError(f"entry {number} is no object", file=file)
    for key in ("identifier", "llm_output"):
        if not isinstance(item.get(key), str):
            named = f" ({item['identifier']!r})" if key != "identifier" else ""
            found = f"is {type(item[key]).__name__}, not a text" if key in item else "is missing"
            raise ProblemError(f"entry {number}{named:.80}: {key!r} {found}", file=file)
    if item.get("sizes") is not None and not _are_sizes(item["sizes"]):
        message = "'sizes' must give three lengths for each name, such as {\"box_1\": [1, 1, 0.5]}"
        raise ProblemError(f"entry {number}: {message}", file=file)
    return item


def _are_sizes(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(edges, list) and len(edges) == 3 and all(map(_is_length, edges))
        for edges in value.values()
    )


def _is_length(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < _LONGEST
