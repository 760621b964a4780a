"""Instantiating formulas without taking forever or filling the memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NoReturn

from plangauge.conditions import Condition
from plangauge.errors import Unsupported
from plangauge.model import Fact
from plangauge.pddl.formulas import (
    ALWAYS,
    Binding,
    Formula,
    Quantified,
    Truth,
    instances,
    instantiate,
)
from plangauge.pddl.instance import Instance
from plangauge.pddl.types import Parameter, Types

_MOST_FACTS = 100_000
_MOST_TRIALS = 1_000_000


class Expansion:
    """Instantiates formulas, and refuses those that would take forever or fill the memory."""

    def __init__(self, instance: Instance, truth: Truth, owner: str) -> None:
        self._instance = instance
        self._truth = truth
        self._owner = owner
        self._trials = _MOST_TRIALS
        self._facts = _MOST_FACTS

    def instantiate(self, formula: Formula, binding: Binding) -> Condition:
        """Return the condition for given objects; raise `Unsupported` where it is too large."""
        return instantiate(formula, binding, self._objects, self._known)

    def bindings(self, parameters: Iterable[Parameter], binding: Binding) -> Iterator[Binding]:
        """Yield the binding, extended by all values of the parameters."""
        every = Quantified(exists=True, variables=tuple(parameters), body=ALWAYS)
        return instances(every, binding, self._objects, self._known)

    def spend_facts(self, number: int) -> None:
        """Raise `Unsupported` where so many facts more are too many."""
        self._facts -= number
        if self._facts < 0:
            self._refuse(f"quantifiers over more than {_MOST_FACTS:,} facts")

    def _objects(self, types: Types) -> Iterator[str]:
        for name in self._instance.objects_of(types):
            self._trials -= 1
            if self._trials < 0:
                self._refuse(f"quantifiers over more than {_MOST_TRIALS:,} objects")
            yield name

    def _known(self, fact: Fact) -> bool | None:
        known = self._truth(fact)
        if known is None:
            self.spend_facts(1)
        return known

    def _refuse(self, what: str) -> NoReturn:
        raise Unsupported(f"{self._owner}: {what} are not supported", file=self._instance.file)
