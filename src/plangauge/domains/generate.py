"""What generators share: draws that are the same everywhere, and the text of a problem file.

Python promises only of ``random.Random.random`` that it gives the same numbers in every version,
so everything is drawn through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from random import Random
from textwrap import fill
from typing import TypeVar

from plangauge.core.model import Fact
from plangauge.pddl.quantities import text_of_number

T = TypeVar("T")

_WIDTH = 100


def source(*parts: object) -> Random:
    """Return the random source that belongs to these parts, such as a seed and a number.

    >>> source(7, "a").random() == source(7, "a").random() != source(7, "b").random()
    True
    """
    return Random("/".join(map(str, parts)))  # noqa: S311 - nothing here is a secret


def below(rng: Random, bound: int) -> int:
    """Return a whole number from 0 to ``bound`` - 1, each with the same probability."""
    return int(rng.random() * bound)


def one_of(rng: Random, items: Sequence[T]) -> T:
    """Return one of the items, each with the same probability; there must be some."""
    return items[below(rng, len(items))]


def shuffled(rng: Random, items: Iterable[T]) -> list[T]:
    """Return the items in an order that is drawn, every order with the same probability.

    >>> shuffled(Random(0), "abcde")
    ['c', 'a', 'b', 'd', 'e']
    """
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = below(rng, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def weighted(rng: Random, weights: Mapping[T, float]) -> T:
    """Return one of the keys, with a probability proportional to its weight."""
    mark = rng.random() * sum(weights.values())
    reached = zip(weights, accumulate(weights.values()), strict=True)
    return next((key for key, upper in reached if mark < upper), [*weights][-1])


def rounds(rng: Random, items: Sequence[T]) -> Iterator[T]:
    """Yield the items forever, all of them in a new order before any comes again."""
    while True:
        yield from shuffled(rng, items)


def apportion(weights: Mapping[T, int], count: int) -> list[T]:
    """Return ``count`` keys, each as often as its weight demands (largest remainders first).

    >>> apportion({"a": 3, "b": 1}, 6)
    ['a', 'a', 'a', 'a', 'a', 'b']
    """
    total = sum(weights.values())
    seats = {key: count * weight // total for key, weight in weights.items()}
    remainder = {key: count * weight % total for key, weight in weights.items()}
    left = count - sum(seats.values())
    for key in sorted(weights, key=lambda key: -remainder[key])[:left]:
        seats[key] += 1
    return [key for key, number in seats.items() for _ in range(number)]


def numbered(stem: str, count: int) -> list[str]:
    """Return names such as ``truck0, truck1``.

    >>> numbered("truck", 2)
    ['truck0', 'truck1']
    """
    return [f"{stem}{number}" for number in range(count)]


def deliveries(
    rng: Random, items: Iterable[str], places: Sequence[str]
) -> tuple[list[Fact], list[Fact]]:
    """Return where each item is at first, and its target, which is always another place."""
    init: list[Fact] = []
    goal: list[Fact] = []
    for item in items:
        start = one_of(rng, places)
        init.append(Fact("at", (item, start)))
        goal.append(Fact("at", (item, one_of(rng, [place for place in places if place != start]))))
    return init, goal


def value(function: str, *objects: str, number: int | Fraction) -> Fact:
    """Return that a function has a value, in the form of a problem file.

    >>> print(value("weight", "box", number=Fraction(5, 2)))
    (= (weight box) 2.5)
    """
    return Fact("=", (str(Fact(function, objects)), text_of_number(number)))


def timed(time: int, literal: str) -> Fact:
    """Return that something becomes true at a time, in the form of a problem file.

    >>> print(timed(30, "(not (open))"))
    (at 30 (not (open)))
    """
    return Fact("at", (str(time), literal))


def write_problem(
    domain: str,
    objects: Mapping[str, Sequence[str]],
    init: Iterable[Fact],
    goal: Iterable[Fact],
    metric: str = "",
) -> str:
    """Return the text of a problem file: objects by type, facts in the order given.

    A metric is written as in ``minimize (total-time)``. The problem is named after its domain and
    the number of its objects.
    """
    typed = [f"{' '.join(names)} - {type_}" for type_, names in objects.items() if names]
    size = sum(map(len, objects.values()))
    return "\n".join(
        (
            f"(define (problem {domain}-{size})",
            f"  (:domain {domain})",
            *_section("(:objects", typed, ")"),
            *_section("(:init", [str(fact) for fact in init], ")"),
            *_section("(:goal (and", [str(fact) for fact in goal], "))" if metric else ")))"),
            *([f"  (:metric {metric}))"] if metric else []),
            "",
        )
    )


def _section(opening: str, parts: Sequence[str], closing: str) -> list[str]:
    indent = " " * 4
    # Parts are kept whole: their blanks must not be where a line breaks.
    solid = " ".join(part.replace(" ", "\0") for part in parts) + closing
    lines = fill(
        solid,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"  {opening}", lines.replace("\0", " ")]
