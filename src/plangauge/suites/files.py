"""Files and folders that take their name only when they are complete, and the hashes of files."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from plangauge.errors import ProblemError

_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a folder of ours is recognised: its manifest, what that says, and what else is in it."""

    kind: str
    """The ``format`` in the manifest."""
    manifest: str
    parts: Collection[str]

    def is_at(self, folder: Path) -> bool:
        """Return whether there is such a folder, and nothing in it that is not part of one."""
        if not folder.is_dir():
            return False
        names = {entry.name for entry in folder.iterdir()}
        if self.manifest not in names or not names <= {self.manifest, *self.parts}:
            return False
        try:
            return bool(self.read(folder))
        except ProblemError:
            return False

    def read(self, folder: Path) -> Mapping[str, Any]:
        """Return the manifest; raises `ProblemError` where there is none of this kind."""
        file = folder / self.manifest
        told = parse_object(read_bytes(file), str(file))
        if told.get("format") != self.kind:
            raise ProblemError(f"this is no {self.kind}", file=str(file))
        return told


@contextmanager
def new_folder(path: str | Path, layout: Layout) -> Iterator[Path]:
    """Give an empty folder to write to, which is renamed to ``path`` when all has been written.

    A folder of the same layout, or an empty one, is replaced. Raises `ProblemError` where anything
    else is there, before anything is written.
    """
    target = Path(path).resolve()
    check_free(target, layout)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    except OSError as error:
        raise ProblemError(f"cannot write there: {error.strerror}", file=str(path)) from None
    try:
        yield fresh
        put_in_place(fresh, target, layout)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def put_in_place(fresh: Path, target: Path, layout: Layout) -> None:
    """Give a complete folder its name; raises `ProblemError` where something else has it."""
    fresh.chmod(0o777 & ~_umask())
    check_free(target, layout)
    _take_place(fresh, target)


def check_free(target: Path, layout: Layout) -> None:
    """Raise `ProblemError` unless nothing is there, an empty folder, or one of this layout."""
    if not target.exists() or layout.is_at(target):
        return
    if target.is_dir() and not any(target.iterdir()):
        return
    raise ProblemError(f"there is something else than a {layout.kind} already", file=str(target))


@contextmanager
def new_file(path: str | Path) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes its name when all has been written.

    A link keeps pointing where it points; a pipe or a device is written to directly. Raises
    `ProblemError` where nothing can be written, before anything is.
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise ProblemError("this is a folder", file=str(path))
    if target.exists() and not target.is_file():  # it has no other name to take
        with target.open("wb") as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise ProblemError(f"cannot write there: {error.strerror}", file=str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file; raises `ProblemError` where it cannot be read."""
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise ProblemError(f"cannot read the file: {error.strerror}", file=str(file)) from None


def read_bytes(file: Path) -> bytes:
    """Return what is in a file; raises `ProblemError` where it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise ProblemError(f"cannot read the file: {error.strerror}", file=str(file)) from None


def begins_with(path: Path, pattern: re.Pattern[bytes]) -> bool:
    """Return whether the first bytes of a file match; false for one that cannot be read."""
    try:
        with path.open("rb") as file:
            return pattern.match(file.read(1 << 12)) is not None
    except OSError:
        return False


def parse_object(data: bytes, file: str) -> dict[str, Any]:
    """Return a JSON object; raises `ProblemError` for anything else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"not JSON: {error}", file=file) from None
    if not isinstance(value, dict):
        raise ProblemError("expected a JSON object", file=file)
    return value


def as_line(row: Mapping[str, Any]) -> bytes:
    r"""Return a row of JSON, always the same bytes for the same row.

    >>> as_line({"id": "ä", "n": [1, 0.5]})
    b'{"id": "\xc3\xa4", "n": [1, 0.5]}\n'
    """
    try:
        return (_LINE.encode(row) + "\n").encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can express
        return (json.dumps(row, allow_nan=False) + "\n").encode()


def as_page(value: Mapping[str, Any]) -> bytes:
    """Return JSON for people to read, always the same bytes for the same value."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        return (json.dumps(value, allow_nan=False, indent=2) + "\n").encode()


def _take_place(fresh: Path, target: Path) -> None:
    if not target.exists():
        fresh.replace(target)
        return
    old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.old."))
    target.replace(old)
    fresh.replace(target)
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
