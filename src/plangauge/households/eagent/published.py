"""Plans executed as the Embodied Agent Interface does it, in either world.

A world of the original's rules says what is applicable. What differs beside that are values: the
actions that it cannot execute at all, and when it takes a failure for a matter of order.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias

from plangauge.core.conditions import in_words
from plangauge.core.model import Action, Fault
from plangauge.households.rules import (
    Check,
    EffectOption,
    RuleWorld,
    UnhandledByOriginal,
    first_failed,
)
from plangauge.worlds.base import S

CLASSES = (Fault.ADDITIONAL_STEP, Fault.AFFORDANCE, Fault.WRONG_ORDER, Fault.MISSING_STEP)
"""The classes of errors; of several in one step the first counts."""


class Error(NamedTuple):
    """An error of a step: its class, the name of the check that failed, and what is wrong."""

    fault: Fault
    check: str
    reason: str


_ORDER = Error(Fault.WRONG_ORDER, "ORDER", "it could have been done earlier")


@dataclass
class Run(Generic[S]):
    """What became of a plan: its last state, what was done, and what was tried in vain."""

    actions: Sequence[Action]
    state: S
    done: list[tuple[S, Action]] = field(default_factory=list)
    """The executed actions, each with the state before it."""
    errors: dict[int, list[Error]] = field(default_factory=dict)
    """The errors of the others by their indexes, up to the one at which the execution stops."""
    unhandled: str | None = None
    """Why the last action could not be executed at all; it has no errors."""

    @property
    def stop(self) -> int | None:
        """The index of the action at which the execution stops; None where it comes to an end."""
        last = max(self.errors, default=None)
        passed = last is None or (bool(self.errors[last]) and _is_passed(self.errors[last]))
        return None if passed else last


Earlier: TypeAlias = Callable[[Run[S], Action, Check[Any], EffectOption[Any, Any] | None], bool]
"""Whether an action could have been done earlier in a run; the check fails in one of its ways."""


def execute(
    world: RuleWorld[Any, Any, S],
    initial: S,
    actions: Sequence[Action],
    earlier: Earlier[S],
    impossible: Container[str] = (),
) -> Run[S]:
    """Return what becomes of known actions, up to the first fault but additional steps.

    At an ``impossible`` action, or where a rule says so, the original ends in an exception.
    """
    run = Run(actions, initial)
    for index, action in enumerate(actions):
        try:
            if action.name in impossible:
                raise UnhandledByOriginal(run.state, "the action is not implemented")
            after = world.successor(run.state, action)
        except UnhandledByOriginal as error:
            run.state, run.unhandled, run.errors[index] = error.state, str(error), []
            break
        if after is not None:
            run.done.append((run.state, action))
            run.state = after
            continue
        run.errors[index] = list(errors_of(world, run, action, earlier))
        if not _is_passed(run.errors[index]):
            break
    return run


def errors_of(
    world: RuleWorld[Any, Any, S], run: Run[S], action: Action, earlier: Earlier[S]
) -> Iterator[Error]:
    """Yield the errors of an action: of its first failed check, or of that of each of its ways."""
    rule, case = world.rules[action.name], world.case(run.state, action)
    ways: list[EffectOption[Any, Any] | None] = [None]
    if first_failed(rule.checks, case) is None:
        ways = [way for way in rule.ways if way.applies(case)]
    for way in ways:
        check = first_failed(way.checks if way else rule.checks, case)
        if check is not None:
            said = check.violation(case)
            reason = said.message or in_words(said.condition)
            yield Error(said.fault or Fault.MISSING_STEP, check.name, reason)
            if earlier(run, action, check, way):
                yield _ORDER


def decisive(errors: Sequence[Error]) -> Error:
    """Return the error of a step that its class comes from."""
    return min(errors, key=lambda error: CLASSES.index(error.fault))


def _is_passed(errors: Sequence[Error]) -> bool:
    return decisive(errors).fault is Fault.ADDITIONAL_STEP
