"""Engines that apply a function to Arrow data on many processes or machines.

Each module adapts one library, which it imports only when it is imported itself. It has `mapped`,
which applies an `ArrowFunction` to the library's data set, and those that `plangauge score
--engine` can use also have `compute`, which applies one to a table, a row at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from plangauge.core.errors import UnknownName, known_names

if TYPE_CHECKING:
    from plangauge.arrow.columns import ArrowFunction

COMPUTING = ("local", "ray", "daft", "spark", "dask")
"""The engines that can score a run."""
ENGINES = (*COMPUTING, "datasets", "polars")
"""All of them, each a module of this package."""


class Engine(Protocol):
    """What a module of an engine has."""

    def mapped(self, data: Any, function: ArrowFunction) -> Any:
        """Return the engine's data set with the results for one, in no particular order."""

    def compute(
        self, table: Any, function: ArrowFunction, jobs: int, address: str
    ) -> Iterable[Any]:
        """Yield tables with the results for all rows of a table, in no particular order.

        Each row is work for a process by itself. ``address`` is that of a cluster; where it is
        empty, ``jobs`` processes work on this machine.
        """


def engine_named(name: str, names: Sequence[str] = ENGINES) -> Engine:
    """Return the module of one of these engines.

    Raises `UnknownName` for another name, and `MissingExtra` without the library.
    """
    if name not in names:
        raise UnknownName(f"no engine is named {name!r}{known_names(name, names)}")
    return cast("Engine", import_module(f"plangauge.arrow.engines.{name}"))
