"""The actions of a household: what each needs, in order, and what it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from plangauge.model import Fault
from plangauge.worlds.virtualhome import effects as do
from plangauge.worlds.virtualhome.effects import Change, change
from plangauge.worlds.virtualhome.needs import (
    ME,
    Atom,
    Both,
    Check,
    Either,
    Kind,
    Need,
    No,
    Same,
    Test,
    concerns_second,
    reads,
)


@dataclass(frozen=True)
class Rule:
    """An action: the names of its parameters, what it needs, in order, and what it changes."""

    name: str
    parameters: tuple[str, ...]
    checks: tuple[Check, ...] = ()
    changes: tuple[Change, ...] = ()
    tests: tuple[Test, ...] = field(init=False, repr=False, compare=False)
    """The tests of the checks."""
    tests_of_first: tuple[Test, ...] = field(init=False, repr=False, compare=False)
    """Those that do not depend on a second argument."""
    reads: frozenset[str] = field(init=False, repr=False, compare=False)
    """The predicates of the state that its applicability and its effect depend on."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tests", tuple(check.need.test() for check in self.checks))
        alone = (check.need.test() for check in self.checks if not concerns_second(check.need))
        object.__setattr__(self, "tests_of_first", tuple(alone))
        needed = frozenset(name for check in self.checks for name in reads(check.need))
        object.__setattr__(self, "reads", needed.union(*(each.touches for each in self.changes)))


def _is(predicate: str, *slots: int) -> Atom:
    return Atom(predicate, slots or (0,))


def _afforded(*properties: str, kinds: str = "", of: int = 0) -> Check:
    """Return that an argument has one of some properties, or is of one of some kinds."""
    needs: list[Need] = [_is(name, of) for name in properties]
    if kinds:
        needs.append(Kind(frozenset(kinds.split()), of))
    need = needs[0] if len(needs) == 1 else Either(tuple(needs))
    return Check("afforded", need, Fault.AFFORDANCE, static=True)


def _unfinished(need: Need) -> Check:
    """Return that what the action is for is not so already."""
    return Check("unfinished", need, Fault.ADDITIONAL_STEP)


_SITTING, _LYING, _REACHED = _is("sitting", ME), _is("lying", ME), _is("within_reach")
_UPRIGHT, _RESTING = Both((No(_SITTING), No(_LYING))), Either((_LYING, _SITTING))
_UNREACHABLE = Either((_is("ontop", 0, ME), _is("body_part")))

near = Check("near", _REACHED)
near_place = Check("near_place", _is("within_reach", 1))
upright = Check("upright", _UPRIGHT)
resting = Check("resting", _RESTING)
in_a_room = Check("in_a_room", _is("in_a_room"))
hand_free = Check("hand_free", _is("hand_free", ME))
hand_full = Check("hand_full", _is("hand_full", ME))
has_knife = Check("has_knife", _is("has_knife", ME))
held = Check("held", _is("held"))
not_held = _unfinished(No(_is("held")))
reachable = Check("reachable", No(_is("shut_in")))
in_view = Check("in_view", _is("in_view"))
in_view_from_here = Check(
    "in_view_from_here",
    Either((Kind(frozenset(("computer",)), 0), _UPRIGHT, _is("facing", ME, 0))),
)
in_this_room = Check("in_this_room", _is("in_this_room"), Fault.AFFORDANCE)
seat_free = Check("seat_free", _is("seat_free"))
bed_free = Check("bed_free", _is("bed_free"))
switched_off = Check("switched_off", No(_is("on")))
not_plugged_out = Check("not_plugged_out", No(_is("plugged_out")))
takes_in = Check("takes_in", Either((No(_is("can_open", 1)), _is("open", 1))), Fault.AFFORDANCE)
apart = Check("apart", No(Same()), Fault.AFFORDANCE, static=True)
not_around = Check("not_around", No(Either((_is("inside", 1, 0), _is("ontop", 1, 0)))))
taken = Check("taken", _is("taken"))
origin_near = Check("origin_near", _is("origin_within_reach"))
origin_takes_in = Check("origin_takes_in", _is("origin_open"), Fault.AFFORDANCE)
worn = Check("worn", _is("ontop", 0, ME))
food = Check("food", Either((_is("eatable"), _is("serves_food"))), Fault.AFFORDANCE)
openable = _afforded("can_open", kinds="desk window")
pushable = _afforded("movable", kinds="chair curtain button")
squeezable = _afforded(
    "clothes",
    kinds="cleaning_solution tooth_paste shampoo food_peanut_butter dish_soap soap towel rag paper"
    " sponge food_lemon check",
)
findable = (
    Check("near", Either((_REACHED, No(_UNREACHABLE)))),
    Check("upright", Either((_REACHED, _UPRIGHT))),
    Check("in_a_room", Either((_REACHED, in_a_room.need))),
)

