"""BEHAVIOR as the Embodied Agent Interface executes it, with what goes wrong there.

Most actions are those of our world. Others are declared again here as they are there; where it ends
in an exception, after changing part of the state, `Unhandled` is raised with that state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

from plangauge.model import Action, Fault
from plangauge.reading.households.behavior import Item
from plangauge.worlds.behavior import BehaviorWorld, Scene, State
from plangauge.worlds.behavior.actions import RULES
from plangauge.worlds.behavior.places import (
    ENCLOSED,
    HOLLOW,
    SOMETHING_TO_RELEASE,
    WHOLE,
)
from plangauge.worlds.behavior.rules import Case, Check, Effect, Names, Rule, when
from plangauge.worlds.behavior.slots import OFF_OWN_PARTS

CLASSES = {
    Fault.ADDITIONAL_STEP: "ErrorType.ADDITIONAL_STEP",
    Fault.AFFORDANCE: "ErrorType.AFFORDANCE_ERROR",
    Fault.WRONG_ORDER: "ErrorType.WRONG_TEMPORAL_ORDER",
    Fault.MISSING_STEP: "ErrorType.MISSING_STEP",
}
"""The error classes; of several in one step the first counts."""
UNHANDLED = "unknown_execution_error"


class Unhandled(Exception):
    """An action ends in an exception, which leaves this state."""

    def __init__(self, state: State, reason: str) -> None:
        super().__init__(reason)
        self.state = state


class Error(NamedTuple):
    """An error of a step: its class, its code among our checks, and what is wrong in words."""

    fault: Fault
    code: str
    reason: str


@dataclass
class Run:
    """What became of a sequence: its last state, and a record for each step that was tried."""

    state: State
    steps: list[dict[str, Any]] = field(default_factory=list)
    errors: dict[int, list[Error]] = field(default_factory=dict)
    """The errors of the steps that failed."""
    unhandled: str | None = None
    stopped: bool = False

    def classes(self) -> Iterator[Error]:
        """Yield for each step that failed with an error the one that its class comes from."""
        return (telling(errors) for errors in self.errors.values() if errors)


def execute(
    world: BehaviorWorld, initial: State, items: Sequence[Item], actions: Sequence[Action]
) -> Run:
    """Return what becomes of items without a slip, and their actions, in a world of `PUBLISHED`."""
    history = _History(world)
    run = Run(initial)
    state = initial
    for index, (item, action) in enumerate(zip(items, actions, strict=True)):
        record: dict[str, Any] = {"action": item[0], "object": item[1]}
        run.steps.append(record | {"execution_success": True, "step": index})
        try:
            after = world.successor(state, action)
        except Unhandled as error:
            run.state, run.unhandled, run.errors[index] = error.state, str(error), []
            told = [{"error_type": UNHANDLED, "error_reason": str(error)}]
            _failed(run, record, told)
            return run
        if after is not None:
            history.states.append(state)
            run.state = state = after
            continue
        errors = run.errors[index] = list(_errors(world, state, history, action))
        told = [{"error_type": CLASSES[e.fault], "error_reason": e.reason} for e in errors]
        _failed(run, record, told)
        if telling(errors).fault is not Fault.ADDITIONAL_STEP:
            return run
        run.stopped = False
    return run


def _failed(run: Run, record: dict[str, Any], errors: list[dict[str, str]]) -> None:
    step = run.steps[-1]["step"]
    run.steps[-1] = record | {"errors": errors, "execution_success": False, "step": step}
    run.stopped = True


def telling(errors: Sequence[Error]) -> Error:
    """Return the error of a step that its class comes from."""
    return min(errors, key=lambda error: list(CLASSES).index(error.fault))


class _History:
    """The states before each action that was executed."""

    def __init__(self, world: BehaviorWorld) -> None:
        self.world = world
        self.states: list[State] = []
        self._seen: dict[tuple[Action, int], tuple[int, bool]] = {}

    def allowed(self, action: Action, checks: Sequence[Check], way: int) -> bool:
        """Return whether an action, or one of its ways, passed these checks in one of the states.

        No state is looked at twice, so that long sequences take linear time.
        """
        rule = self.world.rules[action.name]
        start, found = self._seen.get((action, way), (0, False))
        while not found and start < len(self.states):
            cases = [Case(self.world.scene, self.states[start], rule.hand, a) for a in action.args]
            applies = way < 0 or rule.ways[way].applies(cases[0])
            found = applies and all(check.test(cases[check.about]) is None for check in checks)
            start += 1
        self._seen[action, way] = (start, found)
        return found


def _errors(
    world: BehaviorWorld, state: State, history: _History, action: Action
) -> Iterator[Error]:
    """Yield the errors of an action: of its first failed check, or of that of each of its ways."""
    rule = world.rules[action.name]
    cases = [Case(world.scene, state, rule.hand, arg) for arg in action.args]
    first = _first(rule.checks, cases)
    if first is not None:
        yield first
        if _looks_back(action.name) and history.allowed(action, rule.checks, -1):
            yield _ORDER
        return
    for number, way in enumerate(rule.ways):
        failed = _first(way.checks, cases) if way.applies(cases[0]) else None
        if failed is not None:
            yield failed
            if history.allowed(action, way.checks, number):
                yield _ORDER


def _first(checks: Sequence[Check], cases: Sequence[Case]) -> Error | None:
    for check in checks:
        case = cases[check.about]
        names = check.test(case)
        if names is not None:
            said = check.violation(case, names)
            return Error(said.fault or Fault.MISSING_STEP, check.code, said.message)
    return None


def _looks_back(name: str) -> bool:
    return "PLACE" not in name and "TRANSFER" not in name and name != "CLEAN"


_ORDER = Error(Fault.WRONG_ORDER, "ORDER", "it could have been done earlier")

# --- what is different there --------------------------------------------------------------------


def _no_implementation(scene: Scene, state: State, hand: int, args: Names) -> NoReturn:  # noqa: ARG001
    raise Unhandled(state, "the action is not implemented")


def _place_inside(scene: Scene, state: State, hand: int, args: Names) -> State:
    if args[0] not in scene.floors:
        return RULES["LEFT_PLACE_INSIDE"].effect(scene, state, hand, args)
    rest = {name: link for name, link in state.support.items() if name != state.hands[hand]}
    raise Unhandled(state._replace(support=rest), "nothing can be put into a floor")


def _transfer(kind: str) -> Effect:
    def effect(scene: Scene, state: State, hand: int, args: Names) -> State:
        held = state.hands[hand]
        contents = state.children(held) if held is not None else []
        if not contents:
            return state
        if args[0] in scene.floors:
            raise Unhandled(state, "nothing can be poured onto a floor")
        support = {name: link for name, link in state.support.items() if name != contents[0]}
        support[contents[0]] = (args[0], kind)
        raise Unhandled(state._replace(support=support), "only one thing can be poured")

    return effect


def _slice(scene: Scene, state: State, hand: int, args: Names) -> State:
    """Let everything that is named after the object and a part take its place, wherever it is."""
    (obj,) = args
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
        if not set(parts).isdisjoint(Case(scene, state, hand, obj).above()):
            raise Unhandled(state, "a part cannot be where it is itself")
    return State(true, support, edges, state.hands)


_MOVED = (WHOLE.code, HOLLOW.code, OFF_OWN_PARTS.code)
_EMPTY_HANDED_MISSING = replace(
    SOMETHING_TO_RELEASE,
    test=lambda case: when(
        case.held is None and any(case.obj in pair for pair in case.state.edges)
    ),
    fault=None,
)


def _checks(checks: Sequence[Check]) -> Iterator[Check]:
    """Yield checks in their order: whether a thing is whole comes after whether it is enclosed."""
    for check in checks:
        if check.code in _MOVED:
            continue
        if check is SOMETHING_TO_RELEASE:
            yield _EMPTY_HANDED_MISSING
        yield check
        if check.code == ENCLOSED.code:
            yield replace(WHOLE, about=check.about)


def _rule(name: str, rule: Rule) -> Rule:
    effects = {
        "PLACE_INSIDE": _place_inside,
        "TRANSFER_CONTENTS_INSIDE": _transfer("inside"),
        "TRANSFER_CONTENTS_ONTOP": _transfer("ontop"),
        "SLICE": _slice,
    }
    if name in ("NAVIGATE_TO", "BURN"):
        return replace(rule, checks=(), effect=_no_implementation)
    effect = effects.get(name.removeprefix("LEFT_").removeprefix("RIGHT_"), rule.effect)
    ways = tuple(replace(way, checks=tuple(_checks(way.checks))) for way in rule.ways)
    return replace(rule, checks=tuple(_checks(rule.checks)), effect=effect, ways=ways)


PUBLISHED: Mapping[str, Rule] = {name: _rule(name, rule) for name, rule in RULES.items()}
"""The actions as EAI has them."""
