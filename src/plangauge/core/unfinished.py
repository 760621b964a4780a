"""Temporary folders beside what is being written, removed once their process has ended."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from platform import node

_PREFIX = ".plangauge-"
_HERE = f"{_PREFIX}{node()}-"
_A_DAY = 24 * 60 * 60


@contextmanager
def unfinished(parent: Path) -> Iterator[Path]:
    """Yield an empty folder, locked by this process and removed at the end.

    Files that were moved to its folder ``old`` are restored if their names are free by then.
    Folders of processes that have ended are cleared first. Raises ``OSError`` if the folder cannot
    be made.
    """
    clear(parent)
    folder, lock = _made(parent)
    try:
        yield folder
    finally:
        _end(folder)
        if lock is not None:
            os.close(lock)


def clear(parent: Path) -> None:
    """Remove what this user's processes that have ended left in a folder.

    Not every file system shared by several machines also shares their locks: what another machine
    has made is only removed after a day.
    """
    with suppress(OSError):
        made = [each for each in parent.iterdir() if each.name.startswith(_PREFIX)]
        old = time.time() - _A_DAY
        for folder in made:
            if not folder.name.startswith(_HERE) and folder.lstat().st_mtime > old:
                continue
            lock = _locked(folder, wait=False)
            if lock is not None:
                _end(folder)
                os.close(lock)


def _made(parent: Path) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=_HERE))
        lock = _locked(folder, wait=True)
        if lock is not None or folder.exists():  # else it was cleared before it was locked
            return folder, lock


def _end(folder: Path) -> None:
    with suppress(OSError):
        for old in (folder / "old").iterdir():
            place = folder.parent / old.name
            if not os.path.lexists(place):
                old.replace(place)
    shutil.rmtree(folder, ignore_errors=True)


def _locked(folder: Path, *, wait: bool) -> int | None:
    """Return a lock on a folder of this user, lifted by the system when the process is gone.

    None if it belongs to another user, is gone, or cannot be locked, as on Windows.
    """
    try:
        import fcntl

        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except (ImportError, OSError):
        return None
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        status = os.fstat(lock)
        if os.path.samestat(status, folder.lstat()) and status.st_uid == os.getuid():
            return lock
    os.close(lock)
    return None