_CLEANING = (change("dirty", "clean"),)
_ONE, _TWO = ("object",), ("object", "place")


def _rules() -> Iterator[Rule]:
    yield from _moving()
    yield from _handling()
    yield from _switching()
    yield from _attending()
    yield from _treating()


def _moving() -> Iterator[Rule]:
    going = (do.walk(carry=True),)
    yield Rule("WALK", _ONE, (upright, in_a_room), going)
    yield Rule("RUN", _ONE, (upright, in_a_room), going)
    yield Rule("FIND", _ONE, findable, (do.find(carry=True),))
    sitting = (do.GET_ON, do.FACE_ALONG, change("lying", "sitting", of=None))
    lying = (do.GET_ON, change("sitting", "lying", of=None))
    yield Rule(
        "SIT", _ONE, (near, _unfinished(No(_SITTING)), _afforded("sittable"), seat_free), sitting
    )
    yield Rule("LIE", _ONE, (near, _unfinished(No(_LYING)), _afforded("lieable"), bed_free), lying)
    rising = (change("sitting lying", "", of=None),)
    yield Rule("STANDUP", (), (_unfinished(_RESTING),), rising)
    yield Rule("SLEEP", (), (resting,))
    yield Rule("WAKEUP", (), (resting,))


def _handling() -> Iterator[Rule]:
    grabbable = _afforded("grabbable", kinds="water child")
    yield Rule("GRAB", _ONE, (grabbable, not_held, near, reachable, hand_free), (do.GRAB,))
    yield Rule("PUTBACK", _TWO, (held, near_place, apart, not_around), (do.PUT_ON,))
    yield Rule("PUTIN", _TWO, (held, near_place, takes_in, apart, not_around), (do.PUT_IN,))
    back = (taken, held, origin_near, origin_takes_in)
    yield Rule("PUTOBJBACK", _ONE, back, (do.PUT_BACK,))
    yield Rule("DROP", _ONE, (held,), (do.DROP,))
    yield Rule("RELEASE", _ONE, (held,), (do.DROP,))
    yield Rule("PUTON", _ONE, (held, _afforded("clothes")), (do.WEAR, do.FORGET))
    yield Rule("PUTOFF", _ONE, (worn, _afforded("clothes")), (do.TAKE_OFF,))
    poured = (
        _afforded("pourable", "drinkable"),
        _afforded("recipient", kinds="hands_both sponge face", of=1),
    )
    yield Rule(
        "POUR", _TWO, (*poured, held, near_place, apart, not_around), (do.POUR, do.FORGET_WATER)
    )


