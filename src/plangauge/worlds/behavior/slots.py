"""Changing unary states: opening, switching on, slicing, soaking, cleaning and the like."""

from __future__ import annotations

from collections.abc import Container, Iterable

from plangauge.conditions import FALSE, All, Condition, Is, Not, Some
from plangauge.model import Fault
from plangauge.worlds.behavior.rules import (
    Case,
    Check,
    Effect,
    Names,
    Way,
    is_so,
    last_link,
    unlinked,
    when,
)
from plangauge.worlds.behavior.scene import ABILITIES, Scene
from plangauge.worlds.behavior.state import EMPTY, HOLDS, SUPPORTS, State

A_HAND_FREE = Check(
    "HANDS_FULL",
    lambda case: when(None not in case.state.hands),
    lambda _, __: Some(tuple(map(is_so, EMPTY))),
    "a hand must be free",
)


def owns(slot: str) -> Check:
    """Return the check that an object can be in a state at all."""
    return Check(
        "NO_SLOT",
        lambda case: when(not case.scene.owns(case.obj, slot)),
        lambda case, _: is_so(ABILITIES[slot], case.obj),
        f"{{0}} must be {ABILITIES[slot]}",
        fault=Fault.AFFORDANCE,
        static=True,
        final=True,
    )


def differs(slot: str, value: bool) -> Check:
    """Return the check that an object is not yet in the state that is wanted."""
    return Check(
        "ALREADY",
        lambda case: when(case.has(slot) == value),
        lambda case, _: Not(is_so(slot, case.obj)) if value else is_so(slot, case.obj),
        fault=Fault.ADDITIONAL_STEP,
    )


def lacks(slot: str, code: str, words: str) -> Check:
    """Return the check that an object is not in a state that would be in the way."""
    return Check(
        code,
        lambda case: when(case.has(slot)),
        lambda case, _: Not(is_so(slot, case.obj)),
        words,
    )


def sets(slot: str, value: bool) -> Effect:
    """Return the effect of putting an object into a state, or out of it."""

    def effect(scene: Scene, state: State, hand: int, args: Names) -> State:  # noqa: ARG001
        changed = {(slot, args[0])}
        return state._replace(true=state.true | changed if value else state.true - changed)

    return effect


def turn_on(scene: Scene, state: State, hand: int, args: Names) -> State:  # noqa: ARG001
    """Switch an object on; a dishwasher cleans what is directly in it."""
    true = state.true | {("toggled_on", args[0])}
    if args[0] in scene.dishwashers:
        inside = state.children(args[0])
        true -= {(slot, child) for child in inside for slot in ("dusty", "stained")}
    return state._replace(true=true)


# --- slicing ------------------------------------------------------------------------------------

SLICER_HELD = Check(
    "NO_SLICER",
    lambda case: when(not any(held in case.scene.slicers for held in case.state.hands)),
    lambda case, _: Some(_held(case.scene.slicers)),
    "something that slices must be in a hand",
)
OFF_OWN_PARTS = Check(
    "ON_OWN_PART",
    lambda case: last_link(case, case.scene.parts.get(case.obj, ())),
    lambda _, names: unlinked(names),
    "{0} must be off its own part {2}",
    partial=True,
)


def slice_up(scene: Scene, state: State, hand: int, args: Names) -> State:  # noqa: ARG001
    """Put the parts of an object into its place, in its state; what has no parts stays where it is.

    A part that a hand holds stays there.
    """
    (obj,) = args
    parts = scene.parts.get(obj)
    if parts is None:
        return state._replace(true=state.true | {("sliced", obj)})
    own = {slot for slot, name in state.true if name == obj} | {"sliced"}
    true = {pair for pair in state.true if pair[1] not in parts and pair[1] != obj}
    true |= {(slot, part) for slot in own for part in parts} | {("sliced", obj)}
    free = [part for part in parts if part not in state.hands]
    support, edges = dict(state.support), dict(state.edges)
    if obj in support:
        support |= dict.fromkeys(free, support.pop(obj))
    for (one, other), label in state.edges.items():
        if obj in (one, other):
            del edges[one, other]
            edges |= {
                (part, other) if one == obj else (one, part): label
                for part in free
                if part not in (one, other)
            }
    return State(frozenset(true), support, edges, state.hands)


# --- soaking and cooking ------------------------------------------------------------------------


def _runs(case: Case, name: str) -> bool:
    return not case.scene.owns(name, "toggled_on") or ("toggled_on", name) in case.state.true


def _soaks(case: Case) -> bool:
    return any(upper in case.scene.soakers and _runs(case, upper) for upper in case.above())


