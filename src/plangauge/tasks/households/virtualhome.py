"""What becomes of an answer in VirtualHome: read, executed, and compared with the goals."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plangauge.conditions import Condition, Is
from plangauge.errors import did_you_mean
from plangauge.model import Action, Fault, Plan
from plangauge.reading.households import Unreadable
from plangauge.reading.households.virtualhome import Call, action_of, read_answer
from plangauge.simulate import Diagnosis, Trajectory, simulate
from plangauge.tasks.households.base import LONGEST_NAME, SKIPPED, Sequenced, encodable
from plangauge.tasks.households.formula import judged
from plangauge.worlds.base import Problem
from plangauge.worlds.shown import whole
from plangauge.worlds.virtualhome import State
from plangauge.worlds.virtualhome.rules import RULES

NAMES = frozenset(RULES) - {"LOOKAT_SHORT", "LOOKAT_LONG"}
"""The actions that an answer may name: those that the original can execute."""
KINDS = ("state", "relation", "action")
"""The kinds of goals."""

Numbers = tuple[int, int, int]
"""Of state, relation and action goals."""


@dataclass(frozen=True)
class Execution:
    """What became of an answer.

    ``calls`` is what was read, None for nothing; ``slip`` is why it was not executed: then there
    is no ``run``, and nothing is reached.
    """

    calls: Sequence[Call] | None
    actions: tuple[Action, ...] = ()
    slip: tuple[Fault, str] | None = None
    run: Trajectory[State] | None = None
    reached: Numbers = (0, 0, 0)
    formula_satisfied: bool | None = None
    """Whether the formula of the problem is satisfied; None where there is none."""
    partial_success: float | None = None
    """How far the run gets towards it, in [0, 1]; None where there is none."""

    @property
    def stop(self) -> Diagnosis | None:
        """The fault at which the execution stopped; None where it did not, or never began."""
        run = self.run
        return run.faults[-1] if run is not None and not run.executable else None

    @property
    def fault(self) -> Fault | None:
        """Why the plan fails; None for an executable one."""
        return self.slip[0] if self.slip else self.stop.fault if self.stop else None

    @property
    def message(self) -> str | None:
        """The fault in words."""
        return self.slip[1] if self.slip else self.stop.message if self.stop else None


def execute(problem: Problem[State], text: str) -> Execution:
    """Return what becomes of an answer: it is read robustly, and every goal counts."""
    try:
        calls = read_answer(text, NAMES)
    except Unreadable as error:
        return Execution(None, slip=(Fault.PARSING, str(error)))
    objects = problem.world.objects
    actions = tuple(action_of(call, objects) for call in calls)
    slip = _hallucination(actions, objects) or _wrong_arguments(actions, objects)
    if slip is not None:
        return Execution(calls, actions, slip)
    return _executed(problem, calls, actions)


def scores(
    *, executable: bool, success: bool, reached: Numbers, goals: Numbers, partial: float | None
) -> dict[str, float | None]:
    """Return the scores of an answer, all in [0, 1]; None for a share of nothing.

    >>> scores(executable=True, success=False, reached=(1, 0, 0), goals=(1, 1, 0), partial=None)
    ... # doctest: +NORMALIZE_WHITESPACE
    {'success': 0.0, 'executable': 1.0, 'state_goal': 1.0, 'relation_goal': 0.0,
     'action_goal': None, 'total_goal': 0.5, 'partial_success': None}
    """
    shares = zip(KINDS, reached, goals, strict=True)
    return {
        "success": float(success),
        "executable": float(executable),
        **{f"{kind}_goal": _share(part, all_) for kind, part, all_ in shares},
        "total_goal": _share(sum(reached), sum(goals)),
        "partial_success": partial,
    }


def number_of_goals(problem: Problem[State]) -> Numbers:
    """Return how many state, relation and action goals a problem has."""
    conditions = problem.goals[0].conditions
    return _of_things(conditions, 1), _of_things(conditions, 2), len(problem.goals[0].actions)


class Judge:
    """Reads, executes and scores the answers to one problem; it has one goal."""

    def __init__(self, problem: Problem[Any]) -> None:
        self.problem: Problem[State] = whole(problem)
        self.goals = number_of_goals(self.problem)

    def judge(self, text: str) -> Sequenced:
        """Return what becomes of an answer."""
        done = execute(self.problem, text)
        stop = done.stop
        return Sequenced(
            [encodable(str(action)) for action in done.actions],
            self._scores(done),
            done.fault,
            stop.step if stop else None,
            done.message and encodable(done.message),
            {
                "skipped": list(done.run.skipped) if done.run else [],
                "formula_satisfied": done.formula_satisfied,
            },
        )

    def why_not(self, plan: Plan) -> str | None:
        """Return why a plan is no success; None for one that is."""
        done = _executed(self.problem, None, plan.actions)
        if done.run is not None and done.run.valid:
            return None
        return done.message or "it misses a goal"

    def write(self, plan: Plan) -> str:
        """Return a plan in the form that prompts ask for."""
        return written(plan.actions)

    def _scores(self, done: Execution) -> dict[str, float | None]:
        return scores(
            executable=done.run is not None and done.run.executable,
            success=done.run is not None and done.run.valid,
            reached=done.reached,
            goals=self.goals,
            partial=done.partial_success,
        )


def written(actions: Sequence[Action]) -> str:
    """Return a plan in the form that prompts ask for.

    >>> written([Action("GRAB", ("cup_1",)), Action("STANDUP")])
    '{"GRAB": ["cup", "1"], "STANDUP": []}'
    """
    calls = []
    for action in actions:
        args = [part for arg in action.args for part in arg.rpartition("_")[::2]]
        calls.append(f"{json.dumps(action.name)}: {json.dumps(args)}")
    return f"{{{', '.join(calls)}}}"


def _executed(
    problem: Problem[State], calls: Sequence[Call] | None, actions: tuple[Action, ...]
) -> Execution:
    run = simulate(problem, Plan.of(*actions), skip=SKIPPED)
    final = run.states[-1]
    satisfied = [c for c in problem.goals[0].conditions if problem.world.holds(final, c)]
    reached = (_of_things(satisfied, 1), _of_things(satisfied, 2), run.progress.actions)
    skipped = frozenset(run.skipped)
    tried = enumerate(zip(run.states[:-1], actions, strict=False))
    done = [pair for index, pair in tried if index not in skipped]
    return Execution(calls, actions, None, run, reached, *judged(problem, final, done))


def _of_things(conditions: Sequence[Condition], number: int) -> int:
    """Return how many of some conditions are facts about so many things."""
    return sum(isinstance(part, Is) and len(part.fact.args) == number for part in conditions)


def _hallucination(
    actions: Sequence[Action], objects: Mapping[str, str]
) -> tuple[Fault, str] | None:
    """Return what is named that does not exist, if anything; the class of an object does."""
    kinds = frozenset(objects.values())
    for action in actions:
        if action.name not in NAMES:
            return Fault.HALLUCINATION, _unknown("action", action.name, NAMES)
        for arg in action.args:
            if arg not in objects and arg not in kinds:
                return Fault.HALLUCINATION, _unknown("object", arg, objects)
    return None


def _wrong_arguments(
    actions: Sequence[Action], objects: Collection[str]
) -> tuple[Fault, str] | None:
    for action in actions:
        for arg in action.args:
            if arg not in objects:
                return Fault.ARGUMENT, f"{action.name}: the id of the {arg} is missing"
        wanted = len(RULES[action.name].parameters)
        if wanted != len(action.args):
            number = "1 object" if wanted == 1 else f"{wanted} objects"
            return Fault.ARGUMENT, f"{action.name} takes {number}, not {len(action.args)}"
    return None


def _unknown(kind: str, name: str, known: Collection[str]) -> str:
    shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    return f"there is no {kind} {shown!a}{did_you_mean(name, known)}"


def _share(part: int, whole_: int) -> float | None:
    return part / whole_ if whole_ else None
