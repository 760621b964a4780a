"""Resumable files: one writer at a time, each part flushed to disk and checksummed.

Each part is a line of JSON whose last member, ``check``, is a hash of everything before it in the
line. It distinguishes damage to a whole line from a line cut off by an interruption.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.core.unfinished import clear

NEW = "x"
OLD = "r+"
ANY = "a+"
_CHECK = b', "check": "'
_TAIL = 64
_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def as_line(row: Mapping[str, Any]) -> bytes:
    r"""Return a row as a line of JSON, always the same bytes for the same row.

    >>> as_line({"id": "ä", "n": [1, 0.5]})
    b'{"id": "\xc3\xa4", "n": [1, 0.5]}\n'
    """
    try:
        return (_LINE.encode(row) + "\n").encode()
    except UnicodeEncodeError:  # a lone surrogate, which needs an escape
        return (json.dumps(row, allow_nan=False) + "\n").encode()


def object_in(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a line or a file holds; None for anything else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def checked(line: bytes, before: bytes = b"") -> bytes:
    r"""Return a line that holds a JSON object, with its checksum as the last member.

    The checksum also covers the end of ``before``: the previous line, which binds each line to all
    those before it, or a key.

    >>> line = checked(b'{"id": 7}\n')
    >>> line[:19], is_whole(line), is_whole(line.replace(b"7", b"8")), is_whole(line, b"x")
    (b'{"id": 7, "check": ', True, False, False)
    """
    body = line[:-2]
    digest = sha256(before[-_TAIL:] + body).hexdigest()[:32]
    return b'%s%s%s"}\n' % (body, _CHECK, digest.encode())


def is_whole(line: bytes, before: bytes = b"") -> bool:
    """Return whether a line is intact, as `checked` returned it, line end included."""
    return line == checked(line.rpartition(_CHECK)[0] + b"}\n", before)


def stored_line(path: Path, key: str) -> bytes | None:
    """Return the line of `checked` that is stored under a key in a file of its own.

    None if there is no such file, or if it is damaged, which is logged.
    """
    try:
        line = path.read_bytes()
    except OSError:
        return None
    if is_whole(line, key.encode()):
        return line
    import logging

    logging.getLogger(__name__).warning("%s: damaged, recreating it", path)
    return None


@contextmanager
def opened(path: str | Path, mode: str, what: str = "this file") -> Iterator[FileIO]:
    """Open a `NEW`, `OLD` or `ANY` file; after an error it is closed, and removed if `NEW`.

    It is locked against other processes until it is closed. Leftovers of killed processes beside it
    are removed. Raises `ProblemError` if it cannot be opened or another process is writing it;
    ``what`` names its contents in the message.
    """
    clear(Path(path).resolve().parent)
    file = _open(path, mode)
    try:
        _lock(file, path, what)
    except ProblemError:
        file.close()
        raise
    try:
        yield file
    except BaseException:
        file.close()
        if mode == NEW:
            Path(path).unlink()
        raise


def append(file: FileIO, data: bytes) -> None:
    """Append data and flush it to disk; after an error the file is as before.

    Raises `ProblemError` if the data cannot be written.
    """
    start, rest = file.seek(0, os.SEEK_END), memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except BaseException as error:
        file.truncate(start)
        file.seek(start)
        if isinstance(error, OSError):
            message = f"cannot write there: {error.strerror}"
            raise ProblemError(message, file=str(file.name)) from None
        raise


def _open(path: str | Path, mode: str) -> FileIO:
    try:
        return FileIO(path, mode)
    except FileExistsError:
        message = "the file already exists; resume it, or choose another name"
        raise ProblemError(message, file=str(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ProblemError(f"cannot write there: {reason}", file=str(path)) from None


def _lock(file: FileIO, path: str | Path, what: str) -> None:
    """Lock the file against other processes; the system unlocks it when it is closed."""
    with suppress(ImportError):  # as on Windows
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProblemError(f"another process is writing {what}", file=str(path)) from None
