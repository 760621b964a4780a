"""What there is in a BEHAVIOR scene, and its states: what is how and where, and what hands hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, nan, prod
from typing import NamedTuple, TypeAlias

from plangauge.core.errors import ProblemError, did_you_mean
from plangauge.core.model import Fact

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
LEFT, RIGHT = 0, 1
SIDES = ("left", "right")
HOLDS = ("holds_lh", "holds_rh")
"""The predicate of what a hand holds, as in EAI's vocabulary; ``lh`` is the left hand."""
EMPTY = ("lh_empty", "rh_empty")
SUPPORTS = ("inside", "ontop")
EDGES = ("onfloor", "under", "nextto")

Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SceneObject:
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

    What soaks, cooks and cleans is decided by names, as in the Embodied Agent Interface: a sink is
    whatever has "sink" in its name.

    >>> scene = Scene([SceneObject("sink_7"), SceneObject("rag_0", slots=frozenset({"soaked"}))])
    >>> list(scene.soakers), sorted(map(str, scene.facts))
    (['sink_7'], ['(soakable rag_0)'])
    """

    def __init__(self, things: Iterable[SceneObject]) -> None:
        self.things: dict[str, SceneObject] = {}
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

    def _check(self, thing: SceneObject) -> None:
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

        >>> cup, lid = SceneObject("cup", parts=("lid",)), SceneObject("lid")
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


class State(NamedTuple):
    """A state: immutable, because nothing changes the dictionaries of a state that exists.

    Things move with what supports them, so that a state says only what supports them directly.
    The dictionaries remember in which order things were put where; equality ignores it.
    """

    true: frozenset[tuple[str, str]]
    """Unary states with the things that are in them: ``("open", "fridge_1")``."""
    support: dict[str, tuple[str, str]]
    """What a thing is in or on, and which of both: ``"apple_0": ("fridge_1", "inside")``."""
    edges: dict[tuple[str, str], str]
    """The other relations; at most one for each ordered pair of things."""
    hands: tuple[str | None, str | None] = (None, None)
    """What the left and the right hand hold."""

    def __hash__(self) -> int:
        support, edges = frozenset(self.support.items()), frozenset(self.edges.items())
        return hash((self.true, support, edges, self.hands))

    def children(self, name: str) -> list[str]:
        """Return what is directly in or on a thing, in the order it was put there."""
        return [child for child, (parent, _) in self.support.items() if parent == name]


class Case(NamedTuple):
    """What a check looks at: the objects of an action of one hand, in a state."""

    scene: Scene
    state: State
    hand: int
    args: Names
    obj: str
    """The first of the objects."""

    @property
    def held(self) -> str | None:
        """What the hand holds."""
        return self.state.hands[self.hand]

    def has(self, slot: str) -> bool:
        """Return whether the object is in a unary state."""
        return (slot, self.obj) in self.state.true

    def above(self) -> Iterator[str]:
        """Yield what the object is in or on, and what that is in or on, up to the root."""
        return (upper for _, upper, _ in self.links())

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links of the chain up from the object: what is where, and in or on it."""
        lower, support = self.obj, self.state.support
        for _ in support:  # no more links than that, even in a state that nobody should make
            link = support.get(lower)
            if link is None:
                return
            yield lower, *link
            lower = link[0]
