"""The state of a BEHAVIOR world: what is how, what is where, and what the hands hold."""

from __future__ import annotations

from typing import NamedTuple

LEFT, RIGHT = 0, 1
SIDES = ("left", "right")
HOLDS = ("holds_lh", "holds_rh")
"""The predicate of what a hand holds, as in EAI's vocabulary; ``lh`` is the left hand."""
EMPTY = ("lh_empty", "rh_empty")
SUPPORTS = ("inside", "ontop")
EDGES = ("onfloor", "under", "nextto")


class State(NamedTuple):
    """A state: immutable, because nothing changes the dictionaries of a state that exists.

    Things move with what supports them, so that a state says only what supports them directly.
    The dictionaries remember in which order things were put where; equality ignores it.
    """

    true: frozenset[tuple[str, str]]
    """Unary states with the things that are in them: ``("open", "fridge_1")``."""
    support: dict[str, tuple[str, str]]
    """What a thing is in or on, and which of both: ``"apple_0": ("fridge_1", "inside")``."""
    edges: dict[tuple[str, str], str]
    """The other relations; at most one for each ordered pair of things."""
    hands: tuple[str | None, str | None] = (None, None)
    """What the left and the right hand hold."""

    def __hash__(self) -> int:
        support, edges = frozenset(self.support.items()), frozenset(self.edges.items())
        return hash((self.true, support, edges, self.hands))

    def children(self, name: str) -> list[str]:
        """Return what is directly in or on a thing, in the order it was put there."""
        return [child for child, (parent, _) in self.support.items() if parent == name]
