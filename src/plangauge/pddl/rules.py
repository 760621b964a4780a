"""Rules for derived predicates, and in which order they can be evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from plangauge.pddl.formulas import Formula, Literal, Quantified
from plangauge.pddl.tree import MAX_DEPTH
from plangauge.pddl.types import Parameter


class Rule(NamedTuple):
    """A derived predicate, its parameters, and a condition that makes it true."""

    head: Literal
    parameters: tuple[Parameter, ...]
    body: Formula


def strata(rules: Iterable[Rule]) -> dict[str, int]:
    """Return derived predicate → stratum: it uses negations of lower strata only.

    A predicate that depends on its own negation is left out, and so are those that depend on it.
    """
    uses = _uses(rules)
    users: dict[str, list[str]] = {head: [] for head in uses}
    for head, used in uses.items():
        for predicate, positive in used:
            if positive and predicate in users:
                users[predicate].append(head)
    found: dict[str, int] = {}
    rest = set(uses)
    for stratum in range(MAX_DEPTH):
        late = {head for head in rest if any(not pos and p in rest for p, pos in uses[head])}
        frontier = list(late)
        while frontier:
            fresh = [head for head in users[frontier.pop()] if head not in late]
            late.update(fresh)
            frontier += fresh
        found |= dict.fromkeys(rest - late, stratum)
        if late in (set(), rest):
            break
        rest = late
    return found


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
