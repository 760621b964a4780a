"""Registries: metrics, notations, tasks, domains, planners and sources by name."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from plangauge.core.errors import Error, UnknownName, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Entries of one kind by name: those of this package, then those of plug-ins.

    The modules of ``package`` and ``others`` are imported on first use; a module named like the
    entry is tried alone first. Plug-ins are modules that other distributions list under the
    entry-point group ``plangauge``; they are imported when a name is not among our own, or when all
    names are listed.
    """

    def __init__(self, kind: str, package: str, others: Iterable[str] = ()) -> None:
        self.kind = kind
        self.package = package
        self.others = tuple(others)
        self._things: dict[str, T] = {}
        self._lock = threading.RLock()
        self._own_loaded = False
        self._plugins_loaded = False

    def add(self, name: str, thing: T) -> T:
        """Register an entry and return it; a name can be used only once."""
        if name in self._things:
            raise ValueError(f"two {self.kind}s are named {name!r}")
        self._things[name] = thing
        return thing

    def __getitem__(self, name: str) -> T:
        if name not in self._things:
            self._load_module_of(name)
        if name not in self._things:
            self._load_own()
        if name not in self._things:
            self._load_plugins()
        if name not in self._things:
            known = f"; there are {', '.join(self)}, and no installed plug-in adds it"
            hint = did_you_mean(name, self._things) or known
            raise UnknownName(f"no {self.kind} is named {name!r}{hint}")
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        self._load_own()
        self._load_plugins()
        return iter(sorted(self._things))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _load_module_of(self, name: str) -> None:
        """Import only the module named like the entry, if there is one."""
        module = f"{self.package}.{name}"
        if not self._own_loaded and name.isidentifier():
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:
                    raise

    def _load_own(self) -> None:
        if self._own_loaded:
            return
        with self._lock:
            root = importlib.import_module(self.package)
            for module in pkgutil.iter_modules(root.__path__):
                importlib.import_module(f"{self.package}.{module.name}")
            for name in self.others:
                importlib.import_module(name)
            self._own_loaded = True

    def _load_plugins(self) -> None:
        if self._plugins_loaded:
            return
        with self._lock:
            if not self._plugins_loaded:
                from importlib.metadata import entry_points

                for plugin in sorted(entry_points(group="plangauge"), key=lambda p: p.value):
                    _load(plugin)
                self._plugins_loaded = True


def _load(plugin: EntryPoint) -> None:
    try:
        plugin.load()
    except Exception as error:
        home = f"{plugin.dist.name}'s " if plugin.dist else ""
        reason = f"{type(error).__name__}: {error}"
        raise Error(
            f"{home}plug-in {plugin.name!r} ({plugin.value}) cannot be loaded: {reason}; "
            "repair it, or uninstall the distribution"
        ) from error
