"""States as text, where the domain has a drawing."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from plangauge.domains.base import DOMAINS, Domain
from plangauge.model import Fact
from plangauge.worlds.base import World

_SAME = {"handempty": "armempty"}
"""Names without hyphens → what else is called so."""

_Shape = frozenset[tuple[str, int]]


def draw(world: World[Any], facts: Collection[Fact], width: int = 80) -> str | None:
    """Return a drawing of a state; None where there is none for such a world.

    A world is drawn as the domain whose predicates it has, whatever its own name is; hyphens,
    underscores and case do not matter, and the arm may be a hand. Every thing is in the drawing
    once. No line is wider than asked for, unless a single name is. None as well for facts that are
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
    arities = {name: len(types) for name, types in world.predicates.items()}
    domain = _domain(_shape(arities))
    if domain is None or domain.drawing is None:
        return None
    names = {_plain(name): name for name in domain.declarations.predicates}
    known = [Fact(names[_plain(fact.predicate)], fact.args) for fact in facts]
    lines = domain.drawing(known, world.objects, width)
    return None if lines is None else "\n".join(lines)


@lru_cache(maxsize=64)
def _domain(shape: _Shape) -> Domain | None:
    """Return the domain with such predicates, among those that have a drawing."""
    for domain in DOMAINS.values():
        if domain.drawing is not None:
            declared = domain.declarations.predicates
            if _shape({name: len(types) for name, types in declared.items()}) == shape:
                return domain
    return None


def _shape(arities: dict[str, int]) -> _Shape:
    return frozenset((_plain(name), arity) for name, arity in arities.items())


def _plain(predicate: str) -> str:
    plain = predicate.lower().replace("-", "").replace("_", "")
    return _SAME.get(plain, plain)
