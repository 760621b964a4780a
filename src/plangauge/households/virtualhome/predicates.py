"""Every predicate of a household: how it is tested, and what it follows from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from plangauge.households.virtualhome.scene import (
    FACING,
    HANDS,
    INSIDE,
    NEXT_TO,
    ONTOP,
    PROPERTIES,
    RELATION,
    RELATIONS,
    STATE,
    STATES,
    Scene,
    View,
    bits,
)

TAKEN = {"taken_from_ontop": ONTOP, "taken_from_inside": INSIDE, "taken_from_next_to": NEXT_TO}
"""The predicates that say where a thing was when it was taken → how it stood to what."""
TAKEN_FROM = {relation: name for name, relation in TAKEN.items()}
"""The same the other way round."""

Part: TypeAlias = tuple[str, *tuple[int, ...]]
"""A fact: its predicate, and the numbers of its things."""

SEATS = {"couch": 4, "bed": 4, "sofa": 4, "loveseat": 2, "pianobench": 2, "bench": 2}
BEDS = {"bed": 3, "couch": 2, "bathtub": 2, "loveseat": 2, "sofa": 2}
"""How many things can be on one of a kind for someone to sit or lie there; otherwise one."""


def parts(scene: Scene, cells: Iterable[tuple[int, int]]) -> Iterator[Part]:
    """Yield the facts that the values of some cells stand for; those of relations by their first.

    >>> list(parts(Scene(2), [(Scene(2).targets(INSIDE, 0), 2), (Scene(2).states + 1, 1)]))
    [('inside', 0, 1), ('closed', 1)]
    """
    for cell, value in cells:
        kind, thing = divmod(cell, scene.size)
        if kind < len(RELATIONS):
            yield from ((RELATIONS[kind], thing, other) for other in bits(value))
        elif cell >= scene.origins:
            if value:
                relation, place = divmod(value - 1, scene.size)
                yield TAKEN_FROM[relation], thing, place
        elif cell >= scene.states:
            yield from ((STATES[state], thing) for state in bits(value))


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate; ``reads`` are those of the state that its truth depends on.

    These are itself, if actions change it, others, if it follows from them, and none at all if it
    is the same in all states.
    """

    name: str
    arity: int
    test: Callable[..., bool]
    """Whether it is true in a `View`, of things given by their numbers."""
    reads: frozenset[str] = frozenset()

    @property
    def derived(self) -> bool:
        """Whether it follows from others."""
        return bool(self.reads) and self.name not in self.reads


def within_reach(view: View, thing: int) -> bool:
    """Return whether the character is next to a thing, to what that is on, or to its neighbour."""
    near = view.targets(NEXT_TO, view.household.character)
    if near >> thing & 1:
        return True
    return near & (view.sources(NEXT_TO, thing) | view.targets(ONTOP, thing)) != 0


def in_view(view: View, thing: int) -> bool:
    """Return whether the character faces a thing, or something that faces it."""
    seen = view.targets(FACING, view.household.character)
    return seen >> thing & 1 == 1 or seen & view.sources(FACING, thing) != 0


def shut_in(view: View, thing: int) -> bool:
    """Return whether a thing is inside of something closed."""
    places = view.targets(INSIDE, thing) & ~view.household.rooms
    return any(view.states(place) & STATE["closed"] for place in bits(places))


def in_a_room(view: View, thing: int) -> bool:
    """Return whether it is known which room a thing is in."""
    return view.room_of(thing) is not None


def in_this_room(view: View, thing: int) -> bool:
    """Return whether a thing is in the same room as the character."""
    room = view.room_of(thing)
    return room is not None and room == view.room_of(view.household.character)


def held(view: View, thing: int) -> bool:
    """Return whether the character holds a thing."""
    return view.held() >> thing & 1 == 1


def hand_free(view: View, thing: int) -> bool:
    """Return whether this is who acts and has a hand that holds nothing."""
    if thing != view.household.character:
        return False
    return any(not view.targets(hand, thing) for hand in HANDS)


def hand_full(view: View, thing: int) -> bool:
    """Return whether a character holds anything."""
    return any(view.targets(hand, thing) for hand in HANDS)


def has_knife(view: View, thing: int) -> bool:
    """Return whether a character holds a knife."""
    holds = view.targets(HANDS[0], thing) | view.targets(HANDS[1], thing)
    things = view.household.things
    return any("knife" in held.kind for number in bits(holds) if (held := things[number]))


