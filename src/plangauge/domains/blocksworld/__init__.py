"""Blocks are stacked by one arm: the goal is always one tower of all blocks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import comb, factorial
from random import Random
from string import ascii_lowercase

from plangauge.domains.base import DOMAINS, Domain, Facts, Parameter, Value, shipped
from plangauge.domains.blocksworld.drawing import draw
from plangauge.domains.blocksworld.optimal import closed_form, goal_tower
from plangauge.domains.generate import (
    apportion,
    below,
    numbered,
    rounds,
    shuffled,
    weighted,
    write_problem,
)
from plangauge.errors import ProblemError
from plangauge.model import Fact

SIZES = {3: 52, 4: 64, 5: 50, 6: 48, 7: 45, 8: 60, 9: 43, 10: 66, 11: 37, 12: 36}
"""How many of PlanBench's problems have so many blocks."""

_LETTERS = ascii_lowercase[:12]
_LEAST = {"chain": 3, "neutral": 2, "subset": 2, "random": 2}


def generate(rng: Random, *, blocks: int | None, start: str, stacked: int | None) -> str:
    """Return the text of a problem; `Domain.parameters` tells what the parameters mean."""
    size = blocks or weighted(rng, SIZES)
    if size < _LEAST[start]:
        raise ProblemError(f"{start} needs at least {_LEAST[start]} blocks, not {size}")
    heights = _heights(start, size)
    if stacked is not None and stacked not in heights:
        allowed = f"from {heights[0]} to {heights[-1]}" if heights else "left out"
        raise ProblemError(f"stacked must be {allowed} for {start} and {size} blocks")
    tower = shuffled(rng, _names(size))[:size]
    if heights:
        height = stacked or heights[below(rng, len(heights))]
        order = tower if start == "chain" else shuffled(rng, tower)
        towers = [order[:height], *([block] for block in order[height:])]
    else:
        towers = _random_towers(rng, tower) if start == "random" else [[b] for b in tower]
    goal = [Fact("on", pair) for pair in pairwise(tower)]
    return write_problem("blocksworld", {"block": sorted(tower, key=_order)}, _facts(towers), goal)


def spread(rng: Random, count: int, values: Mapping[str, Value]) -> list[dict[str, Value]]:
    """Return the parameters of each problem: sizes in their proportions, heights in equal ones."""
    blocks, start, stacked = values["blocks"], str(values["start"]), values["stacked"]
    sizes = [blocks] * count if blocks else shuffled(rng, apportion(SIZES, count))
    heights = {
        size: rounds(rng, found)
        for size in sorted({size for size in sizes if isinstance(size, int)})
        if stacked is None and (found := _heights(start, size))
    }
    return [
        {
            "blocks": size,
            "start": start,
            "stacked": next(heights[size])
            if isinstance(size, int) and size in heights
            else stacked,
        }
        for size in sizes
    ]


def optimal_length(blocks: int, stacked: int = 1) -> int:
    """Return the length of an optimal plan for ``chain`` (``stacked`` blocks), or ``neutral`` (1).

    All but the lowest stacked block are put on the table, then every block but one is stacked.

    >>> optimal_length(3, 2)
    6
    """
    return 2 * (blocks + stacked - 2)


def completes(initial: Facts, goal: Facts) -> Facts:
    """Return that the lowest block is on the table, where the goal is one tower of all blocks."""
    tower = goal_tower(goal)
    if len(tower) < 2 or set(tower) != _blocks(initial):
        return frozenset()
    return frozenset({Fact("on-table", (tower[-1],))})


def _blocks(facts: Facts) -> set[str]:
    return {block for fact in facts for block in fact.args}


def _heights(start: str, blocks: int) -> range:
    """Return how many blocks can be stacked at the beginning; empty where that is not chosen."""
    last = {"chain": blocks, "subset": blocks + 1}.get(start, 0)
    return range(2, last)


def _random_towers(rng: Random, blocks: list[str]) -> list[list[str]]:
    """Return towers of all blocks, every state with the same probability.

    The states with t towers are the permutations cut in t - 1 places, the order of the towers
    disregarded.
    """
    size = len(blocks)
    ways = {t: comb(size - 1, t - 1) * factorial(size) // factorial(t) for t in range(1, size + 1)}
    share = {t: number / sum(ways.values()) for t, number in ways.items()}
    cuts = sorted(shuffled(rng, range(1, size))[: weighted(rng, share) - 1])
    order = shuffled(rng, blocks)
    return [order[a:b] for a, b in pairwise((0, *cuts, size))]


def _facts(towers: list[list[str]]) -> list[Fact]:
    facts = [Fact("on", pair) for tower in towers for pair in pairwise(tower)]
    facts += [Fact("on-table", (tower[-1],)) for tower in towers]
    facts += [Fact("clear", (tower[0],)) for tower in towers]
    return [*sorted(facts), Fact("arm-empty")]


def _names(size: int) -> list[str]:
    """Return at least so many names: the letters that PlanBench uses, as long as they suffice."""
    if size <= len(_LETTERS):
        return [*_LETTERS]
    return [*ascii_lowercase] if size <= len(ascii_lowercase) else numbered("b", size)


def _order(name: str) -> tuple[int, str]:
    return len(name), name


DOMAINS.add(
    "blocksworld",
    Domain(
        "blocksworld",
        "1",
        shipped("blocksworld"),
        inferred=frozenset({"clear"}),
        generator=generate,
        parameters=(
            Parameter(
                "blocks",
                None,
                "how many blocks; by default 3 to 12, as often as in PlanBench",
                2,
                most=500,
            ),
            Parameter(
                "start",
                "chain",
                "the initial state. chain: the top of the goal tower is already built, but on the "
                "table; neutral: all blocks are on the table; subset: some blocks form a tower in "
                "any order; random: any state, all equally probable",
                choices=("chain", "neutral", "subset", "random"),
            ),
            Parameter(
                "stacked", None, "how many blocks that tower has, for chain and subset", 2, most=500
            ),
        ),
        spread=spread,
        completes=completes,
        closed_form=closed_form,
        drawing=draw,
    ),
)
