"""Invariants of a problem found in its schemas, without grounding, and what they exclude."""

from __future__ import annotations

from plangauge.core.model import Fact
from plangauge.pddl.instance import Instance


class Invariants:
    """What can be proven of all reachable states."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def exclude(self, literals: list[tuple[Fact, bool]]) -> bool:
        """Return whether no reachable state satisfies all these literals; False if unproven."""
        return any((fact, not positive) in literals for fact, positive in literals)
