"""Every predicate of a household: how it is tested, and what it follows from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from plangauge.worlds.virtualhome.household import PROPERTIES
from plangauge.worlds.virtualhome.scene import RELATIONS, STATE, bits
from plangauge.worlds.virtualhome.view import FACING, HANDS, INSIDE, NEXT_TO, ONTOP, View

TAKEN = {"taken_from_ontop": ONTOP, "taken_from_inside": INSIDE, "taken_from_next_to": NEXT_TO}
"""The predicates that say where a thing was when it was taken → how it stood to what."""
TAKEN_FROM = {relation: name for name, relation in TAKEN.items()}
"""The same the other way round."""

SEATS = {"couch": 4, "bed": 4, "sofa": 4, "loveseat": 2, "pianobench": 2, "bench": 2}
BEDS = {"bed": 3, "couch": 2, "bathtub": 2, "loveseat": 2, "sofa": 2}
"""How many things can be on one of a kind for someone to sit or lie there; otherwise one."""


class Origin(Enum):
    """Where the truth of a predicate comes from."""

    HOUSEHOLD = "household"
    """It is the same in all states."""
    STATE = "state"
    """Actions change it."""
    DERIVED = "derived"
    """It follows from others."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate; ``reads`` are those of the state that its truth depends on."""

    name: str
    arity: int
    test: Callable[..., bool]
    """Whether it is true in a `View`, of things given by their numbers."""
    origin: Origin
    reads: frozenset[str]


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


def seat_free(view: View, thing: int) -> bool:
    """Return whether there is space for the character to sit on a thing."""
    return _others_on(view, thing) < _capacity(view, thing, SEATS)


def bed_free(view: View, thing: int) -> bool:
    """Return whether there is space for the character to lie on a thing."""
    return _others_on(view, thing) < _capacity(view, thing, BEDS)


def seat_left(view: View, thing: int) -> bool:
    """Return whether there is space to sit on a thing beside all that is on it."""
    return view.sources(ONTOP, thing).bit_count() < _capacity(view, thing, SEATS)


def bed_left(view: View, thing: int) -> bool:
    """Return whether there is space to lie on a thing beside all that is on it."""
    return view.sources(ONTOP, thing).bit_count() < _capacity(view, thing, BEDS)


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


def _others_on(view: View, thing: int) -> int:
    """Return how many things but the character are on a thing."""
    return (view.sources(ONTOP, thing) & ~(1 << view.household.character)).bit_count()


def _capacity(view: View, thing: int, capacities: Mapping[str, int]) -> int:
    found = view.household.things[thing]
    return capacities.get(found.kind, 1) if found else 1


def _of_states() -> Iterator[Predicate]:
    for name, bit in STATE.items():

        def test(view: View, thing: int, bit: int = bit) -> bool:
            return view.states(thing) & bit != 0

        yield Predicate(name, 1, test, Origin.STATE, frozenset((name,)))


def _of_relations() -> Iterator[Predicate]:
    for relation, name in enumerate(RELATIONS):

        def test(view: View, source: int, target: int, relation: int = relation) -> bool:
            return view.targets(relation, source) >> target & 1 == 1

        yield Predicate(name, 2, test, Origin.STATE, frozenset((name,)))


def _of_memory() -> Iterator[Predicate]:
    for name, relation in TAKEN.items():

        def test(view: View, thing: int, place: int, relation: int = relation) -> bool:
            return view.origin(thing) == (relation, place)

        yield Predicate(name, 2, test, Origin.STATE, frozenset((name,)))


def _of_household() -> Iterator[Predicate]:
    for name in PROPERTIES:

        def test(view: View, thing: int, name: str = name) -> bool:
            return view.household.having[name] >> thing & 1 == 1

        yield Predicate(name, 1, test, Origin.HOUSEHOLD, frozenset())

    def room(view: View, thing: int) -> bool:
        return view.household.rooms >> thing & 1 == 1

    yield Predicate("room", 1, room, Origin.HOUSEHOLD, frozenset())


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
        yield Predicate(function.__name__, 1, function, Origin.DERIVED, reads)


PREDICATES: Mapping[str, Predicate] = {
    predicate.name: predicate
    for predicates in (_of_states(), _of_relations(), _of_memory(), _of_household(), _derived())
    for predicate in predicates
}
"""Every predicate by its name."""
