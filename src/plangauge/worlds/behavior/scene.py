"""What there is in a BEHAVIOR scene, and what each thing can be: all that no action changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, nan, prod

from plangauge.errors import ProblemError, did_you_mean
from plangauge.model import Fact

ABILITIES = {
    "cooked": "cookable",
    "dusty": "dustyable",
    "frozen": "freezable",
    "open": "openable",
    "sliced": "sliceable",
    "soaked": "soakable",
    "stained": "stainable",
    "toggled_on": "toggleable",
}
"""Unary state → the ability, as BDDL names it, of the things that can be in it."""
MARKS = ("slicer", "cleaningtool")
"""What a thing is or is not, whatever is done with it."""
LARGEST_GRASP = 1.5
"""The largest volume, in cubic metres, that a hand can take."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object or a floor.

    ``slots`` are the unary states it can be in (the keys of `ABILITIES`) and its `MARKS`.
    ``parts`` are the names of what is left of it when it is sliced. ``volume`` is in cubic metres.
    """

    name: str
    category: str = "object"
    slots: frozenset[str] = frozenset()
    floor: bool = False
    parts: tuple[str, ...] = ()
    volume: float = 1.0


class Scene:
    """The things of a world by name, and those that have something in common, in the same order.

    What soaks, cooks and cleans is told by names, as in the Embodied Agent Interface: a sink is
    whatever has "sink" in its name.

    >>> scene = Scene([Thing("sink_7"), Thing("rag_0", slots=frozenset({"soaked"}))])
    >>> list(scene.soakers), sorted(map(str, scene.facts))
    (['sink_7'], ['(soakable rag_0)'])
    """

    def __init__(self, things: Iterable[Thing]) -> None:
        self.things: dict[str, Thing] = {}
        for thing in things:
            if thing.name in self.things:
                raise ProblemError(f"{thing.name!r} is declared twice")
            self.things[thing.name] = thing
        for thing in self.things.values():
            self._check(thing)
        self.floors = dict.fromkeys(name for name, thing in self.things.items() if thing.floor)
        self.openable = dict.fromkeys(self._with("open"))
        self.parts = {name: thing.parts for name, thing in self.things.items() if thing.parts}
        self.slicers = dict.fromkeys(self._with("slicer"))
        self.tools = dict.fromkeys(self._with("cleaningtool"))
        self.sinks = self._named("sink")
        self.soakers = self._named("sink", "teapot")
        self.cookers = self._named("saucepan")
        self.dishwashers = self._named("dishwasher")
        self.washers = self._named("dishwasher", "sink")
        self.detergents = self._named("detergent")

    def _check(self, thing: Thing) -> None:
        for slot in sorted(thing.slots):
            if slot not in ABILITIES and slot not in MARKS:
                raise ProblemError(f"{thing.name!r} cannot be {slot!r}: there is no such state")
        for part in thing.parts:
            if part not in self.things:
                raise ProblemError(f"{part!r}, a part of {thing.name!r}, is not declared")
            if self.things[part].parts:
                raise ProblemError(f"{part!r}, a part of {thing.name!r}, has parts itself")

    def _with(self, slot: str) -> list[str]:
        return [name for name, thing in self.things.items() if slot in thing.slots]

    def _named(self, *words: str) -> dict[str, None]:
        return dict.fromkeys(name for name in self.things if any(word in name for word in words))

    def owns(self, name: str, slot: str) -> bool:
        """Return whether a thing can be in a state, or has a mark."""
        return slot in self.things[name].slots

    def volume(self, name: str) -> float:
        """Return the volume of a thing in cubic metres."""
        return self.things[name].volume

    @cached_property
    def facts(self) -> frozenset[Fact]:
        """What is true in every state: what is a floor, too big to grasp, and can be what."""
        found: set[Fact] = set()
        for name, thing in self.things.items():
            found |= {Fact(ABILITIES.get(slot, slot), (name,)) for slot in thing.slots}
            if thing.floor:
                found.add(Fact("floor", (name,)))
            if thing.volume > LARGEST_GRASP:
                found.add(Fact("bulky", (name,)))
        return frozenset(found)

    def sized(self, sizes: Mapping[str, Sequence[float]]) -> Scene:
        """Return the scene with the edge lengths, in metres, of the boxes around some things.

        What is left out keeps its size, a part takes that of its whole, and a floor has none.
        Raises `ProblemError` for unknown things and for anything but three positive numbers.

        >>> cup, lid = Thing("cup", parts=("lid",)), Thing("lid")
        >>> scene = Scene([cup, lid]).sized({"cup": [2, 1, 0.5]})
        >>> scene.volume("cup"), scene.volume("lid")
        (1.0, 1.0)
        """
        volumes: dict[str, float] = {}
        for name, edges in sizes.items():
            if name not in self.things:
                hint = did_you_mean(str(name), self.things)
                raise ProblemError(f"the size of {name!r}, which does not exist{hint}")
            volumes[name] = _volume(name, edges)
        for whole, parts in self.parts.items():
            if whole in volumes:
                volumes |= {part: volumes[whole] for part in parts if part not in sizes}
        return Scene(
            replace(thing, volume=volumes[name]) if name in volumes and not thing.floor else thing
            for name, thing in self.things.items()
        )


def _volume(name: str, edges: object) -> float:
    lengths = list(map(_length, edges)) if isinstance(edges, Sequence) else []
    if len(lengths) != 3 or not all(length > 0 and isfinite(length) for length in lengths):
        try:
            shown = f"{edges!r:.80}"
        except ValueError:  # Python writes no integers of more than some thousand digits
            shown = "such large ones"
        raise ProblemError(f"the size of {name!r} must be three positive numbers, not {shown}")
    return prod(lengths)


def _length(edge: object) -> float:
    """Return a number as one that can be multiplied: infinity if it is too large, else NaN."""
    try:
        return float(edge) if isinstance(edge, int | float) and edge is not True else nan
    except OverflowError:
        return inf
