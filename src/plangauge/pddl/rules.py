"""Rules for derived predicates, and in which order they can be evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from plangauge.pddl.formulas import Formula, Literal, Quantified
from plangauge.pddl.types import Parameter

MAX_STRATUM = 100
"""How many negations may depend on each other."""


class Rule(NamedTuple):
    """A derived predicate, its parameters, and a condition that makes it true."""

    head: Literal
    parameters: tuple[Parameter, ...]
    body: Formula


def strata(rules: Iterable[Rule]) -> dict[str, int]:
    """Return derived predicate → stratum: it uses negations of lower strata only.

    The stratum of a predicate that depends on its own negation exceeds `MAX_STRATUM`; the others
    are then meaningless.
    """
    uses = _uses(rules)
    users: dict[str, list[tuple[str, bool]]] = {}
    for head, used in uses.items():
        for predicate, positive in sorted(used):
            users.setdefault(predicate, []).append((head, positive))
    stratum = dict.fromkeys(uses, 0)
    waiting = list(uses)
    while waiting:
        predicate = waiting.pop()
        for head, positive in users.get(predicate, ()):
            least = stratum[predicate] + (not positive)
            if stratum[head] < least:
                stratum[head] = least
                waiting.append(head)
                if least > MAX_STRATUM:
                    return stratum
    return stratum


def dependencies(rules: Iterable[Rule], predicates: Iterable[str]) -> frozenset[str]:
    """Return these predicates and all on which their truth can depend."""
    uses = _uses(rules)
    found = set(predicates)
    frontier = list(found)
    while frontier:
        fresh = {used for used, _ in uses.get(frontier.pop(), ())} - found
        found |= fresh
        frontier += fresh
    return frozenset(found)


def _uses(rules: Iterable[Rule]) -> Mapping[str, set[tuple[str, bool]]]:
    """Return head → the predicates in its bodies, and whether they are used positively."""
    uses: dict[str, set[tuple[str, bool]]] = {}
    for rule in rules:
        uses.setdefault(rule.head.predicate, set()).update(_used(rule.body))
    return uses


def _used(formula: Formula) -> Iterator[tuple[str, bool]]:
    if isinstance(formula, Literal):
        yield formula.predicate, formula.positive
    elif isinstance(formula, Quantified):
        yield from _used(formula.body)
    else:
        for part in formula.parts:
            yield from _used(part)