IN_SOAKER = Check(
    "NOT_IN_SOAKER",
    lambda case: when(not _soaks(case)),
    lambda case, _: Some(_inside_running(case, case.scene.soakers)),
    "{0} must be in a running sink or in a teapot",
    partial=True,
)
IN_COOKER = Check(
    "NOT_IN_COOKER",
    lambda case: when(not any(upper in case.scene.cookers for upper in case.above())),
    lambda case, _: Some(
        tuple(is_so(kind, case.obj, pan) for pan in case.scene.cookers for kind in SUPPORTS)
    ),
    "{0} must be in a saucepan",
    partial=True,
)


def _inside_running(case: Case, containers: Iterable[str]) -> tuple[Condition, ...]:
    """Return the ways of being directly in or on something that runs."""
    ways: list[Condition] = []
    for container in containers:
        switched = case.scene.owns(container, "toggled_on")
        running = (is_so("toggled_on", container),) if switched else ()
        ways += [All((is_so(kind, case.obj, container), *running)) for kind in SUPPORTS]
    return tuple(ways)


def _held(names: Iterable[str]) -> tuple[Is, ...]:
    return tuple(is_so(predicate, name) for name in names for predicate in HOLDS)


# --- cleaning -----------------------------------------------------------------------------------

CLEANABLE = Check(
    "NO_SLOT_CLEAN",
    lambda case: when(case.scene.things[case.obj].slots.isdisjoint(("dusty", "stained"))),
    lambda case, _: Some((is_so("dustyable", case.obj), is_so("stainable", case.obj))),
    "{0} must be something that gets dusty or stained",
    fault=Fault.AFFORDANCE,
    static=True,
    final=True,
)
DIRTY = Check(
    "CLEAN_ALREADY",
    lambda case: when(not case.has("dusty") and not case.has("stained")),
    lambda case, _: Some((is_so("dusty", case.obj), is_so("stained", case.obj))),
    "{0} must be dusty or stained",
    fault=Fault.ADDITIONAL_STEP,
    final=True,
)


def _washed(case: Case, washers: Container[str]) -> bool:
    true = case.state.true
    return any(upper in washers and ("toggled_on", upper) in true for upper in case.above())


def _removes_dust(case: Case) -> bool:
    held_tool = any(held in case.scene.tools for held in case.state.hands)
    return held_tool or _washed(case, case.scene.washers)


def _removes_stains(case: Case) -> bool:
    scene, true = case.scene, case.state.true
    for held in case.state.hands:
        if held is not None and held in scene.detergents:
            return True
        if held is not None and held in scene.tools and ("soaked", held) in true:
            return True
    return _washed(case, scene.sinks)


def _dust_remover(case: Case, _: Names) -> Condition:
    return Some((*_held(case.scene.tools), *_washing(case, case.scene.washers)))


def _stain_remover(case: Case, _: Names) -> Condition:
    tools = _held(case.scene.tools)
    soaked = (All((each, is_so("soaked", *each.fact.args))) for each in tools)
    held = _held(case.scene.detergents)
    return Some((*held, *soaked, *_washing(case, case.scene.sinks)))


def _washing(case: Case, washers: Iterable[str]) -> tuple[Condition, ...]:
    return _inside_running(case, (w for w in washers if case.scene.owns(w, "toggled_on")))


DUST_REMOVER = Check(
    "NO_CLEANER_DUST",
    lambda case: when(not _removes_dust(case)),
    _dust_remover,
    "a cleaning tool must be in a hand, or {0} in a running dishwasher or sink",
    partial=True,
)
STAIN_REMOVER = Check(
    "NO_CLEANER_STAIN",
    lambda case: when(not _removes_stains(case)),
    _stain_remover,
    "a soaked cleaning tool or a detergent must be in a hand, or {0} in a running sink",
    partial=True,
)


def clears(slot: str, checks: tuple[Check, ...]) -> Way:
    """Return the way of cleaning that takes dust, or stains, off an object."""
    return Way(lambda case: case.has(slot), checks, sets(slot, False))


# --- what this world does not have --------------------------------------------------------------

ELSEWHERE = Check(
    "NO_LOCATIONS",
    lambda _: (),
    lambda _, __: FALSE,
    "{0} must be out of reach",
    fault=Fault.ADDITIONAL_STEP,
    static=True,
)
BURNABLE = Check(
    "NO_FIRE",
    lambda _: (),
    lambda _, __: FALSE,
    "{0} must be something that can burn here",
    fault=Fault.AFFORDANCE,
    static=True,
)
