"""Ports as text, with the cars there and the ferry."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from plangauge.domains.columns import places
from plangauge.model import Fact


def draw(facts: Collection[Fact], types: Mapping[str, str], width: int) -> list[str] | None:
    """Return a line for each port; the car on the ferry stands in brackets behind it.

    >>> types = {"p": "location", "q": "location", "c": "car", "d": "car"}
    >>> draw([Fact("at-ferry", ("p",)), Fact("at", ("c", "q")), Fact("on", ("d",))], types, 80)
    ['p | ferry [d]', 'q | c']
    """
    ports = [name for name, type_ in types.items() if type_ == "location"]
    where = {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == "at"}
    ferry = [fact.args[0] for fact in facts if fact.predicate == "at-ferry"]
    aboard = [fact.args[0] for fact in facts if fact.predicate == "on"]
    cars = [name for name, type_ in types.items() if type_ == "car"]
    if "ferry" in types or len(ferry) != 1 or sorted((*where, *aboard)) != sorted(cars):
        return None
    return places(ports, {**where, "ferry": ferry[0]}, {"ferry": aboard}, width)
