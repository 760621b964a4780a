"""Depots as text: stacks of crates, and at which place the hoists and trucks are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from plangauge.domains.columns import carrying, rows, standing
from plangauge.domains.say import natural
from plangauge.model import Fact

_PLACES = ("depot", "distributor", "place")
_TYPES = {*_PLACES, "pallet", "crate", "hoist", "truck"}


def draw(facts: Collection[Fact], types: Mapping[str, str], width: int) -> list[str] | None:
    """Return the stacks, each above its pallet and place, then the hoists and trucks of each place.

    ``types`` gives the type of each object. None where the facts do not tell for each thing where
    it is, once.

    >>> types = {"d": "depot", "p": "pallet", "c": "crate", "h": "hoist", "e": "crate"}
    >>> facts = [Fact("at", ("p", "d")), Fact("on", ("c", "p")), Fact("at", ("c", "d")),
    ...     Fact("at", ("h", "d")), Fact("lifting", ("h", "e"))]
    >>> draw(facts, types, 80)
    ['[c]', '=p=', 'd', '', 'd | h [e]']
    """
    of = {
        name: {fact.args[0]: fact.args[1] for fact in facts if fact.predicate == name}
        for name in ("at", "on", "in", "lifting")
    }
    at = [fact for fact in facts if fact.predicate == "at"]
    if not _TYPES.issuperset(types.values()) or len(at) != len(of["at"]):
        return None
    pallets = [thing for thing in _of(types, "pallet") if thing in of["at"]]
    stacks = {pallet: _stack(pallet, of["on"]) for pallet in pallets}
    drawn = [crate for stack in stacks.values() for crate in stack]
    if sorted((*drawn, *of["in"], *of["lifting"].values())) != sorted(_of(types, "crate")):
        return None
    columns = [
        [of["at"][pallet], f"={pallet}=", *(f"[{crate}]" for crate in stack)]
        for pallet, stack in stacks.items()
    ]
    lines = [line for group in standing(columns, width) for line in (*group, "")]
    moving = {place: [*_moving(place, types, of)] for place in _of(types, *_PLACES)}
    return [*lines, *rows(moving, width)]


def _of(types: Mapping[str, str], *kinds: str) -> list[str]:
    return sorted((name for name, type_ in types.items() if type_ in kinds), key=natural)


def _stack(pallet: str, below: Mapping[str, str]) -> list[str]:
    above = {under: upper for upper, under in below.items()}
    stack: list[str] = []
    while (upper := above.get(stack[-1] if stack else pallet)) and len(stack) < len(above):
        stack.append(upper)
    return stack


def _moving(
    place: str, types: Mapping[str, str], of: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield the hoists at a place with what they lift, and the trucks with their load."""
    for thing in _of(types, "hoist", "truck"):
        if of["at"].get(thing) == place:
            load = [crate for crate, truck in of["in"].items() if truck == thing]
            load += [of["lifting"][thing]] if thing in of["lifting"] else []
            yield carrying(thing, load)
