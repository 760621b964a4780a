"""Which facts are true: in the state, or after some actions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from plangauge.model import Action
from plangauge.tasks.base import TASKS
from plangauge.tasks.moves import walk
from plangauge.tasks.sets import SetTruth, facts
from plangauge.tasks.single import SetTask, nothing
from plangauge.worlds.base import Problem, S

LONGEST = 50
"""The most actions that a question about their result may have."""


def true_facts(problem: Problem[S], states: tuple[S, ...]) -> SetTruth:
    """Return every true fact; those that no action can change are left out of ``iou_fluents``."""
    static = frozenset(map(str, problem.world.static))
    return SetTruth(facts(problem, states[-1]), static, "iou_fluents")


@dataclass(frozen=True)
class Walk:
    """Draws a number of actions that lead to new states only."""

    length: int = 2

    def __call__(self, problem: Problem[S], rng: Random) -> tuple[Action, ...] | None:
        """Return the actions; None where the problem has no such walk."""
        return walk(problem, rng, self.length)


def tracking(task: SetTask, length: int) -> SetTask:
    """Return the task of tracking the state over so many actions.

    Raises ``ValueError`` where there are not 1 to 50.
    """
    if not 1 <= length <= LONGEST:
        raise ValueError(f"a state can be tracked over 1 to {LONGEST} actions, not {length}")
    return replace(task, drawn=Walk(length))


TASKS.add(
    "state-comprehension-v1",
    SetTask("state-comprehension-v1", "list the facts that are true", true_facts, nothing),
)
TASKS.add(
    "state-tracking-v1",
    SetTask(
        "state-tracking-v1",
        "list the facts that are true after some actions",
        true_facts,
        Walk(),
        least=1,
    ),
)
