"""Satellites turn their instruments to directions and take images of them."""

from __future__ import annotations

from random import Random

from plangauge.core.errors import ProblemError
from plangauge.core.model import Fact
from plangauge.domains.base import Parameter, register
from plangauge.domains.generate import numbered, one_of, shuffled, write_problem

_POINTING = 0.25
"""How often the goal also requires a direction that a satellite points to in the end."""


def generate(
    rng: Random, *, satellites: int, instruments: int, modes: int, directions: int, images: int
) -> str:
    """Return the text of a problem; `Domain.parameters` tells what the parameters mean."""
    kinds = {
        "satellite": numbered("satellite", satellites),
        "instrument": numbered("instrument", satellites * instruments),
        "mode": numbered("mode", modes),
        "direction": numbered("star", directions),
    }
    if images > modes * directions:
        raise ProblemError(f"there are only {modes * directions} different images, not {images}")
    init: list[Fact] = []
    for index, instrument in enumerate(kinds["instrument"]):
        init.append(Fact("on_board", (instrument, kinds["satellite"][index // instruments])))
        target = one_of(rng, kinds["direction"])
        init.append(Fact("calibration_target", (instrument, target)))
    init += _supports(rng, kinds["instrument"], kinds["mode"])
    goal: list[Fact] = []
    for satellite in kinds["satellite"]:
        init.append(Fact("power_avail", (satellite,)))
        init.append(Fact("pointing", (satellite, one_of(rng, kinds["direction"]))))
        if rng.random() < _POINTING:
            goal.append(Fact("pointing", (satellite, one_of(rng, kinds["direction"]))))
    everything = [(d, mode) for d in kinds["direction"] for mode in kinds["mode"]]
    wanted = sorted(shuffled(rng, everything)[:images])
    goal += [Fact("have_image", image) for image in wanted]
    return write_problem("satellite", kinds, init, goal)


def _supports(rng: Random, instruments: list[str], modes: list[str]) -> list[Fact]:
    """Return what instruments can do: each one mode or more, and each mode by some instrument."""
    pairs = {(instrument, one_of(rng, modes)) for instrument in instruments}
    pairs |= {(one_of(rng, instruments), mode) for mode in modes}
    return [Fact("supports", pair) for pair in sorted(pairs)]


register(
    "satellite",
    generator=generate,
    parameters=(
        Parameter("satellites", 2, "how many satellites", 1),
        Parameter("instruments", 2, "how many instruments each satellite has", 1, most=10),
        Parameter("modes", 3, "how many modes of images", 1),
        Parameter("directions", 5, "how many directions", 2),
        Parameter("images", 4, "how many images are wanted", 1, most=1000),
    ),
)
