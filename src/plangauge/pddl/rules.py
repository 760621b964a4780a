"""Rules for derived predicates, and their order of evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from plangauge.pddl.formulas import Formula, Literal, predicates_in
from plangauge.pddl.types import Parameter


class Rule(NamedTuple):
    """A derived predicate, its parameters, and a condition that makes it true."""

    head: Literal
    parameters: tuple[Parameter, ...]
    body: Formula

    @property
    def uses(self) -> frozenset[tuple[str, bool]]:
        """The predicates in the body, and whether they are used positively."""
        return frozenset(predicates_in(self.body))


def components(rules: Iterable[Rule]) -> list[frozenset[str]]:
    """Return the strongly connected components of derived predicates.

    A component follows those it depends on.
    """
    uses = _uses(rules)
    found: list[frozenset[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    path: list[tuple[str, Iterator[str]]] = []

    def enter(predicate: str) -> None:
        number[predicate] = lowest[predicate] = len(number)
        open_.append(predicate)
        path.append((predicate, iter(uses[predicate])))

    for root in uses:  # Tarjan's algorithm, without recursion
        if root not in number:
            enter(root)
        while path:
            predicate, rest = path[-1]
            for used in rest:
                if used in uses and used not in number:
                    enter(used)
                    break
                lowest[predicate] = min(lowest[predicate], lowest.get(used, len(number)))
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[predicate])
                if lowest[predicate] == number[predicate]:
                    together = [open_.pop()]
                    while together[-1] != predicate:
                        together.append(open_.pop())
                    found.append(frozenset(together))
                    lowest.update(dict.fromkeys(together, len(uses)))
    return found


def dependencies(rules: Iterable[Rule], predicates: Iterable[str]) -> frozenset[str]:
    """Return these predicates and all on which their truth can depend."""
    uses = _uses(rules)
    found = set(predicates)
    frontier = list(found)
    while frontier:
        fresh = uses.get(frontier.pop(), {}).keys() - found
        found |= fresh
        frontier += fresh
    return frozenset(found)


def _uses(rules: Iterable[Rule]) -> Mapping[str, dict[str, None]]:
    """Return head → the predicates in its bodies."""
    uses: dict[str, dict[str, None]] = {}
    for rule in rules:
        names = (name for name, _ in predicates_in(rule.body))
        uses.setdefault(rule.head.predicate, {}).update(dict.fromkeys(names))
    return uses
