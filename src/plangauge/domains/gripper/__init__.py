"""A robot with two grippers carries balls between rooms."""

from __future__ import annotations

from random import Random

from plangauge.domains.base import DOMAINS, Domain, Parameter, shipped
from plangauge.domains.generate import numbered, one_of, write_problem
from plangauge.domains.gripper.drawing import draw
from plangauge.model import Fact


def generate(rng: Random, *, rooms: int, balls: int) -> str:
    """Return the text of a problem; `Domain.parameters` tells what the parameters mean."""
    kinds = {
        "room": numbered("room", rooms),
        "ball": numbered("ball", balls),
        "gripper": ["left", "right"],
    }
    init = [Fact("at-robby", (one_of(rng, kinds["room"]),))]
    init += [Fact("free", (gripper,)) for gripper in kinds["gripper"]]
    goal: list[Fact] = []
    for ball in kinds["ball"]:
        start = one_of(rng, kinds["room"])
        init.append(Fact("at", (ball, start)))
        target = one_of(rng, [room for room in kinds["room"] if room != start])
        goal.append(Fact("at", (ball, target)))
    return write_problem("gripper", kinds, init, goal)


DOMAINS.add(
    "gripper",
    Domain(
        "gripper",
        "1",
        shipped("gripper"),
        generator=generate,
        parameters=(
            Parameter("rooms", 3, "how many rooms", 2, most=1000),
            Parameter("balls", 4, "how many balls, none of them in its target room", 1, most=1000),
        ),
        drawing=draw,
    ),
)