def _switching() -> Iterator[Rule]:
    closed, opened = _unfinished(_is("closed")), _unfinished(_is("open"))
    yield Rule(
        "OPEN",
        _ONE,
        (openable, near, hand_free, closed, switched_off),
        (change("closed", "open"),),
    )
    yield Rule("CLOSE", _ONE, (openable, near, opened), (change("open", "closed"),))
    switch = _afforded("has_switch")
    off, on = _unfinished(_is("off")), _unfinished(_is("on"))
    yield Rule("SWITCHON", _ONE, (switch, near, off, not_plugged_out), (change("off", "on"),))
    yield Rule("SWITCHOFF", _ONE, (switch, near, on), (change("on", "off"),))
    plug = (_afforded("has_plug"), near, hand_free)
    unplugged, plugged = _unfinished(_is("plugged_out")), _unfinished(_is("plugged_in"))
    yield Rule("PLUGIN", _ONE, (*plug, unplugged), (change("plugged_out", "plugged_in"),))
    yield Rule("PLUGOUT", _ONE, (*plug, plugged), (change("plugged_in", "plugged_out"),))


def _attending() -> Iterator[Rule]:
    yield Rule("TURNTO", _ONE, (), (do.TURN,))
    for name in ("LOOKAT", "LOOKAT_SHORT", "LOOKAT_MEDIUM", "LOOKAT_LONG", "POINTAT"):
        yield Rule(name, _ONE, (in_view,))
    watched = (_afforded("lookable"), in_this_room, in_view, in_view_from_here, reachable)
    yield Rule("WATCH", _ONE, watched)
    yield Rule("READ", _ONE, (_afforded("readable"), held))
    yield Rule("GREET", _ONE, (_afforded("person"),))


def _treating() -> Iterator[Rule]:
    yield Rule("DRINK", _ONE, (_afforded("drinkable", "recipient"), held))
    yield Rule("EAT", _ONE, (near, food))
    yield Rule(
        "CUT", _ONE, (hand_free, near, _afforded("eatable"), _afforded("cuttable"), has_knife)
    )
    yield Rule("WIPE", _ONE, (near, hand_full), _CLEANING)
    for name in ("WASH", "RINSE", "SCRUB"):
        yield Rule(name, _ONE, (near,), _CLEANING)
    yield Rule("TOUCH", _ONE, (near, reachable))
    yield Rule("TYPE", _ONE, (near, _afforded("has_switch", kinds="keyboard")))
    yield Rule("PUSH", _ONE, (near, reachable, hand_free))
    for name in ("PULL", "MOVE"):
        yield Rule(name, _ONE, (pushable, near, reachable, hand_free))
    yield Rule("SQUEEZE", _ONE, (hand_free, near, squeezable))


RULES: Mapping[str, Rule] = {rule.name: rule for rule in _rules()}
"""Every action by its name."""


def _published() -> Iterator[Rule]:
    """Yield the rules that differ where the original's transitions are wanted.

    docs/virtualhome.md says what is odd about each.
    """
    going = (do.walk(carry=False),)
    yield replace(RULES["WALK"], changes=going)
    yield replace(RULES["RUN"], changes=going)
    yield replace(RULES["FIND"], changes=(do.find(carry=False),))
    yield _with_checks("SIT", {seat_free: Check("seat_left", _is("seat_left"))})
    yield _with_checks("LIE", {bed_free: Check("bed_left", _is("bed_left"))})
    not_taken = _unfinished(No(taken.need))
    yield _with_checks("GRAB", {not_held: not_taken})
    for name in ("PUTBACK", "PUTIN"):
        yield _with_checks(name, {apart: None, not_around: None})
    pouring = _with_checks("POUR", {apart: None, not_around: None})
    yield replace(pouring, changes=(do.POUR,))
    yield replace(RULES["PUTOBJBACK"], checks=(taken,), changes=(do.PUT_BACK_OR_NOT,))
    yield replace(RULES["PUTON"], changes=(do.WEAR,))


def _with_checks(name: str, others: Mapping[Check, Check | None]) -> Rule:
    """Return a rule with some checks replaced, or left out."""
    rule = RULES[name]
    checks = (others.get(check, check) for check in rule.checks)
    return replace(rule, checks=tuple(check for check in checks if check is not None))


PUBLISHED_RULES: Mapping[str, Rule] = {
    **RULES,
    **{rule.name: rule for rule in _published()},
}
"""The same with the transitions of the original."""
