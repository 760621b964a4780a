"""Plans as lists of small integers, which can be compared fast and exactly.

rapidfuzz compares the elements of a sequence by their hash alone, so that different actions could
pass for equal. Dense numbers below 2**61 are their own hash: with them it is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from plangauge.metrics.lazy import lazy
from plangauge.model import Action, Plan
from plangauge.reading import parse_plan

PlanLike: TypeAlias = Plan | str | Sequence[Any]
"""A plan; a text to be read as one; or a sequence of hashable actions and sets of such."""

Steps: TypeAlias = Sequence[frozenset[Any]]


def steps_of(plan: PlanLike, notation: str = "auto") -> Steps:
    """Return the steps of anything that can be compared as a plan.

    >>> steps_of(["a", {"b", "c"}]) == (frozenset("a"), frozenset("bc"))
    True
    """
    if isinstance(plan, Plan):
        return plan.steps
    if isinstance(plan, str):
        return parse_plan(plan, notation).steps
    if isinstance(plan, (bytes, AbstractSet, Mapping)) or not isinstance(plan, Iterable):
        raise TypeError(f"not a plan, a text or a sequence of actions: {type(plan).__name__}")
    return tuple(
        frozenset(step) if isinstance(step, AbstractSet) else frozenset((step,)) for step in plan
    )


class Encoded:
    """A plan as numbers of steps; comparable only within the numbering that made it."""

    def __init__(
        self, ids: list[int], members: list[tuple[int, ...]], *, holds_actions: bool | None
    ) -> None:
        self.ids = ids
        self._members = members
        self.holds_actions = holds_actions
        """Whether it is made of `Action` or of other things; None where it holds nothing."""

    @lazy
    def symbols(self) -> str | list[int]:
        """Return the steps as code points, which rapidfuzz reads fastest; else the numbers."""
        try:
            return "".join(map(chr, self.ids))
        except ValueError:
            return self.ids

    @lazy
    def actions(self) -> list[int]:
        """Numbers of the single actions."""
        members = self._members
        return [action for step in self.ids for action in members[step]]

    @lazy
    def action_set(self) -> frozenset[int]:
        """Numbers of the different actions."""
        return frozenset(self.actions)

    @lazy
    def action_counts(self) -> Counter[int]:
        """How often each action occurs."""
        return Counter(self.actions)


class Numbering:
    """Numbers for steps and for the actions in them, in the order in which steps first occur.

    >>> numbers = Numbering()
    >>> numbers.encode([frozenset("a"), frozenset("bc"), frozenset("a")]).ids
    [0, 1, 0]
    """

    def __init__(self) -> None:
        self._steps: dict[Hashable, int] = {}
        self._actions: dict[Hashable, int] = {}
        self._members: list[tuple[int, ...]] = []

    def __len__(self) -> int:
        return len(self._steps)

    def encode(self, steps: Sequence[Hashable]) -> Encoded:
        """Return the numbers of the steps; one that is no frozenset is a single action."""
        known = self._steps
        try:
            ids = [known[step] for step in steps]
        except KeyError:
            ids = [known[step] if step in known else self._add(step) for step in steps]
        return Encoded(ids, self._members, holds_actions=_holds_actions(steps))

    def _add(self, step: Hashable) -> int:
        actions = self._actions
        members = step if isinstance(step, frozenset) else (step,)
        self._members.append(tuple([actions.setdefault(one, len(actions)) for one in members]))
        return self._steps.setdefault(step, len(self._steps))


def _holds_actions(steps: Sequence[Hashable]) -> bool | None:
    for step in steps:
        for member in step if isinstance(step, frozenset) else (step,):
            return isinstance(member, Action)
    return None
