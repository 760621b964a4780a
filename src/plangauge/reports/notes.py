"""What is said below a table: each thing once, with the rows that it is about."""

from __future__ import annotations

from collections.abc import Iterable

_NAMED = 3


def gathered(told: Iterable[tuple[str, str]], rows: Iterable[str] = ()) -> list[str]:
    """Return texts each once, after what they are about, from pairs of both.

    At most three things are named; those after them are counted, or *all rows* are said where they
    are all of the ``rows``.

    >>> gathered([("a", "few"), ("b", "few"), ("a", "one")])
    ['a; b: few', 'a: one']
    >>> gathered([(name, "few") for name in "abcde"], "abcdef")
    ['a; b; c and 2 more: few']
    """
    everything = {*rows}
    about: dict[str, dict[str, None]] = {}
    for name, text in told:
        about.setdefault(text, {})[name] = None
    found = []
    for text, names in about.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        named = "; ".join([*names][:_NAMED]) + more
        if more and everything and everything <= {*names}:
            named = "all rows"
        found.append(f"{named}: {text}")
    return found
