"""Trucks carry packages within a city, airplanes between the airports of cities."""

from __future__ import annotations

from random import Random

from plangauge.domains.base import DOMAINS, Domain, Parameter, shipped
from plangauge.domains.generate import numbered, one_of, write_problem
from plangauge.domains.logistics.drawing import draw
from plangauge.model import Fact


def generate(rng: Random, *, cities: int, places: int, airplanes: int, packages: int) -> str:
    """Return the text of a problem; `Domain.parameters` tells what the parameters mean."""
    inside = {
        city: [f"airport{number}", *(f"place{number}-{other}" for other in range(1, places))]
        for number, city in enumerate(numbered("city", cities))
    }
    airports = [stops[0] for stops in inside.values()]
    everywhere = [stop for stops in inside.values() for stop in stops]
    kinds = {
        "city": [*inside],
        "airport": airports,
        "place": [stop for stop in everywhere if stop not in airports],
        "truck": numbered("truck", cities),
        "airplane": numbered("airplane", airplanes),
        "package": numbered("package", packages),
    }
    init = [Fact("in-city", (stop, city)) for city, stops in inside.items() for stop in stops]
    for truck, stops in zip(kinds["truck"], inside.values(), strict=True):
        init.append(Fact("at", (truck, one_of(rng, stops))))
    init += [Fact("at", (airplane, one_of(rng, airports))) for airplane in kinds["airplane"]]
    goal: list[Fact] = []
    for package in kinds["package"]:
        start = one_of(rng, everywhere)
        init.append(Fact("at", (package, start)))
        target = one_of(rng, [stop for stop in everywhere if stop != start])
        goal.append(Fact("at", (package, target)))
    return write_problem("logistics", kinds, init, goal)


DOMAINS.add(
    "logistics",
    Domain(
        "logistics",
        "1",
        shipped("logistics"),
        generator=generate,
        parameters=(
            Parameter("cities", 2, "how many cities, each with a truck and an airport", 1),
            Parameter("places", 2, "how many places each city has, its airport included", 2),
            Parameter("airplanes", 1, "how many airplanes", 1),
            Parameter("packages", 3, "how many packages, none of them at its target", 1, most=1000),
        ),
        drawing=draw,
    ),
)
