"""From facts to the state that a run starts in."""

from __future__ import annotations

from collections.abc import Iterable

from plangauge.errors import ProblemError, did_you_mean
from plangauge.model import Fact
from plangauge.worlds.behavior.scene import ABILITIES, Scene
from plangauge.worlds.behavior.slots import slice_up
from plangauge.worlds.behavior.state import EDGES, EMPTY, HOLDS, LEFT, SUPPORTS, State


def read_state(scene: Scene, facts: Iterable[Fact]) -> State:
    """Return the state in which these facts are true, and none else; static ones are ignored.

    What is next to something has it next to itself. Of two other relations between the same things
    the last counts. The parts of a thing that is sliced are where it is, and as it is. Raises
    `ProblemError` for unknown names, states that a thing cannot be in, a thing in two places, and
    things that support each other.

    >>> from plangauge.worlds.behavior.scene import Thing
    >>> scene = Scene([Thing("apple"), Thing("box", slots=frozenset({"open"}))])
    >>> read_state(scene, [Fact("inside", ("apple", "box")), Fact("open", ("box",))]).support
    {'apple': ('box', 'inside')}
    """
    draft = _Draft(scene)
    for fact in facts:
        if fact not in scene.facts:
            draft.add(fact)
    _check_support(draft.support)
    hands = (draft.hands[0], draft.hands[1])
    state = State(frozenset(draft.true), draft.placed(), draft.edges, hands)
    for whole in scene.parts:
        if ("sliced", whole) in state.true:
            state = slice_up(scene, state, LEFT, (whole,))
    return state


class _Draft:
    """A state that is being read."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.true: set[tuple[str, str]] = set()
        self.support: dict[str, tuple[str, str]] = {}
        self.edges: dict[tuple[str, str], str] = {}
        self.hands: list[str | None] = [None, None]

    def add(self, fact: Fact) -> None:
        _check(self.scene, fact)
        predicate, args = fact.predicate, fact.args
        if predicate in ABILITIES:
            self.true.add((predicate, args[0]))
        elif predicate in SUPPORTS:
            self._put(fact, (args[1], predicate))
        elif predicate in HOLDS:
            self._put(fact, ("", predicate))
            self.hands[HOLDS.index(predicate)] = args[0]
        elif predicate in EDGES:
            self.edges[args[0], args[1]] = predicate
            if predicate == "nextto":
                self.edges[args[1], args[0]] = predicate

    def _put(self, fact: Fact, link: tuple[str, str]) -> None:
        name = fact.args[0]
        if self.support.setdefault(name, link) != link:
            raise ProblemError(f"{fact}: {name!r} is somewhere else already")

    def placed(self) -> dict[str, tuple[str, str]]:
        """Return what supports what, without what a hand holds."""
        return {name: link for name, link in self.support.items() if link[0]}


def _check(scene: Scene, fact: Fact) -> None:
    known = {**dict.fromkeys((*ABILITIES, *HOLDS), 1), **dict.fromkeys((*SUPPORTS, *EDGES), 2)}
    known |= dict.fromkeys(EMPTY, 0)
    if fact.predicate not in known:
        hint = did_you_mean(fact.predicate, known)
        raise ProblemError(f"{fact}: there is no predicate {fact.predicate!r}{hint}")
    if len(fact.args) != known[fact.predicate]:
        raise ProblemError(f"{fact}: {fact.predicate!r} is about {known[fact.predicate]} things")
    for arg in fact.args:
        if arg not in scene.things:
            raise ProblemError(f"{fact}: there is no {arg!r}{did_you_mean(arg, scene.things)}")
    if fact.predicate in ABILITIES and not scene.owns(fact.args[0], fact.predicate):
        raise ProblemError(f"{fact}: {fact.args[0]!r} is not {ABILITIES[fact.predicate]}")


def _check_support(support: dict[str, tuple[str, str]]) -> None:
    done: set[str] = set()
    for name in support:
        path: set[str] = set()
        while name in support and name not in done:
            if name in path:
                raise ProblemError(f"{name!r} supports what it is in or on")
            path.add(name)
            name = support[name][0]  # noqa: PLW2901 - up to the root
        done |= path
