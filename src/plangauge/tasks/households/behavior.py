"""What becomes of an answer in BEHAVIOR: read, executed, and compared with the goal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plangauge.bddl.problem import BINARY, UNARY
from plangauge.conditions import Condition, facts_in
from plangauge.model import Action, Fault, Plan
from plangauge.reading.households import Unreadable
from plangauge.reading.households.behavior import (
    Item,
    Mistake,
    actions_of,
    find_mistake,
    read_answer,
)
from plangauge.simulate import Trajectory, simulate
from plangauge.tasks.households.base import SKIPPED, Sequenced, encodable
from plangauge.worlds.base import Problem
from plangauge.worlds.behavior import BehaviorWorld, State
from plangauge.worlds.shown import whole

_KINDS = ("edge", "node")
_RELATIONS = frozenset(BINARY) - {"touching"}
_STATES = frozenset(UNARY)
_LONGEST_ACTION = 200
_LONGEST_CONDITION = 500


@dataclass(frozen=True)
class Execution:
    """What became of an answer: why it was not executed, or what happened."""

    items: Sequence[Item]
    slip: Mistake | None
    run: Trajectory[State] | None
    satisfied: Sequence[bool]
    """Which conditions of the goal hold where execution ends: at first, if it never begins."""

    @property
    def fault(self) -> Fault | None:
        """Why the plan fails; None for an executable one."""
        if self.slip is not None:
            return self.slip.fault
        run = self.run
        return None if run is None or run.executable else run.faults[-1].fault

    @property
    def message(self) -> str | None:
        """The fault in words."""
        if self.slip is not None:
            return self.slip.message
        run = self.run
        return None if run is None or run.executable else run.faults[-1].message


def execute(problem: Problem[State], text: str) -> Execution:
    """Return what becomes of an answer, which is read robustly."""
    world = problem.world
    assert isinstance(world, BehaviorWorld)
    try:
        read = read_answer(text, world.schemas)
        items = [(world.spelt(action), objects) for action, objects in read]
    except Unreadable as error:
        slip = Mistake(Fault.PARSING, 0, str(error))
        return Execution((), slip, None, satisfied(problem, problem.initial))
    found = find_mistake(items, world.schemas, world.objects)
    if found is not None:
        return Execution(items, found, None, satisfied(problem, problem.initial))
    return _executed(problem, items, actions_of(items))


def satisfied(problem: Problem[State], state: State) -> list[bool]:
    """Return which conditions of the goal hold in a state."""
    world = problem.world
    assert isinstance(world, BehaviorWorld)
    view = world.view(state)
    return [condition.holds(view) for condition in problem.goals[0].conditions]


def scores(
    goal: Mapping[str, float], *, executed: bool, success: bool, executable: bool
) -> dict[str, float | None]:
    """Return the scores of an answer, all in [0, 1]; None for a share of nothing.

    ``goal`` are the numbers that `Counts.partial` returns. What is not even tried to be executed
    reaches nothing, whatever is so at first.
    """

    def share(kind: str) -> float | None:
        total = goal[f"tot_{kind}predicates"]
        return executed * goal[f"satisfied_{kind}predicates"] / total if total else None

    return {
        "success": float(success),
        "executable": float(executable),
        "state_goal": share("node_"),
        "relation_goal": share("edge_"),
        "total_goal": share(""),
    }


@dataclass(frozen=True)
class Counts:
    """The conditions of a goal: which predicates each mentions."""

    mentioned: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, conditions: Iterable[Condition]) -> Counts:
        """Return the counts of some conditions."""
        known = _RELATIONS | _STATES
        named = ((fact.predicate for fact in facts_in(each)) for each in conditions)
        return cls(tuple(tuple(dict.fromkeys(n for n in each if n in known)) for each in named))

    def partial(self, satisfied: Sequence[bool]) -> dict[str, float]:
        """Return the numbers of conditions, and of those that are satisfied, by kind.

        A condition about relations counts as an edge, one about unary states as a node, one about
        both as half of either.

        >>> from plangauge.conditions import All, Is
        >>> from plangauge.model import Fact
        >>> on, is_open = Is(Fact("ontop", ("c", "b"))), Is(Fact("open", ("b",)))
        >>> counts = Counts.of([on, All((is_open, on))])
        >>> found = counts.partial([True, False])
        >>> found["tot_edge_predicates"], found["satisfied_edge_predicates"]
        (1.5, 1.0)
        """
        edges, nodes, pure = (
            [0.0, 0.0],
            [0.0, 0.0],
            {"edge": [0, 0], "node": [0, 0], "mixed": [0, 0]},
        )
        for mentioned, is_met in zip(self.mentioned, satisfied, strict=True):
            edge = not _RELATIONS.isdisjoint(mentioned)
            node = not _STATES.isdisjoint(mentioned)
            kind = "mixed" if edge and node else "edge" if edge else "node" if node else ""
            share = 0.5 if kind == "mixed" else 1.0
            for index in range(1 + is_met) if kind else ():
                edges[index] += share * edge
                nodes[index] += share * node
                pure[kind][index] += 1
        found: dict[str, float] = {}
        for index, prefix in enumerate(("tot", "satisfied")):
            found[f"{prefix}_predicates"] = edges[index] + nodes[index]
            found[f"{prefix}_edge_predicates"] = edges[index]
            found[f"{prefix}_node_predicates"] = nodes[index]
        for index, prefix in enumerate(("", "satisfied_")):
            for kind in _KINDS:
                found[f"{prefix}pure_{kind}_predicates"] = pure[kind][index]
            found[f"{prefix}mixed_predicates"] = pure["mixed"][index]
        return found

    def by_predicate(self, satisfied: Sequence[bool]) -> dict[str, dict[str, float]]:
        """Return for each predicate how many conditions mention it, and how many of them are met.

        >>> from plangauge.conditions import Is, Not
        >>> from plangauge.model import Fact
        >>> is_open = Is(Fact("open", ("b",)))
        >>> Counts.of([is_open, Not(is_open)]).by_predicate([True, False])
        {'open': {'total': 2, 'satisfied': 1, 'satisfied_rate': 0.5}}
        """
        found: dict[str, list[bool]] = {}
        for mentioned, is_met in zip(self.mentioned, satisfied, strict=True):
            for predicate in mentioned:
                found.setdefault(predicate, []).append(is_met)
        return {
            predicate: {
                "total": len(met),
                "satisfied": sum(met),
                "satisfied_rate": sum(met) / len(met),
            }
            for predicate, met in found.items()
        }


class Judge:
    """Reads, executes and scores the answers to one problem; it has one goal."""

    def __init__(self, problem: Problem[Any]) -> None:
        self.problem: Problem[State] = whole(problem)
        self.counts = Counts.of(self.problem.goals[0].conditions)

    def judge(self, text: str) -> Sequenced:
        """Return what becomes of an answer."""
        done = execute(self.problem, text)
        run = done.run
        goals = self.problem.goals[0].conditions
        missed = [str(c) for c, met in zip(goals, done.satisfied, strict=True) if not met]
        return Sequenced(
            [shown_item(item) for item in done.items],
            scores(
                self.counts.partial(done.satisfied),
                executed=run is not None,
                success=run is not None and all(done.satisfied),
                executable=run is not None and run.executable,
            ),
            done.fault,
            run.faults[-1].step if run is not None and not run.executable else None,
            done.message and encodable(done.message),
            {
                "skipped": list(run.skipped) if run else [],
                "goal_missed": [text[:_LONGEST_CONDITION] for text in missed],
            },
        )

    def why_not(self, plan: Plan) -> str | None:
        """Return why a plan is no success; None for one that is."""
        done = _executed(self.problem, (), plan.actions)
        return done.message or (None if all(done.satisfied) else "it misses a goal")

    def write(self, plan: Plan) -> str:
        """Return a plan in the form that prompts ask for."""
        return written(plan.actions)


def written(actions: Sequence[Action]) -> str:
    """Return a plan in the form that prompts ask for.

    >>> written([Action("LEFT_PLACE_NEXTTO_ONTOP", ("a", "b"))])
    '[{"action": "LEFT_PLACE_NEXTTO_ONTOP", "object": "a, b"}]'
    """
    return json.dumps([{"action": a.name, "object": ", ".join(a.args)} for a in actions])


def shown_item(item: Item) -> str:
    """Return what an item of an answer says, as an action."""
    return encodable(f"({item[0]} {item[1]})"[:_LONGEST_ACTION])


def _executed(
    problem: Problem[State], items: Sequence[Item], actions: Sequence[Action]
) -> Execution:
    run = simulate(problem, Plan.of(*actions), skip=SKIPPED)
    return Execution(items, None, run, satisfied(problem, run.states[-1]))
