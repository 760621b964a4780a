"""Attacks on the whole program: what they try must end in an error that says why, or rightly.

    python -m tests.attack --minutes 20 --seed 0          every attack, for an equal time
    python -m tests.attack --only kills --minutes 5       one of them
    python -m tests.attack --only damage --seed 1234 --tries 1     one try again

What is promised, and the counts of a long run, are in docs/reliability.md.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
if str(TESTS) not in sys.path:  # pytest has done so
    sys.path.insert(0, str(TESTS))


def _of(name: str) -> Callable[[Path], Any]:
    return lambda folder: import_module(f"{__name__}.{name}").attack(folder)


ATTACKS: dict[str, Callable[[Path], Any]] = {
    name: _of(name) for name in ("damage", "kills", "full_disk", "growth", "plans")
}
"""Each makes an attack, of `tries`, that works in a folder."""
