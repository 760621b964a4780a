"""Optimal plans without search, where the goal is one tower of all blocks.

Such a tower grows from below, so the order in which blocks come to their places is given. A block
that is not in place has to be moved, and once is enough, unless it stands above one whose place is
lower: then it has to be out of the way before its own place is ready, and is moved twice. So the
moves that are left can be counted in any state, and a move belongs to an optimal plan if one fewer
is left after it. (Where the goal leaves a choice of what to move twice, that is NP-hard: Gupta and
Nau, "On the complexity of blocks-world planning", Artificial Intelligence 56, 1992.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from plangauge.domains.base import Facts
from plangauge.model import Action, Fact, Plan

_Under: TypeAlias = Mapping[str, str | None]
"""Block → the block that it stands on, None for the table; a block that is held is left out."""


class _Move(NamedTuple):
    actions: tuple[Action, ...]
    after: _Under


def closed_form(state: Facts, goal: Facts) -> Iterator[Plan]:
    """Yield each optimal plan from a state once; none where the goal is not one whole tower.

    First come those that put blocks aside in different places, then those in another order.
    """
    tower = goal_tower(goal)
    under = _under(state)
    held = next((fact.args[0] for fact in state if fact.predicate == "holding"), None)
    if under is None or set(tower) != {*under, held} - {None}:
        return
    seen: set[Plan] = set()
    for any_order in (False, True):
        for moves in _Tower(tower[::-1], any_order).ways(under, held):
            plan = Plan.of(*[action for move in moves for action in move.actions])
            if plan not in seen:
                seen.add(plan)
                yield plan


def goal_tower(goal: Facts) -> list[str]:
    """Return the blocks of the only tower that a goal names, top first; empty if it is not one."""
    under = {fact.args[0]: fact.args[1] for fact in goal if fact.predicate == "on"}
    tops = sorted(set(under) - set(under.values()))
    if len(tops) != 1:
        return []
    tower = [tops[0]]
    while tower[-1] in under:
        tower.append(under[tower[-1]])
    lowest = Fact("on-table", (tower[-1],))
    whole = {Fact("on", pair) for pair in pairwise(tower)}
    return tower if goal - {lowest} == whole else []


def _under(state: Facts) -> _Under | None:
    """Return what each block stands on; None for facts that are no state of blocks and one arm."""
    on = {fact.args[0]: fact.args[1] for fact in state if fact.predicate == "on"}
    above = {below: top for top, below in on.items()}
    lowest = {fact.args[0] for fact in state if fact.predicate == "on-table"}
    held = {fact for fact in state if fact.predicate == "holding"}
    reached: set[str] = set()
    for block in lowest:
        while block not in reached:
            reached.add(block)
            block = above.get(block, block)  # noqa: PLW2901 - up the tower
    facts = {Fact("on", pair) for pair in on.items()}
    facts |= {Fact("on-table", (block,)) for block in lowest}
    facts |= {Fact("clear", (block,)) for block in reached - above.keys()}
    facts |= held or {Fact("arm-empty")}
    whole = reached == {*lowest, *on} and lowest.isdisjoint(on) and len(held) < 2
    return dict.fromkeys(lowest) | on if whole and facts == state else None


class _Tower:
    """The tower of a goal; ``any_order`` tells whether to look at all optimal moves of a state."""

    def __init__(self, order: list[str], any_order: bool) -> None:
        self._order = order
        self._place = dict(zip(order, [None, *order], strict=False))
        self._rank = {block: number for number, block in enumerate(order)}
        self._any_order = any_order

    def ways(self, under: _Under, held: str | None) -> Iterator[tuple[_Move, ...]]:
        """Yield the moves of optimal plans, depth first."""
        if held is None and not self._left(under):
            yield ()
        path: list[_Move] = []
        stack = [self._moves(under) if held is None else self._drops(held, under, ())]
        while stack:
            move = next(stack[-1], None)
            if move is None:
                stack.pop()
                del path[-1:]
            elif self._left(move.after):
                path.append(move)
                stack.append(self._moves(move.after))
            else:
                yield (*path, move)

    def _moves(self, under: _Under) -> Iterator[_Move]:
        """Yield the moves that begin optimal plans, those that put blocks aside first."""
        left = self._left(under)
        aside = self._aside(under, left)
        clear = under.keys() - under.values()
        ready = sorted(aside & clear)
        if left and left[0] in clear - aside and self._is_open(left[0], under):
            ready.append(left[0])
        for block in ready if self._any_order else ready[:1]:
            below = under[block]
            taken = Action("unstack", (block, below)) if below else Action("pick-up", (block,))
            others = {other: under[other] for other in under if other != block}
            yield from self._drops(block, others, (taken,))

    def _drops(self, block: str, others: _Under, before: tuple[Action, ...]) -> Iterator[_Move]:
        """Yield the ways to let go of a block: in its place where that is ready, else anywhere.

        Anywhere is first on the table, then wherever it costs nothing more.
        """
        if self._left(others)[0] == block and self._is_open(block, others):
            yield _dropped(block, self._place[block], others, before)
            return
        aside = _dropped(block, None, others, before)
        yield aside
        best = self._count(aside.after)
        for below in sorted(others.keys() - others.values()):
            move = _dropped(block, below, others, before)
            if self._count(move.after) == best:
                yield move

    def _left(self, under: _Under) -> list[str]:
        """Return the blocks that are not in place, the lowest place first."""
        wrong = (n for n, b in enumerate(self._order) if under.get(b, "") != self._place[b])
        return self._order[next(wrong, len(self._order)) :]

    def _aside(self, under: _Under, left: list[str]) -> set[str]:
        """Return those of them that have to be moved twice."""
        rank = self._rank
        found: set[str] = set()
        for block in left:
            below = under.get(block)
            while below is not None and rank[below] > rank[block]:
                below = under[below]
            if below is not None:
                found.add(block)
        return found

    def _count(self, under: _Under) -> int:
        """Return how many moves are left."""
        left = self._left(under)
        return len(left) + len(self._aside(under, left))

    def _is_open(self, block: str, under: _Under) -> bool:
        place = self._place[block]
        return place is None or place not in under.values()


def _dropped(block: str, below: str | None, others: _Under, before: tuple[Action, ...]) -> _Move:
    action = Action("stack", (block, below)) if below else Action("put-down", (block,))
    return _Move((*before, action), {**others, block: below})
