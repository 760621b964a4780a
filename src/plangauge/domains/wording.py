"""Templates such as ``stack the {0} on top of the {1}``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_SLOT = re.compile(r"\{([0-9]{1,3})\}")
_WORD = re.compile(r"[^\W_]+")
_ARTICLES = frozenset(("the", "a", "an"))


class BadTemplate(ValueError):
    """A template has no words, or its placeholders are not ``{0}`` … ``{n}`` without a gap."""


@dataclass(frozen=True, slots=True)
class Template:
    """Words around placeholders; ``slots`` are the numbers of these, in their order."""

    text: str
    slots: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Template:
        """Return the template that a text describes; raise `BadTemplate` where it is none.

        >>> Template.of("put the {1} under the {0}").slots
        (1, 0)
        """
        return _template(text)

    def fill(self, phrases: Iterable[str]) -> str:
        """Return the text with the phrases in place of the placeholders they belong to.

        >>> Template.of("put {1} under {0}").fill(["{1}", "b"])
        'put b under {1}'
        """
        given = tuple(phrases)
        return _SLOT.sub(lambda slot: given[int(slot[1])], self.text)

    @property
    def arity(self) -> int:
        """The number of different placeholders."""
        return len(set(self.slots))


@lru_cache(maxsize=1024)  # the words of a domain come with each of its problems
def _template(text: str) -> Template:
    parts = _SLOT.split(text)
    slots = tuple(map(int, parts[1::2]))
    if any(sign in part for part in parts[::2] for sign in "{}"):
        raise BadTemplate(f"a brace that belongs to no placeholder such as {{0}}: {text!r}")
    if sorted(set(slots)) != list(range(len(set(slots)))):
        raise BadTemplate(f"the placeholders must be {{0}}, {{1}}, … without a gap: {text!r}")
    words = (word for part in parts[::2] for word in _WORD.findall(part.lower()))
    if _ARTICLES.issuperset(words):
        raise BadTemplate(f"a template without words: {text!r}")
    return Template(text, slots)
