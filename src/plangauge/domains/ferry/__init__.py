"""A ferry carries one car at a time between locations."""

from __future__ import annotations

from random import Random

from plangauge.domains.base import DOMAINS, Domain, Parameter, shipped
from plangauge.domains.ferry.drawing import draw
from plangauge.domains.generate import numbered, one_of, write_problem
from plangauge.model import Fact


def generate(rng: Random, *, locations: int, cars: int) -> str:
    """Return the text of a problem; `Domain.parameters` tells what the parameters mean."""
    kinds = {"location": numbered("port", locations), "car": numbered("car", cars)}
    ports = kinds["location"]
    init = [Fact("at-ferry", (one_of(rng, ports),)), Fact("empty-ferry")]
    goal: list[Fact] = []
    for car in kinds["car"]:
        start = one_of(rng, ports)
        init.append(Fact("at", (car, start)))
        goal.append(Fact("at", (car, one_of(rng, [port for port in ports if port != start]))))
    return write_problem("ferry", kinds, init, goal)


DOMAINS.add(
    "ferry",
    Domain(
        "ferry",
        "1",
        shipped("ferry"),
        generator=generate,
        parameters=(
            Parameter("locations", 4, "how many locations", 2, most=1000),
            Parameter("cars", 4, "how many cars, none of them at its target", 1, most=1000),
        ),
        drawing=draw,
    ),
)
