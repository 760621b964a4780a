"""Households, VirtualHome's and BEHAVIOR's: worlds, data, tasks, and the original's command.

`virtualhome` and `behavior` each hold a world (``scene``, ``rules``, ``world``), its problems as
``text``, its ``reading`` of answers, its ``judge`` and its ``data``; what both have in common lies
here. `eagent` is the command of the Embodied Agent Interface, `sequencing` its task as one of ours,
`questions` asks about action and change. To add a household, add a folder with these modules, a
line in `plangauge.worlds.kinds`, and a source in `sources`.
"""

from dataclasses import dataclass

from plangauge.core.model import Fault


class Unreadable(ValueError):
    """An answer has no action sequence; the message says why."""


@dataclass(frozen=True)
class Mistake:
    """Why a sequence cannot be executed at all: an unknown name, a wrong number of objects."""

    fault: Fault
    index: int
    message: str
