"""Trucks carry crates between places, where hoists load, unload and stack them."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from plangauge.domains.base import DOMAINS, Domain, Facts, Parameter, shipped
from plangauge.domains.depots.drawing import draw
from plangauge.domains.generate import below, numbered, one_of, write_problem
from plangauge.model import Fact

_INCOMPLETE = 0.28
"""How often one crate is left out of the goal."""


def generate(rng: Random, *, depots: int, distributors: int, trucks: int, crates: int) -> str:
    """Return the text of a problem; `Domain.parameters` tells what the parameters mean."""
    kinds = {
        "depot": numbered("depot", depots),
        "distributor": numbered("distributor", distributors),
        "truck": numbered("truck", trucks),
        "pallet": numbered("pallet", depots + distributors),
        "hoist": numbered("hoist", depots + distributors),
        "crate": numbered("crate", crates),
    }
    places = kinds["depot"] + kinds["distributor"]
    pallets = dict(zip(kinds["pallet"], places, strict=True))
    init = [Fact("at", located) for located in pallets.items()]
    for hoist, place in zip(kinds["hoist"], places, strict=True):
        init += Fact("at", (hoist, place)), Fact("available", (hoist,))
    init += [Fact("at", (truck, one_of(rng, places))) for truck in kinds["truck"]]
    for pallet, stack in _stacks(rng, kinds["pallet"], kinds["crate"]).items():
        init += [Fact("at", (crate, pallets[pallet])) for crate in stack[1:]]
        init += _on(stack)
        init.append(Fact("clear", (stack[-1],)))
    goal = [
        fact
        for stack in _stacks(rng, kinds["pallet"], kinds["crate"]).values()
        for fact in _on(stack)
    ]
    if len(goal) > 1 and rng.random() < _INCOMPLETE:
        del goal[below(rng, len(goal))]
    return write_problem("depots", kinds, init, sorted(goal))


def completes(initial: Facts, goal: Facts) -> Facts:
    """Return where the crates of the goal are, as far as the pallets under them tell."""
    under = {fact.args[0]: fact.args[1] for fact in goal if fact.predicate == "on"}
    crates = {fact.args[0] for fact in initial if fact.predicate in {"on", "in"}}
    crates |= {fact.args[1] for fact in initial if fact.predicate == "lifting"}
    place = {f.args[0]: f.args[1] for f in initial if f.predicate == "at"}
    found: set[Fact] = set()
    for crate in under:
        lowest = crate
        for _ in under:  # no longer, even where the goal is a circle
            lowest = under.get(lowest, lowest)
        if lowest not in crates:
            found.add(Fact("at", (crate, place[lowest])))
    return frozenset(found)


def _stacks(rng: Random, pallets: list[str], crates: list[str]) -> dict[str, list[str]]:
    """Return each pallet with what is on it, after crates were put on pallets at random."""
    stacks = {pallet: [pallet] for pallet in pallets}
    for crate in crates:
        stacks[one_of(rng, pallets)].append(crate)
    return stacks


def _on(stack: list[str]) -> list[Fact]:
    return [Fact("on", (upper, lower)) for lower, upper in pairwise(stack)]


DOMAINS.add(
    "depots",
    Domain(
        "depots",
        "1",
        shipped("depots"),
        inferred=frozenset({"clear"}),
        generator=generate,
        parameters=(
            Parameter("depots", 3, "how many depots; each has a pallet and a hoist", 0),
            Parameter("distributors", 1, "how many distributors, with a pallet and a hoist", 1),
            Parameter("trucks", 3, "how many trucks", 1),
            Parameter("crates", 3, "how many crates", 1, most=500),
        ),
        completes=completes,
        drawing=draw,
    ),
)
