"""The course of a run: what its actions lead to, by simulation or by what the log says."""

from __future__ import annotations

from typing import Any, Protocol

from plangauge.compat.autoplanbench.spoken import Tried
from plangauge.episodes.turns import Act
from plangauge.goals import progress
from plangauge.model import Action
from plangauge.simulate import diagnose
from plangauge.worlds.base import Problem


class Course(Protocol):
    """States that follow each other."""

    @property
    def goal(self) -> bool:
        """Whether the goal holds now, as far as that is known."""
        ...

    @property
    def share(self) -> float | None:
        """How much of the goal holds now; None where that is not known."""
        ...

    def restart(self) -> None:
        """Go back to the initial state."""
        ...

    def misjudged(self, tried: Tried) -> bool:
        """Return whether an action was refused for its spelling alone, and was never tried."""
        ...

    def act(self, tried: Tried) -> Act:
        """Execute an action where that is possible."""
        ...


class Simulated:
    """A course in the world of a problem, in which nothing is believed that the log says."""

    def __init__(self, problem: Problem[Any]) -> None:
        self._problem = problem
        self._seen: dict[Any, tuple[int, bool]] = {}
        self.restart()

    def restart(self) -> None:
        """Go back to the initial state."""
        self._state = self._problem.initial
        self._states, self._done = [self._state], list[Action]()
        self._number, self._goal = self._about()

    @property
    def goal(self) -> bool:
        """Whether the goal holds now."""
        return self._goal

    @property
    def share(self) -> float:
        """How much of the goal holds now."""
        holds, state = self._problem.world.holds, self._state
        return progress(self._problem.goals, self._done, lambda part: holds(state, part)).share

    def misjudged(self, tried: Tried) -> bool:
        """Return whether an action that was refused for its spelling is applicable."""
        action = tried.action
        return action is not None and tried.refused_for_spelling and self._after(action) is not None

    def act(self, tried: Tried) -> Act:
        """Execute an action where that is possible."""
        action = tried.action
        if action is None:
            return self._failed(Action(tried.text), "this is no action")
        after = self._after(action)
        if after is None:
            return self._failed(action)
        self._state = after
        self._states.append(after)
        self._done.append(action)
        self._number, self._goal = self._about()
        return Act(action, True, self._number, self._goal)

    def _after(self, action: Action) -> Any:
        return self._problem.world.successor(self._state, action)

    def _about(self) -> tuple[int, bool]:
        """Return the number of the state, and whether the goal holds in it."""
        if self._state not in self._seen:
            holds, state = self._problem.world.holds, self._state
            goals = (goal.conditions for goal in self._problem.goals)
            reached = any(all(holds(state, part) for part in parts) for parts in goals)
            self._seen[state] = len(self._seen), reached
        return self._seen[self._state]

    def _failed(self, action: Action, message: str = "") -> Act:
        states, done = self._states, self._done
        fault = None if message else diagnose(self._problem, states, done, action)
        kind = fault.fault if fault else None
        unmet = tuple(str(each.condition) for each in fault.unmet) if fault else ()
        message = fault.message if fault else message
        return Act(action, False, self._number, self._goal, kind, message, unmet)


class Logged:
    """A course of which no more is known than which actions the log says were executed."""

    goal = False
    share = None

    def __init__(self) -> None:
        self._number = 0

    def restart(self) -> None:
        """Do nothing: no state is known."""

    def misjudged(self, tried: Tried) -> bool:
        """Return whether the original spoilt the action."""
        return tried.garbled

    def act(self, tried: Tried) -> Act:
        """Return what the log says; each executed action is taken to lead to another state."""
        self._number += tried.flag is True
        action = tried.action or Action(tried.text)
        return Act(action, tried.flag is True, self._number)
