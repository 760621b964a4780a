"""The nouns of planning: facts, actions, steps, plans, faults. Immutable, and free of I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """A ground atom.

    >>> str(Fact("on", ("a", "b")))
    '(on a b)'
    """

    predicate: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.predicate, *self.args))})"


@dataclass(frozen=True, slots=True, order=True)
class Action:
    """A ground action.

    >>> str(Action("stack", ("a", "b")))
    '(stack a b)'
    """

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"


Step: TypeAlias = frozenset[Action]
"""Actions executed together, usually one: ``{a}`` and ``a`` are the same step."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A sequence of steps.

    >>> plan = Plan.of(Action("pick-up", ("a",)), Action("stack", ("a", "b")))
    >>> len(plan), plan.actions[1].name
    (2, 'stack')
    """

    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, *actions: Action) -> Plan:
        """Return the plan that executes these actions one after another."""
        return cls(tuple(frozenset((action,)) for action in actions))

    @classmethod
    def from_steps(cls, steps: Iterable[Iterable[Action]]) -> Plan:
        """Return the plan of these steps; the actions of each are executed together."""
        return cls(tuple(frozenset(step) for step in steps))

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions in order; those of one step alphabetically."""
        return tuple(action for step in self.steps for action in sorted(step))

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return ", ".join(
            str(*step) if len(step) == 1 else "{" + ", ".join(map(str, sorted(step))) + "}"
            for step in self.steps
        )


class Fault(StrEnum):
    """Why a response fails; the kinds are those of the Embodied Agent Interface."""

    PARSING = "parsing"
    """No plan can be read."""
    HALLUCINATION = "hallucination"
    """The action or an object does not exist."""
    ARGUMENT = "argument"
    """The number or a type of the arguments is wrong."""
    AFFORDANCE = "affordance"
    """A condition can never hold for these objects."""
    ADDITIONAL_STEP = "additional_step"
    """What the action would achieve already holds."""
    WRONG_ORDER = "wrong_order"
    """The condition held earlier, or the action was applicable earlier."""
    MISSING_STEP = "missing_step"
    """The condition has not held so far: something had to be done before."""
