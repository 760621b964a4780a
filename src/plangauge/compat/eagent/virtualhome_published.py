"""VirtualHome responses read, executed and judged exactly as the original does it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from plangauge.conditions import Is, in_words
from plangauge.model import Action, Fault
from plangauge.sources.eai.virtualhome import Task
from plangauge.worlds.virtualhome import State, VirtualHome
from plangauge.worlds.virtualhome.needs import ME, Atom, Check, Need, No
from plangauge.worlds.virtualhome.rules import PUBLISHED_RULES
from plangauge.worlds.virtualhome.view import View

NOT_IN_GRAMMAR = frozenset(("PLUGIN", "PLUGOUT", "RELEASE"))
"""Actions that the prompt offers and the transitions know, but not the grammar."""
WITHOUT_EXECUTOR = frozenset(("LOOKAT_SHORT", "LOOKAT_LONG"))
"""Actions that the grammar knows, but not the transitions: the original crashes on them."""

_FENCE = "```json"
_NAMED_LIST = re.compile(r'"(\w+)"\s*:\s*\[')
_BLANKS = re.compile(r"\s+")
_ARITY = {
    name: len(rule.parameters)
    for name, rule in PUBLISHED_RULES.items()
    if name not in NOT_IN_GRAMMAR
}

Call = tuple[str, list[Any]]
"""The name of an action and the list that stands behind it."""

_NEXT_TO, _HELD, _FACED = Atom("next_to", (ME, 0)), Atom("held", (0,)), Atom("facing", (ME, 0))
_BEFORE: Mapping[str, tuple[Need, ...]] = {
    "near": (_NEXT_TO,),
    "near_place": (Atom("next_to", (ME, 1)),),
    "upright": (No(Atom("sitting", (ME,))), No(Atom("lying", (ME,)))),
    "resting": (Atom("lying", (ME,)),),
    "hand_free": (No(Atom("hand_full", (ME,))),),
    "hand_full": (Atom("hand_full", (ME,)),),
    "held": (_HELD,),
    "reachable": (Atom("open", (0,)),),
    "in_view": (_FACED,),
    "in_view_from_here": (_FACED,),
    "worn": (Atom("ontop", (0, ME)),),
}
"""Failed check → what makes it *wrong order* if each has been true before; others never are."""
_SUPERFLUOUS = frozenset(("switched_off", "not_plugged_out"))
"""Failed checks that the original takes for additional steps."""


@dataclass(frozen=True)
class Slip:
    """An action that is not executed, and why not."""

    index: int
    fault: Fault
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """What becomes of a plan."""

    actions: Sequence[Action]
    final: State
    done: list[tuple[State, Action]]
    """The executed actions, each with the state before it."""
    slips: list[Slip]
    """The others, up to the one at which the execution stops."""

    @property
    def stop(self) -> Slip | None:
        """The action at which the execution stops."""
        return next((slip for slip in self.slips if slip.fault != Fault.ADDITIONAL_STEP), None)

    @property
    def crashed(self) -> bool:
        """Whether the execution came to an action that the original cannot execute at all."""
        return self.stop is not None and self.stop.fault == Fault.HALLUCINATION

    @property
    def tried(self) -> int:
        """How many actions were executed or tried."""
        return len(self.done) + len(self.slips)


def read_calls(text: str) -> list[Call] | None:
    """Return every named list in a text, in order; None where one is no JSON.

    >>> read_calls("Do {'WALK': ['couch', 352], 'STANDUP': [], 'SLEEP': [ ]}!")
    [('WALK', ['couch', 352]), ('SLEEP', [])]
    """
    text = text.removeprefix(_FENCE).strip().replace("\n", "").replace("'", '"').strip()
    text = _BLANKS.sub(" ", text)
    calls: list[Call] = []
    position = 0
    while found := _NAMED_LIST.search(text, position):
        end = text.find("]", found.end())
        if end < 0:
            break  # there is none further on either
        if end == found.end():  # nothing at all between the brackets does not count
            position = found.start() + 1
            continue
        position = end + 1
        try:
            calls.append((found[1], json.loads(text[found.end() - 1 : position])))
        except (ValueError, RecursionError):
            return None
    return calls


def grammar_fault(calls: Sequence[Call] | None, accepted: frozenset[str]) -> Fault | None:
    """Return what the original calls wrong before it executes anything.

    A name that is not written in capitals makes it crash; here it is a hallucination.
    """
    if not calls or any(len(args) % 2 for _, args in calls):
        return Fault.PARSING
    for name, args in calls:
        if name.upper() not in _ARITY or not accepted.issuperset(_objects(args)):
            return Fault.HALLUCINATION
    for name, args in calls:
        if name not in _ARITY:
            return Fault.HALLUCINATION
        if len(args) != 2 * _ARITY[name]:
            return Fault.ARGUMENT
    return None


def actions_of(calls: Sequence[Call]) -> list[Action]:
    """Return the actions of calls that the grammar accepts."""
    return [Action(name, tuple(_objects(args))) for name, args in calls]


def as_step(action: Action) -> str:
    """Return an action as it stands in a program.

    >>> as_step(Action("GRAB", ("coffee_cup_12",)))
    '[GRAB] <coffee_cup> (12)'
    """
    parts = (arg.rpartition("_") for arg in action.args)
    return " ".join([f"[{action.name}]", *(f"<{kind}> ({number})" for kind, _, number in parts)])


def run(task: Task, actions: Sequence[Action]) -> Run:
    """Execute a plan as the original does, up to the first fault but additional steps.

    At an action that it cannot execute at all the original crashes; here that is a hallucination.
    """
    world = task.published.world
    assert isinstance(world, VirtualHome)
    state = world.initial()
    visited = {state: None}
    done: list[tuple[State, Action]] = []
    slips: list[Slip] = []
    for index, action in enumerate(actions):
        if action.name in WITHOUT_EXECUTOR:
            slips.append(Slip(index, Fault.HALLUCINATION))
            break
        after = world.successor(state, action)
        if after is not None:
            done.append((state, action))
            state = after
            visited.setdefault(state)
            continue
        slips.append(_slip(index, world, state, visited, action))
        if slips[-1].fault != Fault.ADDITIONAL_STEP:
            break
    return Run(actions, state, done, slips)


def matched_goals(task: Task, run: Run) -> tuple[int, int, int]:
    """Return how many state, relation and action goals the original counts as reached.

    Of the relations it counts one at most. An action goal is reached where its name is part of the
    text of the executed steps, behind the action goals before it.
    """
    world, final = task.published.world, run.final
    states = sum(world.holds(final, Is(fact)) for fact in dict.fromkeys(task.state_goals))
    relations = any(world.holds(final, Is(fact)) for fact in task.relation_goals)
    return states, int(relations), _matched_actions(task, run)


def _matched_actions(task: Task, run: Run) -> int:
    if not task.action_goals:
        return 0
    history = " ".join(as_step(action) for _, action in run.done)
    position = count = 0
    for goal in task.action_goals:
        places = ((history.find(name, position), len(name)) for name in goal.names)
        found = next((place + length for place, length in places if place >= 0), None)
        if found is None:
            break
        position, count = found, count + 1
    return count


def _slip(
    index: int, world: VirtualHome, state: State, visited: Iterable[State], action: Action
) -> Slip:
    check = world.first_failed(state, action)
    assert check is not None, "what has no successor fails a check"
    fault = classify(check, world, visited, action)
    violation = world.violations(state, action)[0]
    return Slip(index, fault, (in_words(violation.condition),))


def classify(check: Check, world: VirtualHome, visited: Iterable[State], action: Action) -> Fault:
    """Return what the original calls it when a check fails, after some states of the same run."""
    if check.fault is not None:
        return check.fault
    if check.name in _SUPERFLUOUS:
        return Fault.ADDITIONAL_STEP
    needs = _BEFORE.get(check.name, ())
    args = [world.household.number[arg] for arg in action.args]
    views = [View(world.household, state.cells) for state in visited] if needs else []
    before = needs and all(any(map(need.test(), views, repeat(args))) for need in needs)
    return Fault.WRONG_ORDER if before else Fault.MISSING_STEP


def _objects(args: Sequence[Any]) -> Iterator[str]:
    """Yield the names that pairs of a class and an id make."""
    return (f"{kind}_{number}" for kind, number in zip(args[::2], args[1::2], strict=False))
