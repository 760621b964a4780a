"""Drawings of states as text, for domains that have one, and their layout in columns and rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from plangauge.core.model import Fact
from plangauge.domains.base import DOMAINS, Domain
from plangauge.domains.say import natural
from plangauge.pddl.domain import Domain as Declarations
from plangauge.worlds.base import World

_SAME = {"handempty": "armempty"}
"""Normalised name → its synonym."""

_Shape = frozenset[tuple[str, int]]


def draw(world: World[Any], facts: Collection[Fact], width: int = 80) -> str | None:
    """Return a drawing of a state; None if the domain has none.

    A world is drawn as the domain whose predicates it has, whatever its own name is; hyphens,
    underscores and case do not matter, and the arm may be a hand. Every thing is in the drawing
    once. No line is wider than asked for, unless a single name is. None as well for facts that form
    no possible state, such as a block in the air.

    >>> from random import Random
    >>> blocks = DOMAINS["blocksworld"]
    >>> problem = blocks.problem(blocks.generate(Random(0), blocks=3))
    >>> print(draw(problem.world, problem.world.facts(problem.initial)))
         [a]
    [d]  [g]
    ========
    the arm is empty
    """
    domain = _domain_of(world)
    if domain is None or domain.drawing is None:
        return None
    names = {_plain(name): name for name in _arities(domain.declarations)}
    known = [Fact(names[_plain(fact.predicate)], fact.args) for fact in facts]
    lines = domain.drawing(known, world.objects, width)
    return None if lines is None else "\n".join(lines)


def drawn_as(world: World[Any]) -> str | None:
    """Return the name of the domain that has the predicates of a world; None for none."""
    domain = _domain_of(world)
    return None if domain is None else domain.name


def _domain_of(world: World[Any]) -> Domain | None:
    return _domain(_shape({name: len(types) for name, types in world.predicates.items()}))


@lru_cache(maxsize=64)
def _domain(shape: _Shape) -> Domain | None:
    """Return the domain with these predicates."""
    for domain in DOMAINS.values():
        if _shape(_arities(domain.declarations)) == shape:
            return domain
    return None


def _arities(declared: Declarations) -> dict[str, int]:
    """Return the predicates of facts; in a domain with numbers, also those of values."""
    arities = {name: len(types) for name, types in declared.predicates.items()}
    if declared.features:
        values = declared.functions.items()
        arities |= {f"{name} =": len(types) + 1 for name, types in values}
    return arities


def _shape(arities: dict[str, int]) -> _Shape:
    return frozenset((_plain(name), arity) for name, arity in arities.items())


def _plain(predicate: str) -> str:
    plain = predicate.lower().replace("-", "").replace("_", "")
    return _SAME.get(plain, plain)


GAP = "  "
"""The gap between two columns."""


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> display_width("ab"), display_width("積木"), display_width("e\N{COMBINING ACUTE ACCENT}")
    (2, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int) -> str:
    """Return a text with blanks behind it, up to a width on the terminal."""
    return text + " " * (width - display_width(text))


def standing(columns: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """Return columns, each from its lowest cell up, as groups of lines from the top down.

    There are as many columns side by side as fit into the width, at least one; those that do not
    fit form the next group.

    >>> standing([["a", "bb"], ["c"]], 80)
    [['bb', 'a   c']]
    """
    return [_lines(group) for group in _groups(columns, width)]


def _groups(columns: Sequence[Sequence[str]], width: int) -> Iterator[list[Sequence[str]]]:
    group: list[Sequence[str]] = []
    taken = 0
    for column in columns:
        wide = max(map(display_width, column), default=0)
        if group and taken + len(GAP) + wide > width:
            yield group
            group, taken = [], 0
        taken += wide + (len(GAP) if group else 0)
        group.append(column)
    if group:
        yield group


def _lines(group: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(display_width, column), default=0) for column in group]
    return [
        GAP.join(
            padded(column[level] if level < len(column) else "", wide)
            for column, wide in zip(group, widths, strict=True)
        ).rstrip()
        for level in reversed(range(max(map(len, group))))
    ]


def rows(named: Mapping[str, Sequence[str]], width: int) -> list[str]:
    """Return a line for each name with its items; long lines are continued below.

    >>> rows({"port0": ["car1", "car2"], "port10": []}, 80)
    ['port0  | car1  car2', 'port10 |']
    """
    margin = max(map(display_width, named), default=0)
    lines: list[str] = []
    for name, items in named.items():
        head = name
        for line in wrapped(items, width - margin - 3) or [""]:
            lines.append(f"{padded(head, margin)} | {line}".rstrip())
            head = ""
    return lines


def of_type(types: Mapping[str, str], *kinds: str) -> list[str]:
    """Return the things of some types, in the order of their names."""
    return sorted((name for name, type_ in types.items() if type_ in kinds), key=natural)


def are_all(things: Iterable[str], types: Mapping[str, str], *kinds: str) -> bool:
    """Return whether these are all things of some types, each once."""
    return sorted(things) == sorted(of_type(types, *kinds))


def places(
    names: Iterable[str],
    where: Mapping[str, str],
    load: Mapping[str, Collection[str]],
    width: int,
) -> list[str] | None:
    """Return a line for each place with what is there, and behind each thing what it carries.

    None where something is at no place, or at one that is not named.

    >>> places(["x", "y"], {"truck": "y", "box": "x"}, {"truck": ["bag"]}, 80)
    ['x | box', 'y | truck [bag]']
    """
    there: dict[str, list[str]] = {name: [] for name in sorted(names, key=natural)}
    if not there.keys() >= {*where.values()} or not where.keys() >= load.keys():
        return None
    for thing in sorted(where, key=lambda thing: (thing in load, natural(thing))):
        there[where[thing]].append(carrying(thing, load.get(thing, ())))
    return rows(there, width)


def carrying(thing: str, load: Iterable[str]) -> str:
    """Return a thing with what it carries, in brackets.

    >>> carrying("truck", ["b10", "b9"])
    'truck [b9] [b10]'
    """
    return " ".join((thing, *(f"[{item}]" for item in sorted(load, key=natural))))


def wrapped(items: Sequence[str], width: int) -> list[str]:
    """Return items side by side in lines of a width; a longer item has a line of its own."""
    lines: list[str] = []
    for item in items:
        if lines and display_width(lines[-1]) + len(GAP) + display_width(item) <= width:
            lines[-1] += GAP + item
        else:
            lines.append(item)
    return lines
