"""What actions change: a few small effects, of which each action has some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from plangauge.households.virtualhome.predicates import TAKEN, takes_in, within_reach
from plangauge.households.virtualhome.scene import (
    FACING,
    HANDS,
    INSIDE,
    ME,
    NEXT_TO,
    ONTOP,
    RELATIONS,
    STATE,
    Draft,
    lowest,
)
from plangauge.pddl.facts import positions

_MEETING = (INSIDE, NEXT_TO, FACING)
_TAKING = (ONTOP, INSIDE, NEXT_TO, *HANDS)
_PLACES = (ONTOP, INSIDE, NEXT_TO)
_HOLDS = frozenset(("holds_rh", "holds_lh"))
_PLACING = frozenset(("ontop", "inside", "next_to"))
_MEMORY = frozenset(TAKEN)
_FACED, _ON = frozenset(("facing",)), frozenset(("ontop",))

Write: TypeAlias = Callable[[Draft, Sequence[int]], None]


@dataclass(frozen=True, slots=True)
class Change:
    """An effect; ``reads`` are the predicates that it depends on, or whose facts it changes."""

    write: Write
    reads: frozenset[str]


def change(end: str, start: str, *, of: int = 0) -> Change:
    """Return that an argument, or the character, ends some states and starts others."""
    ends = sum(STATE[name] for name in end.split())
    starts = sum(STATE[name] for name in start.split())

    def write(draft: Draft, args: Sequence[int]) -> None:
        draft.change(args[of], ends, starts)

    return Change(write, frozenset((*end.split(), *start.split())))


def put(relation: int) -> Change:
    """Return that the first argument, which is held, is put on or into the second."""

    def write(draft: Draft, args: Sequence[int]) -> None:
        _put(draft, args[0], relation, args[1])

    return Change(write, _HOLDS | _MEMORY | {"next_to", RELATIONS[relation]})


def walk(*, carry: bool) -> Change:
    """Return that the character walks to the first argument.

    What it holds comes along. It also ends up inside of the new room, as what it wears does and
    what is in or on these things, if ``carry``; otherwise what it holds is inside of the old room
    and what is in it falls out, and what it wears stays behind.
    """

    def write(draft: Draft, args: Sequence[int]) -> None:
        (thing, *_) = args
        before, character = draft.before, draft.household.character
        old, new = before.room_of(character), before.room_of(thing)
        draft.part(_MEETING, character)
        if new is not None:
            draft.link(INSIDE, character, new)
        if not draft.household.rooms >> thing & 1:
            places = draft.targets(INSIDE, thing) & ~draft.household.rooms
            draft.meet(places | draft.household.having["body_part"] | 1 << thing)
        along = before.held() | (before.sources(ONTOP, character) if carry else 0)
        for carried in positions(along):
            draft.part(_MEETING, carried)
        draft.meet(along)
        room = new if carry else old
        if room is not None:
            for carried in positions(along):
                draft.link(INSIDE, carried, room)
        contents = draft.household.having["can_open"] >> thing & 1
        met = draft.sources(INSIDE, thing) if contents else 0
        draft.meet(met | draft.targets(ONTOP, thing))
        if carry:
            _bring(draft, along, new)

    return Change(write, _HOLDS | _PLACING | {"facing"})


def _bring(draft: Draft, along: int, room: int | None) -> None:
    """Move what is in or on some things, at any depth, into a room with them."""
    before, household = draft.before, draft.household
    stays = household.rooms | 1 << household.character
    found, ahead = along, along
    while ahead:
        inside = [(place, before.sources(INSIDE, place) & ~stays) for place in positions(ahead)]
        ahead = 0
        for place, things in inside:
            ahead |= (things | before.sources(ONTOP, place)) & ~stays & ~found
            for thing in positions(things):
                draft.link(INSIDE, thing, place)
        found |= ahead
    for thing in positions(found & ~along):
        draft.part((NEXT_TO, FACING), thing)
        for old in positions(draft.targets(INSIDE, thing) & household.rooms):
            draft.unlink(INSIDE, thing, old)
        if room is not None:
            draft.link(INSIDE, thing, room)
    draft.meet(found & ~along)


def find(*, carry: bool) -> Change:
    """Return that the character turns to the first argument within reach, or else walks there."""
    going = walk(carry=carry)

    def write(draft: Draft, args: Sequence[int]) -> None:
        if within_reach(draft.before, args[0]):
            draft.leave(FACING, draft.household.character)
            draft.meet(1 << args[0])
        else:
            going.write(draft, args)

    return Change(write, going.reads)


def _grab(draft: Draft, args: Sequence[int]) -> None:
    (thing, *_) = args
    before, character = draft.before, draft.household.character
    hand = next((hand for hand in HANDS if not before.targets(hand, character)), None)
    room = before.room_of(character)
    draft.part(_TAKING, thing)
    draft.meet(1 << thing)
    if hand is not None:
        draft.link(hand, character, thing)
    if room is not None:
        draft.link(INSIDE, thing, room)
    for relation in _PLACES:
        places = before.targets(relation, thing) & ~draft.household.rooms
        if places:
            place = lowest(places)
            draft.meet(1 << place)
            draft.remember(thing, relation, place)
            return


def _put_back(draft: Draft, args: Sequence[int]) -> None:
    origin = draft.before.origin(args[0])
    if origin is not None:
        _put(draft, args[0], *origin)


def _put_back_or_not(draft: Draft, args: Sequence[int]) -> None:
    thing, before = args[0], draft.before
    origin = before.origin(thing)
    if origin is None or not before.held() >> thing & 1 or not within_reach(before, origin[1]):
        return
    if origin[0] != INSIDE or takes_in(before, origin[1]):
        _put(draft, thing, *origin)


def _put(draft: Draft, thing: int, relation: int, place: int) -> None:
    _let_go(draft, (thing,))
    draft.meet(1 << place)
    draft.link(NEXT_TO, thing, place)
    draft.link(NEXT_TO, place, thing)
    draft.link(relation, thing, place)
    draft.forget(thing)


def _let_go(draft: Draft, args: Sequence[int]) -> None:
    for hand in HANDS:
        draft.unlink(hand, draft.household.character, args[0])


def _drop(draft: Draft, args: Sequence[int]) -> None:
    room = draft.before.room_of(draft.household.character)
    _let_go(draft, args)
    if room is not None:
        draft.link(INSIDE, args[0], room)
    draft.forget(args[0])


def _pour(draft: Draft, args: Sequence[int]) -> None:
    draft.link(INSIDE, args[0], args[1])
    if draft.household.kinds.get("water", 0) >> args[0] & 1:
        _let_go(draft, args)


def _forget_water(draft: Draft, args: Sequence[int]) -> None:
    if draft.household.kinds.get("water", 0) >> args[0] & 1:
        draft.forget(args[0])


def _turn(draft: Draft, args: Sequence[int]) -> None:
    draft.leave(FACING, args[ME])
    draft.link(FACING, args[ME], args[0])


def _face_along(draft: Draft, args: Sequence[int]) -> None:
    for other in positions(draft.targets(FACING, args[0])):
        draft.link(FACING, args[ME], other)


def _wear(draft: Draft, args: Sequence[int]) -> None:
    draft.link(ONTOP, args[0], args[ME])
    _let_go(draft, args)


GRAB = Change(_grab, _HOLDS | _MEMORY | _PLACING)
PUT_ON = put(ONTOP)
PUT_IN = put(INSIDE)
PUT_BACK = Change(_put_back, _HOLDS | _MEMORY | _PLACING)
PUT_BACK_OR_NOT = Change(_put_back_or_not, _HOLDS | _MEMORY | _PLACING | {"open"})
DROP = Change(_drop, _HOLDS | _MEMORY | {"inside"})
POUR = Change(_pour, _HOLDS | {"inside"})
FORGET_WATER = Change(_forget_water, _MEMORY)
FORGET = Change(lambda draft, args: draft.forget(args[0]), _MEMORY)
TURN = Change(_turn, _FACED)
FACE_ALONG = Change(_face_along, _FACED)
GET_ON = Change(lambda draft, args: draft.link(ONTOP, args[ME], args[0]), _ON)
WEAR = Change(_wear, _HOLDS | _ON)
TAKE_OFF = Change(lambda draft, args: draft.unlink(ONTOP, args[0], args[ME]), _ON)
