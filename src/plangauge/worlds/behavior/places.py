"""Taking and putting: what the hands need, and where things are then."""

from __future__ import annotations

from plangauge.conditions import TRUE, Condition, Not, Some
from plangauge.model import Fault
from plangauge.worlds.behavior.rules import (
    Case,
    Check,
    Names,
    is_so,
    last_link,
    unlinked,
    when,
)
from plangauge.worlds.behavior.scene import LARGEST_GRASP, Scene
from plangauge.worlds.behavior.state import EMPTY, HOLDS, State

_HEAVIER = 5
"""What is so many times as large as the thing it lies on stays where it is when that is taken."""

# --- reach --------------------------------------------------------------------------------------


def _lid_above(case: Case) -> Names | None:
    """Return what the object is, directly or not, inside of and whose lid is closed."""
    if case.obj in case.scene.floors or case.obj not in case.state.support:
        return None
    for lower, upper, kind in case.links():
        if kind == "inside" and _is_closed(case, upper):
            return lower, upper
    return None


def _is_closed(case: Case, name: str) -> bool:
    return name in case.scene.openable and ("open", name) not in case.state.true


ENCLOSED = Check(
    "IN_CLOSED",
    _lid_above,
    lambda _, names: Some((is_so("open", names[1]), Not(is_so("inside", *names)))),
    "{2} must be open, because {1} is inside it",
    partial=True,
)
WHOLE = Check(
    "SLICED_WHOLE",
    lambda case: when(case.obj in case.scene.parts and case.has("sliced")),
    lambda case, _: Not(is_so("sliced", case.obj)) if case.obj in case.scene.parts else TRUE,
    "{0} must be whole",
    fault=Fault.AFFORDANCE,
    final=True,
)
REACH = (ENCLOSED, WHOLE)

# --- taking -------------------------------------------------------------------------------------

NOT_FLOOR = Check(
    "GRASP_FLOOR",
    lambda case: when(case.obj in case.scene.floors),
    lambda case, _: Not(is_so("floor", case.obj)),
    "{0} must be something that can be grasped",
    fault=Fault.AFFORDANCE,
    static=True,
    final=True,
)
GRASPABLE = Check(
    "TOO_BIG_GRASP",
    lambda case: when(case.scene.volume(case.obj) > LARGEST_GRASP),
    lambda case, _: Not(is_so("bulky", case.obj)),
    "{0} must be small enough to grasp",
    fault=Fault.AFFORDANCE,
    static=True,
)
NOT_IN_HAND = Check(
    "IN_HAND",
    lambda case: when(case.held == case.obj),
    lambda case, _: Not(is_so(HOLDS[case.hand], case.obj)),
    "{0} must be out of the {hand} hand",
    fault=Fault.ADDITIONAL_STEP,
    final=True,
)
NOT_IN_OTHER_HAND = Check(
    "IN_OTHER_HAND",
    lambda case: when(case.state.hands[1 - case.hand] == case.obj),
    lambda case, _: Not(is_so(HOLDS[1 - case.hand], case.obj)),
    "{0} must be out of the other hand",
    fault=Fault.ADDITIONAL_STEP,
)
HAND_EMPTY = Check(
    "HAND_FULL",
    lambda case: when(case.held is not None),
    lambda case, _: is_so(EMPTY[case.hand]),
    "the {hand} hand must be empty",
)


def grasp(scene: Scene, state: State, hand: int, args: Names) -> State:
    """Take an object from where it is; of what lies on it, what is much larger stays behind."""
    (obj,) = args
    edges = {pair: label for pair, label in state.edges.items() if obj not in pair}
    support = {name: link for name, link in state.support.items() if name != obj}
    limit = _HEAVIER * scene.volume(obj)
    for child in [name for name, link in support.items() if link[0] == obj]:
        if scene.volume(child) > limit:
            del support[child]
    return State(state.true, support, edges, _with(state, hand, obj))


# --- letting go ---------------------------------------------------------------------------------

SOMETHING_TO_RELEASE = Check(
    "NOT_HOLDING_RELEASE",
    lambda case: when(case.held is None),
    lambda case, _: Not(is_so(EMPTY[case.hand])),
    "something must be in the {hand} hand",
    fault=Fault.ADDITIONAL_STEP,
    final=True,
)
IS_IN_HAND = Check(
    "NOT_TARGET_RELEASE",
    lambda case: when(case.held not in (None, case.obj)),
    lambda case, _: is_so(HOLDS[case.hand], case.obj),
    "{0} must be in the {hand} hand",
)


def release(scene: Scene, state: State, hand: int, args: Names) -> State:  # noqa: ARG001
    """Let go of what the hand holds: it is nowhere then."""
    return State(state.true, state.support, state.edges, _with(state, hand, None))


# --- putting ------------------------------------------------------------------------------------

HOLDING = Check(
    "NOT_HOLDING_PLACE",
    lambda case: when(case.held is None),
    lambda case, _: Not(is_so(EMPTY[case.hand])),
    "something must be in the {hand} hand",
    fault=Fault.MISSING_STEP,  # that the hand held something earlier, whatever it was, says nothing
    final=True,
)


def _attached(case: Case) -> Names | None:
    held = case.held
    if held is None:
        return None
    return (held,) if held == case.obj else last_link(case, (held,))


def _detached(case: Case, names: Names) -> Condition:
    return Not(is_so(HOLDS[case.hand], case.obj)) if len(names) == 1 else unlinked(names)


APART = Check(
    "RELEASE_TARGET",
    _attached,
    _detached,
    "{0} must be apart from what the {hand} hand holds",
    fault=Fault.MISSING_STEP,
    partial=True,
)


def _too_big(case: Case) -> Names | None:
    held = case.held
    big = held is not None and case.scene.volume(held) > case.scene.volume(case.obj)
    return (held,) if big and held is not None else None


