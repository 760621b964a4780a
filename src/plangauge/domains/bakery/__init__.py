"""Cakes are mixed and baked, in time to be sold: a domain with durations and timed literals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from random import Random

from plangauge.core.model import Fact
from plangauge.domains.base import Parameter, members, register
from plangauge.domains.draw import carrying, of_type, rows
from plangauge.domains.generate import below, numbered, timed, value, write_problem
from plangauge.domains.say import natural

_STAGES = ("ordered", "mixed", "baked", "sold")


def draw(facts: Collection[Fact], types: Mapping[str, str], width: int) -> list[str] | None:
    """Return a line for each stage of a cake, and the ovens and bakers with what they are.

    A cake in no stage is being worked on.

    >>> types = {"c": "cake", "d": "cake", "o": "oven", "b": "baker"}
    >>> facts = [Fact("sold", ("c",)), Fact("hot", ("o",)), Fact("free", ("b",))]
    >>> draw(facts, types, 80)[-4:]
    ['sold    | c', 'in work | d', 'ovens   | o [hot] [in use]', 'bakers  | b [free]']
    """
    stages = {stage: sorted(members(facts, stage), key=natural) for stage in _STAGES}
    cakes, placed = of_type(types, "cake"), [cake for each in stages.values() for cake in each]
    if len(placed) != len({*placed}) or not {*cakes}.issuperset(placed):
        return None
    said = {name: {*members(facts, name)} for name in ("free", "cold", "hot", "empty")}
    ovens = [
        carrying(oven, (_heat(oven, said), "empty" if oven in said["empty"] else "in use"))
        for oven in of_type(types, "oven")
    ]
    bakers = [
        carrying(baker, ("free" if baker in said["free"] else "busy",))
        for baker in of_type(types, "baker")
    ]
    in_work = [cake for cake in cakes if cake not in placed]
    return rows({**stages, "in work": in_work, "ovens": ovens, "bakers": bakers}, width)


def _heat(oven: str, said: Mapping[str, set[str]]) -> str:
    return "hot" if oven in said["hot"] else "cold" if oven in said["cold"] else "heating up"


def generate(rng: Random, *, cakes: int, ovens: int, bakers: int) -> str:
    """Return the text of a problem; `Domain.parameters` tells what the parameters mean.

    The shop is open for as long as one baker with one oven takes, so every problem has a plan.
    """
    kinds = {
        "cake": numbered("cake", cakes),
        "oven": numbered("oven", ovens),
        "baker": numbered("baker", bakers),
    }
    mixing, baking = ({cake: 5 * (1 + below(rng, 8)) for cake in kinds["cake"]} for _ in range(2))
    heating = {oven: 5 * (1 + below(rng, 4)) for oven in kinds["oven"]}
    closing = max(heating.values()) + sum(mixing.values()) + sum(baking.values()) + 10
    init = [Fact("ordered", (cake,)) for cake in kinds["cake"]]
    init += [Fact(name, (oven,)) for oven in kinds["oven"] for name in ("cold", "empty")]
    init += [Fact("free", (baker,)) for baker in kinds["baker"]]
    init += [Fact("open"), timed(closing, "(not (open))")]
    init += [value("mixing-time", cake, number=mixing[cake]) for cake in mixing]
    init += [value("baking-time", cake, number=baking[cake]) for cake in baking]
    init += [value("heating-time", oven, number=heating[oven]) for oven in heating]
    goal = [Fact("sold", (cake,)) for cake in kinds["cake"]]
    return write_problem("bakery", kinds, init, goal, "minimize (total-time)")


register(
    "bakery",
    generator=generate,
    parameters=(
        Parameter("cakes", 3, "how many cakes are ordered", 1, most=1000),
        Parameter("ovens", 1, "how many ovens, all of them cold", 1, most=100),
        Parameter("bakers", 1, "how many bakers", 1, most=100),
    ),
    drawing=draw,
)
