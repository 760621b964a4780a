"""The parts that actions are declared from: checks, effects, and rules that put them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from plangauge.conditions import Condition, Is, Not, in_words
from plangauge.model import Fact, Fault
from plangauge.worlds.base import Violation
from plangauge.worlds.behavior.scene import Scene
from plangauge.worlds.behavior.state import LEFT, SIDES, State


class Case(NamedTuple):
    """What a check looks at: one object of an action of one hand, in a state."""

    scene: Scene
    state: State
    hand: int
    obj: str

    @property
    def held(self) -> str | None:
        """What the hand holds."""
        return self.state.hands[self.hand]

    def has(self, slot: str) -> bool:
        """Return whether the object is in a unary state."""
        return (slot, self.obj) in self.state.true

    def above(self) -> Iterator[str]:
        """Yield what the object is in or on, and what that is in or on, up to the root."""
        return (upper for _, upper, _ in self.links())

    def links(self) -> Iterator[tuple[str, str, str]]:
        """Yield the links of the chain up from the object: what is where, and in or on it."""
        lower, support = self.obj, self.state.support
        for _ in support:  # no more links than that, even in a state that nobody should make
            link = support.get(lower)
            if link is None:
                return
            yield lower, *link
            lower = link[0]


Names: TypeAlias = tuple[str, ...]
Effect: TypeAlias = Callable[[Scene, State, int, Names], State]
"""Of a scene, a state, a hand and the arguments: the state after the action."""


@dataclass(frozen=True, eq=False)
class Check:
    """One thing that an action needs of one of its objects, by default of the first.

    ``test`` returns None where it is so, otherwise the names of what else is to blame, from which
    ``needs`` makes the condition that is not met, and ``words`` what must be so: ``{0}`` is the
    object, ``{hand}`` the hand, the names follow. Without words the condition is put in words.

    ``fault`` is what an action is that fails here, if that does not depend on what happened before;
    ``static``: no action can make it so. Once a ``final`` check has failed, further ones make no
    sense. A ``partial`` one tests more than a condition on direct relations can say: its condition
    is about the state at hand, and is no precondition.
    """

    code: str
    test: Callable[[Case], Names | None]
    needs: Callable[[Case, Names], Condition]
    words: str = ""
    fault: Fault | None = None
    static: bool = False
    final: bool = False
    partial: bool = False
    about: int = 0

    def violation(self, case: Case, names: Names) -> Violation:
        """Return what is to be said where the test found these names to blame."""
        condition = self.needs(case, names)
        words = self.words.format(case.obj, *names, hand=SIDES[case.hand])
        return Violation(condition, self.static, self.fault, words or in_words(condition))


@dataclass(frozen=True, eq=False)
class Way:
    """One of several things that an action does, each where it can, if it ``applies`` at all."""

    applies: Callable[[Case], bool]
    checks: tuple[Check, ...]
    effect: Effect


def _unchanged(scene: Scene, state: State, hand: int, args: Names) -> State:  # noqa: ARG001
    return state


@dataclass(frozen=True, eq=False)
class Rule:
    """What an action needs, in order, and what it does then.

    An action with ``ways`` needs one of them to apply and to pass its checks, and does all those.
    ``reads`` are the predicates that what it does can depend on beside `ALWAYS_READ`.
    """

    checks: tuple[Check, ...]
    effect: Effect = _unchanged
    hand: int = LEFT
    parameters: Names = ("object",)
    ways: tuple[Way, ...] = ()
    reads: Names = ()


def is_so(predicate: str, *args: str) -> Is:
    """Return the condition that a fact is true."""
    return Is(Fact(predicate, args))


def when(blamed: bool) -> Names | None:
    """Return what a test returns that blames nobody else, or is satisfied.

    >>> when(True), when(False)
    ((), None)
    """
    return () if blamed else None


def unlinked(link: Names) -> Condition:
    """Return the condition that one thing is not in or on another, as the link says it is."""
    lower, upper, kind = link
    return Not(is_so(kind, lower, upper))


def last_link(case: Case, goals: Iterable[str]) -> Names | None:
    """Return the link to the first of these things in the chain up from the object, if any."""
    return next((link for link in case.links() if link[1] in goals), None)
