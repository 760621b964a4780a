"""Places as text, with the vehicles and packages there."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from plangauge.domains.columns import places
from plangauge.model import Fact


def draw(facts: Collection[Fact], types: Mapping[str, str], width: int) -> list[str] | None:
    """Return a line for each place, the city before it; what a vehicle carries is in brackets.

    >>> types = {"p": "airport", "c": "city", "t": "truck", "b": "package"}
    >>> facts = [Fact("in-city", ("p", "c")), Fact("at", ("t", "p")), Fact("in", ("b", "t"))]
    >>> draw(facts, types, 80)
    ['c: p | t [b]']
    """
    cities = {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == "in-city"}
    at = {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == "at"}
    moving = [name for name, type_ in types.items() if type_ in {"package", "truck", "airplane"}]
    inside = {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == "in"}
    if sorted((*at, *inside)) != sorted(moving) or not cities.keys() >= {*at.values()}:
        return None
    load: dict[str, list[str]] = {x: [] for x in moving if types[x] != "package"}
    for package, vehicle in inside.items():
        load.setdefault(vehicle, []).append(package)
    named = {place: f"{city}: {place}" for place, city in cities.items()}
    where = {thing: named[place] for thing, place in at.items()}
    return places(named.values(), where, load, width)
