"""Which actions can be executed in the state."""

from __future__ import annotations

from plangauge.tasks.base import TASKS
from plangauge.tasks.sets import SetTruth
from plangauge.tasks.single import SetTask, nothing
from plangauge.worlds.base import Problem, S


def applicable(problem: Problem[S], states: tuple[S, ...]) -> SetTruth:
    """Return the applicable actions; those that change nothing are left out of ``iou_no_noop``.

    An action such as driving a truck to where it is counts, because PDDL says so and ACPBench
    does; a model that leaves it out is not far from right.
    """
    world, state = problem.world, states[-1]
    found = list(world.applicable(state))
    idle = frozenset(str(action) for action in found if world.successor(state, action) == state)
    return SetTruth(frozenset(map(str, found)), idle, "iou_no_noop")


TASKS.add(
    "applicability-v1",
    SetTask(
        "applicability-v1",
        "list the actions that can be executed in the state",
        applicable,
        nothing,
        of_actions=True,
    ),
)
