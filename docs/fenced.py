"""How the reference shows doctests: as blocks of code, which Markdown would take for quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

_DOCTEST = re.compile(r"^>>> .*\n(?:.+(?:\n|\Z))*", re.MULTILINE)


def fenced(text: str) -> str:
    """Return a docstring with each doctest in a fence."""
    return _DOCTEST.sub(lambda match: f"\n```pycon\n{match[0].rstrip()}\n```\n", text + "\n")


class FencedDoctests(griffe.Extension):
    """Puts the doctests of every docstring in fences."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
