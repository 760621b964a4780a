"""What each action of BEHAVIOR needs, in order, and what it does.

The actions, their conditions and the order of these are those of the Embodied Agent Interface (Li
et al. 2024). Transfers do what they are meant to do there. `NAVIGATE_TO` and `BURN` can be asked
for there, but are not implemented: here everything is always within reach, so that going anywhere
is an additional step, and nothing burns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from plangauge.worlds.behavior import places, slots
from plangauge.worlds.behavior.places import REACH, WHOLE
from plangauge.worlds.behavior.rules import Check, Effect, Rule
from plangauge.worlds.behavior.slots import A_HAND_FREE
from plangauge.worlds.behavior.state import EDGES, EMPTY, HOLDS, SIDES, SUPPORTS

ALWAYS_READ = frozenset((*SUPPORTS, *EDGES, *HOLDS, *EMPTY, "open", "sliced"))
"""The predicates of changeable facts that what an action does can depend on, whatever it is."""

_PUT = (places.HOLDING, places.APART, *REACH)
_SECOND = tuple(replace(check, about=1) for check in _PUT)


def _of_hand(hand: int) -> Iterator[tuple[str, Rule]]:
    """Yield the actions of one hand, without its name."""
    taking = (places.NOT_IN_HAND, places.NOT_IN_OTHER_HAND, places.HAND_EMPTY)
    graspable = (places.NOT_FLOOR, places.GRASPABLE)
    held = (places.SOMETHING_TO_RELEASE, places.IS_IN_HAND)
    filled = (places.HOLLOW, places.FITS, places.LID_OPEN)
    poured = (places.HOLLOW, places.CONTENTS_FIT, places.LID_OPEN_TO_POUR)
    yield "GRASP", Rule((*graspable, *taking, *REACH), places.grasp, hand)
    yield "RELEASE", Rule((*held, *REACH), places.release, hand)
    yield "PLACE_INSIDE", Rule((*filled, *_PUT), places.place_inside, hand)
    yield "PLACE_ONTOP", Rule(_PUT, places.place_ontop, hand)
    yield "PLACE_UNDER", Rule(_PUT, places.place_under, hand)
    yield "PLACE_NEXTTO", Rule(_PUT, places.place_nextto, hand)
    both = Rule((*_PUT, *_SECOND), places.place_nextto_ontop, hand, ("beside", "below"))
    yield "PLACE_NEXTTO_ONTOP", both
    yield "TRANSFER_CONTENTS_INSIDE", Rule((*poured, *_PUT), places.pour_inside, hand)
    ontop = Rule((places.SOMETHING_TO_POUR, *_PUT), places.pour_ontop, hand)
    yield "TRANSFER_CONTENTS_ONTOP", ontop


def _setting(slot: str, value: bool, *more: Check, effect: Effect | None = None) -> Rule:
    """Return the rule of an action that puts an object into a state, or out of it."""
    needs = (WHOLE, A_HAND_FREE, slots.owns(slot), slots.differs(slot, value), places.ENCLOSED)
    return Rule((*needs, *more), effect or slots.sets(slot, value), reads=(slot,))


def _slicing() -> Rule:
    able = (slots.SLICER_HELD, A_HAND_FREE, slots.owns("sliced"), slots.differs("sliced", True))
    needs = (*able, places.ENCLOSED, slots.OFF_OWN_PARTS)
    return Rule(needs, slots.slice_up, reads=("cooked", "dusty", "frozen", "soaked", "stained"))


def _cleaning() -> Rule:
    dust = slots.clears("dusty", (places.ENCLOSED, slots.DUST_REMOVER))
    stains = slots.clears("stained", (places.ENCLOSED, slots.STAIN_REMOVER))
    reads = ("dusty", "stained", "soaked", "toggled_on")
    return Rule((WHOLE, slots.CLEANABLE, slots.DIRTY), ways=(dust, stains), reads=reads)


def _rules() -> Iterator[tuple[str, Rule]]:
    for hand, side in enumerate(SIDES):
        for name, rule in _of_hand(hand):
            yield f"{side.upper()}_{name}", rule
    off = slots.lacks("toggled_on", "ON_CANNOT_OPEN", "{0} must be switched off")
    shut = slots.lacks("open", "OPEN_CANNOT_ON", "{0} must be closed")
    switching = _setting("toggled_on", True, shut, effect=slots.turn_on)
    yield "OPEN", replace(_setting("open", True, off), reads=("open", "toggled_on"))
    yield "CLOSE", _setting("open", False)
    yield "TOGGLE_ON", replace(switching, reads=("toggled_on", "dusty", "stained"))
    yield "TOGGLE_OFF", _setting("toggled_on", False)
    yield "SLICE", _slicing()
    yield "CLEAN", _cleaning()
    soaking = _setting("soaked", True, slots.IN_SOAKER)
    yield "SOAK", replace(soaking, reads=("soaked", "toggled_on"))
    yield "DRY", _setting("soaked", False)
    yield "FREEZE", _setting("frozen", True)
    yield "UNFREEZE", _setting("frozen", False)
    yield "COOK", _setting("cooked", True, slots.IN_COOKER)
    yield "NAVIGATE_TO", Rule((slots.ELSEWHERE,))
    yield "BURN", Rule((slots.BURNABLE,))


RULES: dict[str, Rule] = dict(_rules())
"""The 31 actions by name."""
