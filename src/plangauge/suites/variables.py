"""Names for the arguments of actions and facts, as prompts list them."""

from __future__ import annotations

import re
from collections.abc import Sequence


def variables(types: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each argument, numbered where types repeat.

    >>> variables(("crate", "place", "place"))
    ('?crate', '?place1', '?place2')
    >>> variables(("(either package truck)",))
    ('?package-or-truck',)
    """
    called = [*map(_called, types)]
    names: list[str] = []
    for index, name in enumerate(called):
        number = called[: index + 1].count(name) if called.count(name) > 1 else ""
        names.append(f"?{name}{number}")
    return tuple(names)


def _called(type_: str) -> str:
    """Return a type, or several as in ``(either a b)``, as one word."""
    words = type_.strip("()").split()
    among = words[1:] if len(words) > 1 else words
    return re.sub(r"[^a-z0-9_-]+", "-", "-or-".join(among))
