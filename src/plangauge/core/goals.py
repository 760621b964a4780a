"""Goals, and how far a run gets towards them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plangauge.core.conditions import Condition
from plangauge.core.model import Action


@dataclass(frozen=True, slots=True)
class ActionGoal:
    """Any action with one of these names and, if given, these arguments; None: any object.

    >>> ActionGoal(("type", "touch")).met_by(Action("touch", ("keyboard",)))
    True
    >>> ActionGoal(("pour",), (None, "cup")).met_by(Action("pour", ("milk", "glass")))
    False
    """

    names: tuple[str, ...]
    args: tuple[str | None, ...] | None = None

    def met_by(self, action: Action) -> bool:
        """Return whether this action satisfies the goal."""
        if action.name not in self.names:
            return False
        if self.args is None:
            return True
        pairs = zip(self.args, action.args, strict=False)
        return len(self.args) == len(action.args) and all(w in (None, arg) for w, arg in pairs)

    def __str__(self) -> str:
        args = ("…",) if self.args is None else tuple(arg or "?" for arg in self.args)
        return f"({' '.join(('|'.join(self.names), *args))})"


@dataclass(frozen=True, slots=True)
class Goal:
    """``a1 then … then ak then (p1 and … and pl)``: actions to do in order, and a final state."""

    conditions: tuple[Condition, ...] = ()
    actions: tuple[Action | ActionGoal, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """Which parts of a goal are satisfied."""

    goal: Goal
    satisfied: tuple[Condition, ...]
    unsatisfied: tuple[Condition, ...]
    actions: int
    """How many of the goal's actions were done, in order."""

    @property
    def share(self) -> float:
        """Satisfied parts over all parts, in [0, 1]; 1 for an empty goal."""
        total = len(self.goal.conditions) + len(self.goal.actions)
        return (len(self.satisfied) + self.actions) / total if total else 1.0

    @property
    def reached(self) -> bool:
        """Whether every part is satisfied."""
        return not self.unsatisfied and self.actions == len(self.goal.actions)


def progress(
    goals: Sequence[Goal], executed: Sequence[Action], holds: Callable[[Condition], bool]
) -> Progress:
    """Return the progress towards the goal with the largest share; the first of equals.

    ``holds`` tells whether a condition is satisfied in the final state. Raises ``ValueError`` if
    there are no goals.
    """
    return max((_towards(goal, executed, holds) for goal in goals), key=lambda p: p.share)


def _towards(
    goal: Goal, executed: Sequence[Action], holds: Callable[[Condition], bool]
) -> Progress:
    remaining = iter(executed)
    done = 0
    for wanted in goal.actions:
        if not any(_does(action, wanted) for action in remaining):
            break
        done += 1
    satisfied: list[Condition] = []
    unsatisfied: list[Condition] = []
    for condition in goal.conditions:
        (satisfied if holds(condition) else unsatisfied).append(condition)
    return Progress(goal, tuple(satisfied), tuple(unsatisfied), done)


def _does(action: Action, wanted: Action | ActionGoal) -> bool:
    return action == wanted if isinstance(wanted, Action) else wanted.met_by(action)
