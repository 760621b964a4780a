"""How the time of every reader grows with the length of a hostile text, as benchmarks/growth.py."""

from __future__ import annotations

from pathlib import Path
from random import Random

from benchmarks.growth import SHAPES, SIZES, confirmed, exponent, readers

from .tries import Attack, Try

_SIZES = SIZES[:-1]
_MOST_EXPONENT = 1.4
"""More than benchmarks/growth.py allows, as other programs run beside tests; 2 is quadratic."""


def attack(folder: Path) -> Attack:
    """Return the attack, which needs no folder."""
    del folder
    known = readers()
    for read in known.values():
        read("Stack a on b.")  # whatever is made only once

    def attempt(seed: int) -> Try:
        rng = Random(seed)
        reader, shape = rng.choice([*known]), rng.choice([*SHAPES])
        grown = exponent(confirmed(known[reader], SHAPES[shape], _SIZES, 1))
        wrong = f"on {shape}, exponent {grown:.2f}" if grown > _MOST_EXPONENT else ""
        how = f'python benchmarks/growth.py --reader "{reader}" --shape "{shape}"'
        return Try(reader, wrong, how)

    return attempt
