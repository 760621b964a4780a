"""What actions cost, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plangauge.domains.base import Domain
from plangauge.domains.say import natural
from plangauge.model import Action, Fact
from plangauge.pddl.domain import Schema
from plangauge.pddl.effects import CostTerm
from plangauge.pddl.instance import read_instance
from plangauge.pddl.types import label
from plangauge.suites.variables import variables

UNIT = "Every action costs 1."


def say_costs(domain: Domain, text: str) -> str:
    """Return what each action costs in a problem, given by its text, and the values it depends on.

    >>> from random import Random
    >>> from plangauge.domains.base import DOMAINS
    >>> ferry = DOMAINS["ferry"]
    >>> say_costs(ferry, ferry.generate(Random(0)))
    'Every action costs 1.'
    """
    if ":metric" not in text.lower():
        return UNIT
    instance = read_instance(domain.declarations, text)
    if not instance.costs:
        return UNIT
    schemas = domain.declarations.schemas.values()
    lines = [f"{_action(schema)} costs {_cost(schema)}." for schema in schemas]
    used = {
        amount.function
        for schema in schemas
        for amount in schema.effects.costs
        if isinstance(amount, CostTerm)
    }
    values = {key: value for key, value in instance.values.items() if key[0] in used}
    return "\n".join(["The actions have costs:", *lines, *_values(values)])


def _action(schema: Schema) -> Action:
    return Action(schema.name, variables([label(p.types) for p in schema.parameters]))


def _cost(schema: Schema) -> str:
    binding = schema.binding(_action(schema).args)
    parts = [
        str(Fact(amount.function, tuple(binding.get(term, term) for term in amount.terms)))
        if isinstance(amount, CostTerm)
        else f"{amount:g}"
        for amount in schema.effects.costs
    ]
    return " + ".join(parts) or "nothing"


def _values(values: Mapping[tuple[str, ...], float]) -> Sequence[str]:
    if not values:
        return ()
    order = sorted(values, key=lambda key: [natural(part) for part in key])
    return [", ".join(f"{Fact(key[0], key[1:])} is {values[key]:g}" for key in order) + "."]
