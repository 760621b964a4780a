"""The actions of a household: what each needs, in order, and what it changes.

What actions need is said once: as a quick test of numbers and as a condition on facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from plangauge.core.conditions import FALSE, TRUE, All, Condition, Is, Some
from plangauge.core.model import Fact, Fault
from plangauge.households.rules import Check, Need, Rule, Rules, no
from plangauge.households.virtualhome import effects as do
from plangauge.households.virtualhome.effects import Change, change
from plangauge.households.virtualhome.predicates import PREDICATES
from plangauge.households.virtualhome.scene import ME, View

ONE, TWO = ("object",), ("object", "place")
"""The parameters of actions."""

HomeNeed: TypeAlias = Need[View]
HomeCheck: TypeAlias = Check[View]
HomeRule: TypeAlias = Rule[View, Change]


def atom(predicate: str, *slots: int) -> HomeNeed:
    """Return that a predicate is true of one or two arguments, by default of the first."""
    slots = slots or (0,)
    test, reads = PREDICATES[predicate].test, PREDICATES[predicate].reads

    def condition(view: View) -> Condition:
        names = (view.household.name(view.args[slot]) for slot in slots)
        return Is(Fact(predicate, tuple(names)))

    def of_one(view: View) -> bool:
        return test(view, view.args[first])

    def of_two(view: View) -> bool:
        return test(view, view.args[first], view.args[slots[1]])

    first = slots[0]
    return HomeNeed(
        of_one if len(slots) == 1 else of_two,
        condition,
        reads | {predicate} if reads else reads,
        frozenset(slots) - {ME},
    )


def kind(kinds: str, slot: int = 0) -> HomeNeed:
    """Return that an argument is of one of some kinds; decided by the household."""
    known = frozenset(kinds.split())

    def met(view: View) -> bool:
        thing = view.household.things[view.args[slot]]
        return thing is not None and thing.kind in known

    return HomeNeed(met, lambda view: TRUE if met(view) else FALSE, about=frozenset((slot,)))


def both(one: HomeNeed, other: HomeNeed) -> HomeNeed:
    """Return that both needs are met."""
    first, second = one.met, other.met
    return _joined((one, other), lambda view: first(view) and second(view), All)


def either(*needs: HomeNeed) -> HomeNeed:
    """Return that one of some needs is met."""
    first, *others = (need.met for need in needs)
    if not others:
        return needs[0]
    if len(others) == 1:
        (other,) = others
        return _joined(needs, lambda view: first(view) or other(view), Some)
    return _joined(needs, lambda view: first(view) or any(test(view) for test in others), Some)


def _joined(
    needs: tuple[HomeNeed, ...], met: Callable[[View], bool], whole: type[All | Some]
) -> HomeNeed:
    """Return needs as one; of its condition is left out what makes no difference."""
    idle, decisive = (TRUE, FALSE) if whole is All else (FALSE, TRUE)

    def condition(view: View) -> Condition:
        found = [need.condition(view) for need in needs]
        if decisive in found:
            return decisive
        parts = tuple(part for part in found if part != idle)
        return parts[0] if len(parts) == 1 else whole(parts)

    reads = frozenset[str]().union(*(need.reads for need in needs))
    return HomeNeed(met, condition, reads, frozenset[int]().union(*(need.about for need in needs)))


_SAME = HomeNeed(
    lambda view: view.args[0] == view.args[1],
    lambda view: Is(Fact("=", tuple(map(view.household.name, view.args[:2])))),
    about=frozenset((0, 1)),
)


def check(
    name: str, need: HomeNeed, fault: Fault | None = None, *, static: bool = False
) -> HomeCheck:
    """Return the check that a need is met; ``fault`` is what it is called if it is not."""
    about, reads = tuple(sorted(need.about)), need.reads
    return Check(
        name, need.met, need.condition, fault=fault, static=static, about=about, reads=reads
    )


def rule(
    name: str,
    parameters: tuple[str, ...] = ONE,
    checks: tuple[HomeCheck, ...] = (),
    changes: tuple[Change, ...] = (),
) -> tuple[str, HomeRule]:
    """Return the rule of an action by its name."""
    needed = frozenset[str]().union(*(each.reads for each in checks))
    reads = needed.union(*(each.reads for each in changes))
    return name, Rule(checks, changes, parameters, reads=reads)


def _afforded(*properties: str, kinds: str = "", of: int = 0) -> HomeCheck:
    """Return that an argument has one of some properties, or is of one of some kinds."""
    needs = [atom(name, of) for name in properties] + [kind(kinds, of)] * bool(kinds)
    return check("afforded", either(*needs), Fault.AFFORDANCE, static=True)


def unfinished(need: HomeNeed) -> HomeCheck:
    """Return that what the action is for is not so already."""
    return check("unfinished", need, Fault.ADDITIONAL_STEP)


_SITTING, _LYING, _REACHED = atom("sitting", ME), atom("lying", ME), atom("within_reach")
_UPRIGHT, _RESTING = both(no(_SITTING), no(_LYING)), either(_LYING, _SITTING)
_IN_A_ROOM = atom("in_a_room")
_UNREACHABLE = either(atom("ontop", 0, ME), atom("body_part"))

near = check("near", _REACHED)
near_place = check("near_place", atom("within_reach", 1))
upright = check("upright", _UPRIGHT)
resting = check("resting", _RESTING)
in_a_room = check("in_a_room", _IN_A_ROOM)
hand_free = check("hand_free", atom("hand_free", ME))
hand_full = check("hand_full", atom("hand_full", ME))
has_knife = check("has_knife", atom("has_knife", ME))
held = check("held", atom("held"))
not_held = unfinished(no(atom("held")))
reachable = check("reachable", no(atom("shut_in")))
in_view = check("in_view", atom("in_view"))
in_view_from_here = check(
    "in_view_from_here",
    either(kind("computer"), _UPRIGHT, atom("facing", ME, 0)),
)
in_this_room = check("in_this_room", atom("in_this_room"), Fault.AFFORDANCE)
seat_free = check("seat_free", atom("seat_free"))
bed_free = check("bed_free", atom("bed_free"))
switched_off = check("switched_off", no(atom("on")))
not_plugged_out = check("not_plugged_out", no(atom("plugged_out")))
takes_in = check("takes_in", either(no(atom("can_open", 1)), atom("open", 1)), Fault.AFFORDANCE)
apart = check("apart", no(_SAME), Fault.AFFORDANCE, static=True)
not_around = check("not_around", no(either(atom("inside", 1, 0), atom("ontop", 1, 0))))
taken = check("taken", atom("taken"))
origin_near = check("origin_near", atom("origin_within_reach"))
origin_takes_in = check("origin_takes_in", atom("origin_open"), Fault.AFFORDANCE)
worn = check("worn", atom("ontop", 0, ME))
food = check("food", either(atom("eatable"), atom("serves_food")), Fault.AFFORDANCE)
openable = _afforded("can_open", kinds="desk window")
pushable = _afforded("movable", kinds="chair curtain button")
squeezable = _afforded(
    "clothes",
    kinds="cleaning_solution tooth_paste shampoo food_peanut_butter dish_soap soap towel rag paper"
    " sponge food_lemon check",
)
findable = (
    check("near", either(_REACHED, no(_UNREACHABLE))),
    check("upright", either(_REACHED, _UPRIGHT)),
    check("in_a_room", either(_REACHED, _IN_A_ROOM)),
)

_CLEANING = (change("dirty", "clean"),)


def _rules() -> Iterator[tuple[str, HomeRule]]:
    yield from _moving()
    yield from _handling()
    yield from _switching()
    yield from _attending()
    yield from _treating()


def _moving() -> Iterator[tuple[str, HomeRule]]:
    going = (do.walk(carry=True),)
    yield rule("WALK", ONE, (upright, in_a_room), going)
    yield rule("RUN", ONE, (upright, in_a_room), going)
    yield rule("FIND", ONE, findable, (do.find(carry=True),))
    sitting = (do.GET_ON, do.FACE_ALONG, change("lying", "sitting", of=ME))
    lying = (do.GET_ON, change("sitting", "lying", of=ME))
    yield rule(
        "SIT", ONE, (near, unfinished(no(_SITTING)), _afforded("sittable"), seat_free), sitting
    )
    yield rule("LIE", ONE, (near, unfinished(no(_LYING)), _afforded("lieable"), bed_free), lying)
    rising = (change("sitting lying", "", of=ME),)
    yield rule("STANDUP", (), (unfinished(_RESTING),), rising)
    yield rule("SLEEP", (), (resting,))
    yield rule("WAKEUP", (), (resting,))


def _handling() -> Iterator[tuple[str, HomeRule]]:
    grabbable = _afforded("grabbable", kinds="water child")
    yield rule("GRAB", ONE, (grabbable, not_held, near, reachable, hand_free), (do.GRAB,))
    yield rule("PUTBACK", TWO, (held, near_place, apart, not_around), (do.PUT_ON,))
    yield rule("PUTIN", TWO, (held, near_place, takes_in, apart, not_around), (do.PUT_IN,))
    back = (taken, held, origin_near, origin_takes_in)
    yield rule("PUTOBJBACK", ONE, back, (do.PUT_BACK,))
    yield rule("DROP", ONE, (held,), (do.DROP,))
    yield rule("RELEASE", ONE, (held,), (do.DROP,))
    yield rule("PUTON", ONE, (held, _afforded("clothes")), (do.WEAR, do.FORGET))
    yield rule("PUTOFF", ONE, (worn, _afforded("clothes")), (do.TAKE_OFF,))
    poured = (
        _afforded("pourable", "drinkable"),
        _afforded("recipient", kinds="hands_both sponge face", of=1),
    )
    yield rule(
        "POUR", TWO, (*poured, held, near_place, apart, not_around), (do.POUR, do.FORGET_WATER)
    )


def _switching() -> Iterator[tuple[str, HomeRule]]:
    closed, opened = unfinished(atom("closed")), unfinished(atom("open"))
    yield rule(
        "OPEN",
        ONE,
        (openable, near, hand_free, closed, switched_off),
        (change("closed", "open"),),
    )
    yield rule("CLOSE", ONE, (openable, near, opened), (change("open", "closed"),))
    switch = _afforded("has_switch")
    off, on = unfinished(atom("off")), unfinished(atom("on"))
    yield rule("SWITCHON", ONE, (switch, near, off, not_plugged_out), (change("off", "on"),))
    yield rule("SWITCHOFF", ONE, (switch, near, on), (change("on", "off"),))
    plug = (_afforded("has_plug"), near, hand_free)
    unplugged, plugged = unfinished(atom("plugged_out")), unfinished(atom("plugged_in"))
    yield rule("PLUGIN", ONE, (*plug, unplugged), (change("plugged_out", "plugged_in"),))
    yield rule("PLUGOUT", ONE, (*plug, plugged), (change("plugged_in", "plugged_out"),))


def _attending() -> Iterator[tuple[str, HomeRule]]:
    yield rule("TURNTO", ONE, (), (do.TURN,))
    for name in ("LOOKAT", "LOOKAT_SHORT", "LOOKAT_MEDIUM", "LOOKAT_LONG", "POINTAT"):
        yield rule(name, ONE, (in_view,))
    watched = (_afforded("lookable"), in_this_room, in_view, in_view_from_here, reachable)
    yield rule("WATCH", ONE, watched)
    yield rule("READ", ONE, (_afforded("readable"), held))
    yield rule("GREET", ONE, (_afforded("person"),))


def _treating() -> Iterator[tuple[str, HomeRule]]:
    yield rule("DRINK", ONE, (_afforded("drinkable", "recipient"), held))
    yield rule("EAT", ONE, (near, food))
    yield rule(
        "CUT", ONE, (hand_free, near, _afforded("eatable"), _afforded("cuttable"), has_knife)
    )
    yield rule("WIPE", ONE, (near, hand_full), _CLEANING)
    for name in ("WASH", "RINSE", "SCRUB"):
        yield rule(name, ONE, (near,), _CLEANING)
    yield rule("TOUCH", ONE, (near, reachable))
    yield rule("TYPE", ONE, (near, _afforded("has_switch", kinds="keyboard")))
    yield rule("PUSH", ONE, (near, reachable, hand_free))
    for name in ("PULL", "MOVE"):
        yield rule(name, ONE, (pushable, near, reachable, hand_free))
    yield rule("SQUEEZE", ONE, (hand_free, near, squeezable))


RULES = Rules(dict(_rules()), __name__, "RULES")
"""Every action by its name."""

# --- as published -------------------------------------------------------------------------------


def _published() -> Iterator[tuple[str, HomeRule]]:
    """Yield the rules that differ there; docs/virtualhome.md says what is odd about each."""
    going = (do.walk(carry=False),)
    yield _other("WALK", changes=going)
    yield _other("RUN", changes=going)
    yield _other("FIND", changes=(do.find(carry=False),))
    yield _other("SIT", {seat_free: check("seat_left", atom("seat_left"))})
    yield _other("LIE", {bed_free: check("bed_left", atom("bed_left"))})
    yield _other("GRAB", {not_held: unfinished(no(atom("taken")))})
    anywhere = {apart: None, not_around: None}
    yield _other("PUTBACK", anywhere)
    yield _other("PUTIN", anywhere)
    yield _other("POUR", anywhere, (do.POUR,))
    yield rule("PUTOBJBACK", checks=(taken,), changes=(do.PUT_BACK_OR_NOT,))
    yield _other("PUTON", changes=(do.WEAR,))
    superfluous = {
        each: replace(each, fault=Fault.ADDITIONAL_STEP) for each in (switched_off, not_plugged_out)
    }
    yield _other("OPEN", superfluous)
    yield _other("SWITCHON", superfluous)


def _other(
    name: str,
    others: Mapping[HomeCheck, HomeCheck | None] | None = None,
    changes: tuple[Change, ...] = (),
) -> tuple[str, HomeRule]:
    """Return a rule with some checks replaced, or left out, or with other changes."""
    usual = RULES[name]
    found = ((others or {}).get(each, each) for each in usual.checks)
    checks = tuple(each for each in found if each is not None)
    return rule(name, usual.parameters, checks, changes or usual.changes)


PUBLISHED = Rules({**RULES, **dict(_published())}, __name__, "PUBLISHED")
"""The actions with the transitions of the original, oddities included."""
