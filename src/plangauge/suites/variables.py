"""Names for the arguments of actions and facts, as prompts list them."""

from __future__ import annotations

import re
from collections.abc import Sequence


def variables(types: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each argument, numbered where types repeat.

    >>> variables(("crate", "place", "place"))
    ('?crate', '?place1', '?place2')
    """
    names: list[str] = []
    for index, type_ in enumerate(types):
        number = types[: index + 1].count(type_) if types.count(type_) > 1 else ""
        names.append(f"?{re.sub(r'[^a-z0-9_-]+', '-', type_)}{number}")
    return tuple(names)
