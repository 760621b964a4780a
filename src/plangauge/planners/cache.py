"""Results on disk, one file for each, found by the hash of all that they depend on."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

_VARIABLE = "PLANGAUGE_CACHE"


class Cache:
    """A folder of JSON files; nothing that is wrong with it is ever an error.

    A file appears under its name only when it is complete, so processes can share a folder. What
    cannot be read is as good as missing, and written again; what cannot be written is not kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def get(self, key: str) -> Any:
        """Return the value of a key; None where there is none, or none that can be read."""
        if self.folder is None:
            return None
        try:
            return json.loads(self._path(key).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None

    def put(self, key: str, value: Any) -> None:
        """Keep a value, which JSON can express, under a key."""
        if self.folder is None:
            return
        path = self._path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(value, file, indent=1)
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / f"{key}.json"


def key_of(*parts: str | int) -> str:
    """Return the SHA-256 of some values, in order.

    >>> key_of("ab", "c") == key_of("a", "bc")
    False
    """
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def default_cache() -> Cache:
    """Return the cache of plans; one that keeps nothing where there is no folder for it."""
    return Cache(cache_folder("plans"))


def cache_folder(name: str) -> Path | None:
    """Return a folder in ``$PLANGAUGE_CACHE``, or else in the user's folder for caches.

    None where nothing is to be kept, because the variable is set and empty or there is no home.
    """
    given = os.environ.get(_VARIABLE)
    if given is not None:
        return Path(given) / name if given else None
    try:
        return _user_folder() / "plangauge" / name
    except RuntimeError:  # there is no home
        return None


def _user_folder() -> Path:
    """Return where the platform keeps caches."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    variable, default = (
        ("LOCALAPPDATA", "AppData/Local") if os.name == "nt" else ("XDG_CACHE_HOME", ".cache")
    )
    given = os.environ.get(variable)
    return Path(given) if given and Path(given).is_absolute() else Path.home() / default
