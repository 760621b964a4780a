"""Files that grow: of one writer at a time, on the disk after each part, never with half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from plangauge.errors import ProblemError

NEW = "x"
OLD = "r+"


@contextmanager
def opened(path: str | Path, mode: str) -> Iterator[FileIO]:
    """Give a `NEW` or an `OLD` file, which stays open, but for an error: a new one is then removed.

    Until it is closed, no other process can open it so. Raises `ProblemError` where it cannot be
    opened, or another process has it.
    """
    file = _open(path, mode)
    try:
        _lock(file, path)
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
    """Write data to the disk; where that is broken off, the file is as it was before.

    Raises `ProblemError` where nothing can be written.
    """
    start, rest = file.tell(), memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except BaseException as error:
        file.truncate(start)
        file.seek(start)
        if isinstance(error, OSError):
            told = f"cannot write there: {error.strerror}"
            raise ProblemError(told, file=str(file.name)) from None
        raise


def _open(path: str | Path, mode: str) -> FileIO:
    try:
        return FileIO(path, mode)
    except FileExistsError:
        told = "there is a file already; resume it, or choose another name"
        raise ProblemError(told, file=str(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ProblemError(f"cannot write there: {reason}", file=str(path)) from None


def _lock(file: FileIO, path: str | Path) -> None:
    """Keep other processes from the file; the system unlocks it when it is closed."""
    with suppress(ImportError):  # as on Windows
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProblemError("another process is writing this file", file=str(path)) from None
