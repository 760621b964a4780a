"""Verdicts: what is true, and how it was proven."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from plangauge.core.model import Plan


class Proof(StrEnum):
    """How a verdict was proven; `UNDECIDED` where it was not."""

    RELAXATION = "delete relaxation"
    """Impossible even where nothing that became true ever becomes false again."""
    SEARCH = "search"
    """No state of all those that can be reached satisfies the condition."""
    WITNESS = "witness"
    """Such a state was visited."""
    PAIRS = "pairs"
    """Two of the facts that are needed can never be true together."""
    PLAN = "plan"
    """A search for this very condition found a plan."""
    UNDECIDED = "undecided"
    """The limits were reached first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer to a question about all reachable states, and its proof.

    ``value`` is None where the question is undecided. ``plan`` is an executable example where there
    is one: it leads to a state that satisfies the condition asked about, or, for a fact that is no
    landmark, to the goal without the fact.

    >>> print(Verdict(False, Proof.PAIRS).proof)
    pairs
    """

    value: bool | None
    proof: Proof
    plan: Plan | None = None


UNDECIDED = Verdict(None, Proof.UNDECIDED)
