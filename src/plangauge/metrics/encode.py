"""Plans as lists of small integers, which can be compared fast and exactly.

rapidfuzz compares the elements of a sequence by their hash alone, so that different actions could
pass for equal. Dense numbers below 2**61 are their own hash: with them it is exact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from plangauge.core.lazy import lazy
from plangauge.core.model import Action, Plan, RepeatingStep
from plangauge.reading import parse_plan

PlanLike: TypeAlias = Plan | str | Sequence[Any]
"""A plan; a text to be read as one; or a sequence of hashable actions and sets of such."""

Steps: TypeAlias = Sequence[AbstractSet[Any]]

_DIRECT = re.compile(r"(?:[^\W\d][\w.:-]*+\([\w.:-]++(?:, ?[\w.:-]++)*+\)(?:, (?=[^\W\d])|\Z))++")
"""A text of plain actions: a part ``a(x,y)`` or ``a(x, y)`` can denote only one action."""


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
        frozenset((step,))
        if isinstance(step, (str, Action)) or not isinstance(step, AbstractSet)
        else frozenset(step)
        for step in plan
    )


def direct(plan: PlanLike, notation: str) -> list[str] | None:
    """Return the keys of the actions in a text of plain ones; None for any other plan.

    >>> direct("a(x, y), b(y)", "auto"), direct("a(x,y), b", "auto")
    (['a(x,y', 'b(y'], None)
    """
    if type(plan) is str and notation in ("auto", "braces") and _DIRECT.fullmatch(plan):
        return plan[:-1].replace("), ", ")").replace(", ", ",").split(")")
    return None


class Encoded:
    """A plan as numbers of steps; comparable only within the numbering that made it."""

    def __init__(
        self, ids: list[int], members: list[tuple[int, ...]] | None, *, holds_actions: bool | None
    ) -> None:
        self.ids = ids
        self._members = members
        self.holds_actions = holds_actions
        """Whether its elements are `Action` or other objects; None if it is empty."""

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
        if members is None:  # each step is an action of the same number
            return self.ids
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

    Steps are compared as sets: one that names an action twice has the number of the set.

    >>> numbers = Numbering()
    >>> numbers.encode([frozenset("a"), frozenset("bc"), frozenset("a")]).ids
    [0, 1, 0]
    """

    def __init__(self) -> None:
        self._steps: dict[Hashable, int] = {}
        self._actions: dict[Hashable, int] = {}
        self._members: list[tuple[int, ...]] = []

    def __len__(self) -> int:
        return len(self._members)

    def read(self, plan: PlanLike, notation: str = "auto") -> Encoded:
        """Return the numbers of a plan; a text of plain actions is encoded without parsing."""
        if isinstance(plan, list | tuple) and not _has_sets(plan):
            return self.encode(plan)
        texts = direct(plan, notation)
        if texts is None:
            return self.encode(steps_of(plan, notation))
        return Encoded(self._ids(texts, self._alone), self._members, holds_actions=True)

    def encode(self, steps: Sequence[Hashable]) -> Encoded:
        """Return the numbers of the steps; one that is no frozenset is a single action."""
        numbers = self._ids(steps, self._add)
        return Encoded(numbers, self._members, holds_actions=_holds_actions(steps))

    def _ids(self, steps: Sequence[Any], add: Callable[[Any], int]) -> list[int]:
        known = self._steps
        try:
            return [*map(known.__getitem__, steps)]
        except KeyError:
            return [known[step] if step in known else add(step) for step in steps]

    def _add(self, step: Hashable) -> int:
        """Return the number of a new step."""
        if isinstance(step, RepeatingStep):
            return self._steps.setdefault(step, self._ids([frozenset(step)], self._add)[0])
        if not isinstance(step, frozenset):
            return self._steps.setdefault(step, self._alone(_key(step)))
        members = [*map(_key, step)]
        if type(step) is frozenset and len(members) == 1:
            return self._steps.setdefault(step, self._alone(members[0]))
        return self._numbered(step, members)

    def _alone(self, key: Hashable) -> int:
        """Return the number of the step of one action, which has this key."""
        return self._steps[key] if key in self._steps else self._numbered(key, [key])

    def _numbered(self, step: Hashable, members: Sequence[Hashable]) -> int:
        actions, number = self._actions, len(self._members)
        self._steps[step] = number
        self._members.append(tuple([actions.setdefault(one, len(actions)) for one in members]))
        return number


def _has_sets(plan: Sequence[Any]) -> bool:
    return any(issubclass(kind, AbstractSet) for kind in set(map(type, plan)))


def _key(member: Hashable) -> Hashable:
    """Return the key of a member of a step: for a plain action, its text."""
    if isinstance(member, Action) and member.args:
        text = f"{member.name}({','.join(member.args)}"
        return text if _DIRECT.fullmatch(f"{text})") else member
    return member


def _holds_actions(steps: Sequence[Hashable]) -> bool | None:
    for step in steps:
        for member in step if isinstance(step, AbstractSet) else (step,):
            return isinstance(member, Action)
    return None