def serves_food(view: View, thing: int) -> bool:
    """Return whether something to eat is on a thing."""
    return view.sources(ONTOP, thing) & view.household.having["eatable"] != 0


def taken(view: View, thing: int) -> bool:
    """Return whether it is known where a thing was taken from."""
    return view.origin(thing) is not None


def origin_within_reach(view: View, thing: int) -> bool:
    """Return whether the place where a thing was taken from is within reach."""
    origin = view.origin(thing)
    return origin is not None and within_reach(view, origin[1])


def origin_open(view: View, thing: int) -> bool:
    """Return whether the place where a thing was taken from can take it in again."""
    origin = view.origin(thing)
    if origin is None or any(view.related(each, origin[1], thing) for each in (INSIDE, ONTOP)):
        return False
    return origin[0] != INSIDE or takes_in(view, origin[1])


def takes_in(view: View, thing: int) -> bool:
    """Return whether things can be put into a thing: it is open, or cannot be closed."""
    can_open = view.household.having["can_open"] >> thing & 1
    return not can_open or view.states(thing) & STATE["open"] != 0


def _space(view: View, thing: int, capacities: Mapping[str, int], others: int) -> bool:
    """Return whether fewer things are on a thing than there is space for, of those that count."""
    found = view.household.things[thing]
    capacity = capacities.get(found.kind, 1) if found else 1
    return (view.sources(ONTOP, thing) & others).bit_count() < capacity


def seat_free(view: View, thing: int) -> bool:
    """Return whether there is space for the character to sit on a thing."""
    return _space(view, thing, SEATS, ~(1 << view.household.character))


def bed_free(view: View, thing: int) -> bool:
    """Return whether there is space for the character to lie on a thing."""
    return _space(view, thing, BEDS, ~(1 << view.household.character))


def seat_left(view: View, thing: int) -> bool:
    """Return whether there is space to sit on a thing beside all that is on it."""
    return _space(view, thing, SEATS, -1)


def bed_left(view: View, thing: int) -> bool:
    """Return whether there is space to lie on a thing beside all that is on it."""
    return _space(view, thing, BEDS, -1)


def _has_state(bit: int, view: View, thing: int) -> bool:
    return view.states(thing) & bit != 0


def _is_related(relation: int, view: View, source: int, target: int) -> bool:
    return view.targets(relation, source) >> target & 1 == 1


def _is_taken_from(relation: int, view: View, thing: int, place: int) -> bool:
    return view.origin(thing) == (relation, place)


def _has_property(name: str, view: View, thing: int) -> bool:
    return view.household.having[name] >> thing & 1 == 1


def _is_room(view: View, thing: int) -> bool:
    return view.household.rooms >> thing & 1 == 1


def _direct() -> Iterator[Predicate]:
    """Yield the predicates that follow from no others."""
    families: tuple[tuple[int, Callable[..., bool], Mapping[str, int]], ...] = (
        (1, _has_state, STATE),
        (2, _is_related, RELATION),
        (2, _is_taken_from, TAKEN),
    )
    for arity, test, names in families:
        for name, number in names.items():
            yield Predicate(name, arity, partial(test, number), frozenset((name,)))
    for name in PROPERTIES:
        yield Predicate(name, 1, partial(_has_property, name))
    yield Predicate("room", 1, _is_room)


_REACH = frozenset(("next_to", "ontop"))
_HANDS = frozenset(("holds_rh", "holds_lh"))
_FOLLOWING: Mapping[Callable[[View, int], bool], frozenset[str]] = {
    within_reach: _REACH,
    in_view: frozenset(("facing",)),
    shut_in: frozenset(("inside", "closed")),
    in_a_room: frozenset(("inside",)),
    in_this_room: frozenset(("inside",)),
    held: _HANDS,
    seat_free: frozenset(("ontop",)),
    bed_free: frozenset(("ontop",)),
    seat_left: frozenset(("ontop",)),
    bed_left: frozenset(("ontop",)),
    serves_food: frozenset(("ontop",)),
    taken: frozenset(TAKEN),
    origin_within_reach: _REACH.union(TAKEN),
    origin_open: frozenset(("open", "inside", "ontop", *TAKEN)),
    hand_free: _HANDS,
    hand_full: _HANDS,
    has_knife: _HANDS,
}


def _derived() -> Iterator[Predicate]:
    for function, reads in _FOLLOWING.items():
        yield Predicate(function.__name__, 1, function, reads)


PREDICATES: Mapping[str, Predicate] = {each.name: each for each in (*_direct(), *_derived())}
"""Every predicate by its name."""
