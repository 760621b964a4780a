"""Households, VirtualHome's and BEHAVIOR's: worlds, data, tasks, and the original's command.

`virtualhome` and `behavior` each hold a world (``scene``, ``rules``, ``world``), its problems as
``text``, its ``reading`` of answers, its ``judge`` and its ``data``; what both have in common lies
here. `eagent` is the command of the Embodied Agent Interface, `sequencing` its task as one of ours,
`questions` asks about action and change. To add a household, add a folder with these modules, a
line in `plangauge.worlds.kinds`, and a source in `sources`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from plangauge.core.errors import did_you_mean
from plangauge.core.model import Fault
from plangauge.reading.json_text import places_in
from plangauge.reading.notations.actions import unwrap_plan

T = TypeVar("T")
_LONGEST_NAME = 80
"""So much is shown, in characters, of a name that a model made up."""


class Unreadable(ValueError):
    """An answer has no action sequence; the message says why."""


@dataclass(frozen=True)
class Mistake:
    """Why a sequence cannot be executed at all: an unknown name, a wrong number of objects."""

    fault: Fault
    index: int
    message: str


def unknown(index: int, kind: str, name: object, known: Collection[str]) -> Mistake:
    """Return the mistake of a name that is none of the known ones."""
    hint = did_you_mean(name, known) if isinstance(name, str) else ""
    return Mistake(Fault.HALLUCINATION, index, f"there is no {kind} {shown(name)}{hint}")


def shown(name: object) -> str:
    """Return a name in quotes, cut short after 80 characters."""
    text = repr(name if not isinstance(name, str) else name[: _LONGEST_NAME + 1])
    return text if len(text) <= _LONGEST_NAME + 2 else f"{text[:_LONGEST_NAME]}…"


class Place(NamedTuple):
    """Where a JSON value stands in an answer, and how many actions were read from it."""

    start: int
    end: int
    number: int

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        """Return where each action stands; where that is unclear, all that holds them.

        >>> Place(0, 26, 2).spans('{"SIT": ["a"], "WAKE": []}')
        [(1, 13), (15, 25)]
        """
        found = places_in(text, self.start, self.end, unwrap_plan)
        return found if len(found) == self.number else [(found[0][0], found[-1][1])]


class Found(list[T]):
    """The actions read from an answer, in order; ``places`` are the values that they stand in."""

    places: tuple[Place, ...] = ()
