"""What each action of BEHAVIOR needs, in order, and what it does.

The actions, their conditions and the order of these are those of the Embodied Agent Interface (Li
et al. 2024). Transfers do what they are meant to do there. `NAVIGATE_TO` and `BURN` can be asked
for there, but are not implemented: here everything is always within reach, so that going anywhere
is an additional step, and nothing burns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from plangauge.households.behavior import rules
from plangauge.households.behavior.rules import Effect, SceneCheck, SceneRule, on_second_object
from plangauge.households.behavior.scene import EDGES, EMPTY, HOLDS, SIDES, SUPPORTS, Case, State
from plangauge.households.rules import EffectOption, Rule, Rules, UnhandledByOriginal

_ALWAYS_READ = frozenset((*SUPPORTS, *EDGES, *HOLDS, *EMPTY, "open", "sliced"))
"""The predicates of changeable facts that what an action does can depend on, whatever it is."""
_PUT = (rules.HOLDING, rules.APART, *rules.REACH)


def _rule(
    checks: tuple[SceneCheck, ...],
    effect: Effect | None = None,
    *reads: str,
    parameters: tuple[str, ...] = ("object",),
    ways: tuple[EffectOption[Case, Effect], ...] = (),
) -> SceneRule:
    """Return a rule; ``reads`` are the predicates that it can depend on beside `_ALWAYS_READ`."""
    changes = () if effect is None else (effect,)
    return Rule(checks, changes, parameters, ways, _ALWAYS_READ.union(reads))


def _of_hand() -> Iterator[tuple[str, SceneRule]]:
    """Yield the actions of one hand, without its name."""
    taking = (rules.NOT_IN_HAND, rules.NOT_IN_OTHER_HAND, rules.HAND_EMPTY)
    graspable = (rules.NOT_FLOOR, rules.GRASPABLE)
    held = (rules.SOMETHING_TO_RELEASE, rules.IS_IN_HAND)
    filled = (rules.HOLLOW, rules.FITS, rules.LID_OPEN)
    poured = (rules.HOLLOW, rules.CONTENTS_FIT, rules.LID_OPEN_TO_POUR)
    both, two = (*_PUT, *map(on_second_object, _PUT)), ("beside", "below")
    yield "GRASP", _rule((*graspable, *taking, *rules.REACH), rules.grasp)
    yield "RELEASE", _rule((*held, *rules.REACH), rules.release)
    yield "PLACE_INSIDE", _rule((*filled, *_PUT), rules.place_inside)
    yield "PLACE_ONTOP", _rule(_PUT, rules.place_ontop)
    yield "PLACE_UNDER", _rule(_PUT, rules.place_under)
    yield "PLACE_NEXTTO", _rule(_PUT, rules.place_nextto)
    yield "PLACE_NEXTTO_ONTOP", _rule(both, rules.place_nextto_ontop, parameters=two)
    yield "TRANSFER_CONTENTS_INSIDE", _rule((*poured, *_PUT), rules.pour_inside)
    ontop = (rules.SOMETHING_TO_POUR, *_PUT)
    yield "TRANSFER_CONTENTS_ONTOP", _rule(ontop, rules.pour_ontop)


def _setting(slot: str, value: bool, *more: SceneCheck) -> SceneRule:
    """Return the rule of an action that puts an object into a state, or out of it."""
    needs = (
        rules.WHOLE,
        rules.A_HAND_FREE,
        rules.owns(slot),
        rules.differs(slot, value),
        rules.ENCLOSED,
    )
    return _rule((*needs, *more), rules.sets(slot, value), slot)


def _slicing() -> SceneRule:
    able = (
        rules.SLICER_HELD,
        rules.A_HAND_FREE,
        rules.owns("sliced"),
        rules.differs("sliced", True),
    )
    needs = (*able, rules.ENCLOSED, rules.OFF_OWN_PARTS)
    return _rule(needs, rules.slice_up, "cooked", "dusty", "frozen", "soaked", "stained")


def _cleaning() -> SceneRule:
    dust = rules.clears("dusty", (rules.ENCLOSED, rules.DUST_REMOVER))
    stains = rules.clears("stained", (rules.ENCLOSED, rules.STAIN_REMOVER))
    reads = ("dusty", "stained", "soaked", "toggled_on")
    return _rule((rules.WHOLE, rules.CLEANABLE, rules.DIRTY), None, *reads, ways=(dust, stains))


def _also(rule: SceneRule, *reads: str) -> SceneRule:
    return replace(rule, reads=rule.reads.union(reads))


def _rules() -> Iterator[tuple[str, SceneRule]]:
    for side in SIDES:
        for name, rule in _of_hand():
            yield f"{side.upper()}_{name}", rule
    off = rules.lacks("toggled_on", "ON_CANNOT_OPEN", "{0} must be switched off")
    shut = rules.lacks("open", "OPEN_CANNOT_ON", "{0} must be closed")
    yield "OPEN", _also(_setting("open", True, off), "toggled_on")
    yield "CLOSE", _setting("open", False)
    switching = replace(_setting("toggled_on", True, shut), changes=(rules.turn_on,))
    yield "TOGGLE_ON", _also(switching, "dusty", "stained")
    yield "TOGGLE_OFF", _setting("toggled_on", False)
    yield "SLICE", _slicing()
    yield "CLEAN", _cleaning()
    yield "SOAK", _also(_setting("soaked", True, rules.IN_SOAKER), "toggled_on")
    yield "DRY", _setting("soaked", False)
    yield "FREEZE", _setting("frozen", True)
    yield "UNFREEZE", _setting("frozen", False)
    yield "COOK", _setting("cooked", True, rules.IN_COOKER)
    yield "NAVIGATE_TO", _rule((rules.ELSEWHERE,))
    yield "BURN", _rule((rules.BURNABLE,))


RULES = Rules(dict(_rules()), __name__, "RULES")
"""The 31 actions by name."""

# --- as published -------------------------------------------------------------------------------

# Most actions are those of our world. The others are declared again as they are in the original;
# where that ends in an exception, after changing part of the state, `UnhandledByOriginal` is raised
# with it.


def _place_inside(case: Case) -> State:
    if case.obj not in case.scene.floors:
        return RULES["LEFT_PLACE_INSIDE"].changes[0](case)
    rest = {name: link for name, link in case.state.support.items() if name != case.held}
    raise UnhandledByOriginal(case.state._replace(support=rest), "nothing can be put into a floor")


def _transfer(kind: str) -> Effect:
    def effect(case: Case) -> State:
        state, held = case.state, case.held
        contents = state.children(held) if held is not None else []
        if not contents:
            return state
        if case.obj in case.scene.floors:
            raise UnhandledByOriginal(state, "nothing can be poured onto a floor")
        support = {name: link for name, link in state.support.items() if name != contents[0]}
        support[contents[0]] = (case.obj, kind)
        raise UnhandledByOriginal(state._replace(support=support), "only one thing can be poured")

    return effect


def _slice(case: Case) -> State:
    """Let everything that is named after the object and a part take its place, wherever it is."""
    scene, state, _, _, obj = case
    parts = [name for name in scene.things if "_part_" in name and obj in name]
    true = state.true | {("sliced", obj)}
    slots = {slot for slot, name in true if name == obj}
    true = frozenset(pair for pair in true if pair[1] not in parts)
    true |= {(slot, part) for slot in slots for part in parts}
    if obj not in parts:
        true |= {(slot, obj) for slot in slots}
    support, edges = dict(state.support), dict(state.edges)
    for (one, other), label in state.edges.items():
        if obj in (one, other):
            del edges[one, other]
            for part in parts:
                edges[(part, other) if one == obj else (one, part)] = label
    place = support.get(obj)
    if place is not None:
        for part in parts:
            support.pop(part, None)
            support[part] = place
        del support[obj]
        if not set(parts).isdisjoint(case.above()):
            raise UnhandledByOriginal(state, "a part cannot be where it is itself")
    return State(true, support, edges, state.hands)


_MOVED = (rules.WHOLE.name, rules.HOLLOW.name, rules.OFF_OWN_PARTS.name)
_EMPTY_HANDED_MISSING = replace(
    rules.SOMETHING_TO_RELEASE,
    met=lambda case: (
        case.held is not None or not any(case.obj in pair for pair in case.state.edges)
    ),
    fault=None,
)


def _checks(checks: Sequence[SceneCheck]) -> Iterator[SceneCheck]:
    """Yield checks in their order: whether a thing is whole comes after whether it is enclosed."""
    for check in checks:
        if check.name in _MOVED:
            continue
        if check is rules.SOMETHING_TO_RELEASE:
            yield _EMPTY_HANDED_MISSING
        yield check
        if check.name == rules.ENCLOSED.name:
            yield rules.WHOLE if check is rules.ENCLOSED else on_second_object(rules.WHOLE)


def _published(name: str, rule: SceneRule) -> SceneRule:
    effects = {
        "PLACE_INSIDE": _place_inside,
        "TRANSFER_CONTENTS_INSIDE": _transfer("inside"),
        "TRANSFER_CONTENTS_ONTOP": _transfer("ontop"),
        "SLICE": _slice,
    }
    other = effects.get(name.removeprefix("LEFT_").removeprefix("RIGHT_"))
    ways = tuple(replace(way, checks=tuple(_checks(way.checks))) for way in rule.ways)
    changes = rule.changes if other is None else (other,)
    return replace(rule, checks=tuple(_checks(rule.checks)), changes=changes, ways=ways)


PUBLISHED = Rules(
    {name: _published(name, rule) for name, rule in RULES.items()}, __name__, "PUBLISHED"
)
"""The actions by name; what is not implemented there is as here."""
