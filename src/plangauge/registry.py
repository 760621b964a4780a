"""Finding metrics and notations by name."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterator, Mapping
from typing import TypeVar

from plangauge.errors import UnknownName, did_you_mean

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """The things of one kind, by name: those of this package, then those of plug-ins.

    The modules of the named subpackage are imported on first use. Plug-ins are modules that other
    distributions list under the entry-point group ``plangauge``; they are imported when a name is
    not among our own, or when all names are listed.
    """

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self.package = package
        self._things: dict[str, T] = {}
        self._lock = threading.RLock()
        self._own_loaded = False
        self._plugins_loaded = False

    def add(self, name: str, thing: T) -> T:
        """Register a thing and return it; a name can be taken only once."""
        if name in self._things:
            raise ValueError(f"two {self.kind}s are named {name!r}")
        self._things[name] = thing
        return thing

    def __getitem__(self, name: str) -> T:
        if self._own_loaded and name in self._things:
            return self._things[name]
        self._load_own()
        if name not in self._things:
            self._load_plugins()
        if name not in self._things:
            hint = did_you_mean(name, self._things) or f"; there are {', '.join(self)}"
            raise UnknownName(f"no {self.kind} is named {name!r}{hint}")
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        self._load_own()
        self._load_plugins()
        return iter(sorted(self._things))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _load_own(self) -> None:
        if self._own_loaded:
            return
        with self._lock:
            root = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(root.__path__):
                importlib.import_module(f"{self.package}.{module.name}")
            self._own_loaded = True

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        with self._lock:
            if not self._plugins_loaded:
                from importlib.metadata import entry_points

                for plugin in sorted(entry_points(group="plangauge"), key=lambda p: p.value):
                    plugin.load()
                self._plugins_loaded = True
