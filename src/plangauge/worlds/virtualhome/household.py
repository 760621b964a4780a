"""What the things of a household are; the same in all of its states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from plangauge.errors import ProblemError
from plangauge.worlds.virtualhome.scene import Scene, lowest

PROPERTIES = (
    *("surfaces", "grabbable", "sittable", "lieable", "hangable", "drinkable", "eatable"),
    *("recipient", "cuttable", "pourable", "can_open", "has_switch", "readable", "lookable"),
    *("containers", "clothes", "person", "body_part", "cover_object", "has_plug", "has_paper"),
    *("movable", "cream"),
)
"""The predicates of one thing that no action changes, beside ``room``."""
CHARACTER = "character"
"""The kind of who acts."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object, a room or the character; ``kind`` is its class."""

    name: str
    kind: str
    properties: frozenset[str] = frozenset()
    room: bool = False


class Household:
    """The things of a world by their numbers in the scene; None where a number is not used.

    Whoever of kind ``character`` has the lowest number is who acts. Raises `ProblemError` where
    there is none, where two things have the same name, and for an unknown property.

    >>> things = Thing("me_0", "character"), Thing("hall_1", "hall", room=True)
    >>> home = Household(Scene(2), things)
    >>> home.character, home.rooms, home.number["hall_1"]
    (0, 2, 1)
    """

    def __init__(self, scene: Scene, things: Iterable[Thing | None]) -> None:
        self.scene = scene
        self.things = tuple(things)
        self.number = {
            thing.name: number for number, thing in enumerate(self.things) if thing is not None
        }
        self._check()
        self.character = lowest(self._those(lambda thing: thing.kind == CHARACTER))
        """The number of who acts."""
        self.rooms = self._those(lambda thing: thing.room)
        """The rooms, as a set of bits."""

    def __reduce__(self) -> tuple[type[Household], tuple[Scene, tuple[Thing | None, ...]]]:
        return type(self), (self.scene, self.things)

    @cached_property
    def having(self) -> Mapping[str, int]:
        """Property → the things that have it, as a set of bits."""
        masks = dict.fromkeys(PROPERTIES, 0)
        for number, thing in enumerate(self.things):
            for name in thing.properties if thing else ():
                masks[name] |= 1 << number
        return masks

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """Kind → the things of that kind, as a set of bits."""
        masks: dict[str, int] = {}
        for number, thing in enumerate(self.things):
            if thing is not None:
                masks[thing.kind] = masks.get(thing.kind, 0) | 1 << number
        return masks

    def of_kind(self, kinds: Iterable[str]) -> int:
        """Return the things of some kinds, as a set of bits."""
        return sum(self.kinds.get(kind, 0) for kind in set(kinds))

    def name(self, number: int) -> str:
        """Return the name of a thing."""
        thing = self.things[number]
        assert thing is not None, "only things that exist are related"
        return thing.name

    def _those(self, which: Callable[[Thing], bool]) -> int:
        return sum(1 << n for n, thing in enumerate(self.things) if thing and which(thing))

    def _check(self) -> None:
        present = [thing for thing in self.things if thing is not None]
        if len(self.things) != self.scene.size:
            raise ProblemError(f"a scene of {self.scene.size} things, and {len(self.things)} given")
        if len(self.number) != len(present):
            raise ProblemError("two things of a household have the same name")
        for thing in present:
            if unknown := sorted(thing.properties.difference(PROPERTIES)):
                raise ProblemError(f"{thing.name} has the unknown property {unknown[0]!r}")
        if all(thing.kind != CHARACTER for thing in present):
            raise ProblemError("there is no character in the household")
