"""Instantiating formulas within limits of time and memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn

from plangauge.core.conditions import Condition
from plangauge.core.errors import Unsupported
from plangauge.core.model import Fact
from plangauge.pddl.formulas import (
    Binding,
    Formula,
    Truth,
    instantiate,
)
from plangauge.pddl.instance import Instance
from plangauge.pddl.types import Types

_MOST_FACTS = 100_000
MOST_TRIED = 1_000_000
"""How many combinations of objects are tried for one condition."""


class Expansion:
    """Instantiates formulas, and refuses those that would exceed the limits."""

    def __init__(self, instance: Instance, truth: Truth, owner: str) -> None:
        self._instance = instance
        self._truth = truth
        self._owner = owner
        self._left = MOST_TRIED
        self._facts = _MOST_FACTS

    def instantiate(self, formula: Formula, binding: Binding) -> Condition:
        """Return the condition for given objects; raise `Unsupported` where it is too large."""
        return instantiate(formula, binding, self._objects, self._known)

    def spend(self, number: int) -> None:
        """Count more combinations of objects; raise `Unsupported` if there are too many."""
        self._left -= number
        if self._left < 0:
            self._refuse(f"conditions for more than {MOST_TRIED:,} combinations of objects")

    def spend_facts(self, number: int) -> None:
        """Count more facts; raise `Unsupported` if there are too many."""
        self._facts -= number
        if self._facts < 0:
            self._refuse(f"quantifiers over more than {_MOST_FACTS:,} facts")

    def _objects(self, types: Types) -> Iterator[str]:
        for name in self._instance.objects_of(types):
            self.spend(1)
            yield name

    def _known(self, fact: Fact) -> bool | None:
        known = self._truth(fact)
        if known is None:
            self.spend_facts(1)
        return known

    def _refuse(self, what: str) -> NoReturn:
        raise Unsupported(f"{self._owner}: {what} are not supported", file=self._instance.file)