FITS = Check(
    "TOO_BIG_INSIDE",
    _too_big,
    lambda case, names: Not(is_so(HOLDS[case.hand], *names)),
    "{1} must be small enough for {0}",
    fault=Fault.AFFORDANCE,
    partial=True,
)


def _lid(case: Case) -> Names | None:
    return when(case.held is not None and _is_closed(case, case.obj))


def _lid_open(case: Case, _: Names) -> Condition:
    return is_so("open", case.obj) if case.obj in case.scene.openable else TRUE


LID_OPEN = Check("CLOSED_TARGET", _lid, _lid_open, "{0} must be open")
HOLLOW = Check(
    "FLOOR_INSIDE",
    lambda case: when(case.obj in case.scene.floors),
    lambda case, _: Not(is_so("floor", case.obj)),
    "{0} must be something that other things can be inside",
    fault=Fault.AFFORDANCE,
    static=True,
)


def place_inside(scene: Scene, state: State, hand: int, args: Names) -> State:  # noqa: ARG001
    """Put what the hand holds into an object."""
    held = state.hands[hand]
    support = state.support if held is None else {**state.support, held: (args[0], "inside")}
    return State(state.true, support, state.edges, _with(state, hand, None))


def place_ontop(scene: Scene, state: State, hand: int, args: Names) -> State:
    """Put what the hand holds onto an object or a floor."""
    held = state.hands[hand]
    placed = state if held is None else put_on(scene, state, held, args[0])
    return placed._replace(hands=_with(state, hand, None))


def place_under(scene: Scene, state: State, hand: int, args: Names) -> State:
    """Put what the hand holds under an object, and so on or in what that is on or in."""
    held, obj = state.hands[hand], args[0]
    if held is None:
        return state
    state = state._replace(edges={**state.edges, (held, obj): "under"})
    return _beside(scene, state, held, obj)._replace(hands=_with(state, hand, None))


def place_nextto(scene: Scene, state: State, hand: int, args: Names) -> State:
    """Put what the hand holds next to an object, on or in what that is on or in."""
    held, obj = state.hands[hand], args[0]
    if held is None:
        return state
    state = _next_to(state, held, obj)
    return _beside(scene, state, held, obj)._replace(hands=_with(state, hand, None))


def place_nextto_ontop(scene: Scene, state: State, hand: int, args: Names) -> State:
    """Put what the hand holds next to one object and onto another, or a floor."""
    held, (beside, below) = state.hands[hand], args
    if held is None:
        return state
    state = put_on(scene, _next_to(state, held, beside), held, below)
    return state._replace(hands=_with(state, hand, None))


def put_on(scene: Scene, state: State, name: str, below: str) -> State:
    """Return the state in which a thing is on an object or a floor."""
    if below in scene.floors:
        return state._replace(edges={**state.edges, (name, below): "onfloor"})
    return state._replace(support={**state.support, name: (below, "ontop")})


def _next_to(state: State, one: str, other: str) -> State:
    return state._replace(edges={**state.edges, (other, one): "nextto", (one, other): "nextto"})


def _beside(scene: Scene, state: State, placed: str, obj: str) -> State:
    """Return the state in which what was placed has the support or the floor of an object."""
    if obj in scene.floors:
        return put_on(scene, state, placed, obj)
    if obj in state.support:
        return state._replace(support={**state.support, placed: state.support[obj]})
    for floor in scene.floors:
        if state.edges.get((obj, floor)) == "onfloor":
            return put_on(scene, state, placed, floor)
    return state


def _with(state: State, hand: int, held: str | None) -> tuple[str | None, str | None]:
    left, right = state.hands
    return (left, held) if hand else (held, right)


# --- pouring ------------------------------------------------------------------------------------


def _too_big_to_pour(case: Case) -> Names | None:
    held = case.held
    if held is None:
        return None
    limit = case.scene.volume(case.obj)
    large = (c for c in case.state.children(held) if case.scene.volume(c) > limit)
    return next(((child, *case.state.support[child]) for child in large), None)


CONTENTS_FIT = Check(
    "TOO_BIG_POUR",
    _too_big_to_pour,
    lambda _, names: unlinked(names),
    "{1} must be small enough for {0}",
    fault=Fault.AFFORDANCE,
    partial=True,
)
LID_OPEN_TO_POUR = Check("CLOSED_POUR", _lid, _lid_open, "{0} must be open")


def _nothing_in_it(case: Case) -> Names | None:
    held = case.held
    return (held,) if held is not None and not case.state.children(held) else None


def _something_in_it(case: Case, names: Names) -> Condition:
    kinds = ("inside", "ontop")
    return Some(tuple(is_so(kind, thing, *names) for thing in case.scene.things for kind in kinds))


SOMETHING_TO_POUR = Check(
    "NOTHING_TO_POUR",
    _nothing_in_it,
    _something_in_it,
    "something must be in or on {1}",
    fault=Fault.AFFORDANCE,
    partial=True,
)


def pour_inside(scene: Scene, state: State, hand: int, args: Names) -> State:  # noqa: ARG001
    """Put into an object what is directly in or on what the hand holds."""
    held = state.hands[hand]
    poured = state.children(held) if held is not None else []
    return state._replace(support=state.support | dict.fromkeys(poured, (args[0], "inside")))


def pour_ontop(scene: Scene, state: State, hand: int, args: Names) -> State:
    """Put onto an object or a floor what is directly in or on what the hand holds."""
    held = state.hands[hand]
    for name in state.children(held) if held is not None else ():
        if args[0] in scene.floors:
            rest = {other: link for other, link in state.support.items() if other != name}
            state = state._replace(support=rest)
        state = put_on(scene, state, name, args[0])
    return state
