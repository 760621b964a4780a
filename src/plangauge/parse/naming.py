"""The objects in a sentence, by the phrases that name them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from plangauge.parse.wording import word_set

_TOKEN = re.compile(r"[^\W_]++(?:[-_.'’][^\W_]++)*+|[()\[\]{}.,;!?\n]")
_PIECE = re.compile(r"[^\W_]++|[()\[\]{}.,;!?\n]")
STOPS = frozenset("()[]{}.;!?\n")
ARTICLES = frozenset(("the", "a", "an"))
_SAME = {"onto": "on", "upon": "on", "atop": "on", "into": "in", "inside": "in", "is": "are"}
_SAME |= {"underneath": "under", "beneath": "under", "below": "under"}

LIGHT = word_set("are be it its of top now currently still also both to that this there")
FILLERS = word_set(
    "first second third then next now finally lastly after that afterwards and i we you it"
    " will should must can need to let us step action so also again"
)
NEGATIONS = word_set("not no never cannot without nor neither don doesn isn aren")
ASIDES = word_set("which that who since because as so and then where when while before after now ,")
_PLAIN = LIGHT | FILLERS | NEGATIONS | STOPS | ASIDES
_MOST_TOKENS = 64

Words: TypeAlias = tuple[str, ...]
Item: TypeAlias = "tuple[str, str | None]"
"""A word with None, or the words of a mention with the object they mean."""


@dataclass(frozen=True)
class Naming:
    """The phrases of objects, words such as "block", and ``literal`` words, which name no object.

    Without objects, any one word that is not literal names one.
    """

    objects: Mapping[str, str]
    """Object → phrase."""
    kinds: frozenset[str]
    """Words that may stand before an object."""
    literal: frozenset[str]

    @cached_property
    def light(self) -> frozenset[str]:
        """The words that a sentence may have or lack."""
        return LIGHT | self.kinds | self._shared

    def items(self, sentence: str) -> list[Item]:
        """Return the words and the mentions of objects of a sentence, without articles.

        An "a" that may be an object is an article only before a noun.

        >>> naming = Naming({"a": "a", "b": "b"}, frozenset(["block"]), frozenset(["stack", "on"]))
        >>> naming.items("stack a on a block b")
        [('stack', None), ('a', 'a'), ('on', None), ('block', None), ('b', 'b')]
        """
        if not self.objects:
            return list(self._open(islice(_TOKEN.finditer(sentence.lower()), _MOST_TOKENS)))
        words = pieces(sentence, _MOST_TOKENS)
        found: list[Item] = []
        position = 0
        while position < len(words):
            end, name = self._longest(words, position)
            if name is not None:
                found.append((" ".join(words[position:end]), name))
            elif self._is_foreign(words, position):
                found.append((words[position], "-".join(words[position : position + 2])))
                end += 1
            elif words[position] not in ARTICLES:
                found.append((words[position], None))
            position = end
        return found

    def _longest(self, words: Words, start: int) -> tuple[int, str | None]:
        """Return the end of the longest mention that starts at a place, and what it means."""
        best: tuple[int, str | None] = (start + 1, None)
        end = start + 1
        while end <= len(words) and (key := words[start:end]) in self._mentions:
            if (name := self._mentions[key]) is not None:
                best = end, name
            end += 1
        if best[0] == start + 1 and words[start] in ARTICLES and self._noun_at(words, start + 1):
            return start + 1, None
        return best

    def _noun_at(self, words: Words, position: int) -> bool:
        """Tell whether the word before this place is an article: a noun follows."""
        return words[position : position + 1] != () and (
            words[position] in self._nouns or self._is_foreign(words, position)
        )

    def _is_foreign(self, words: Words, position: int) -> bool:
        """Tell whether a word before "block" names a block that does not exist."""
        word, *following = words[position : position + 2]
        known = word in self.literal or word in self.light or word in ARTICLES or word in _PLAIN
        return self._shared.issuperset(following) and not (not following or known or word.isdigit())

    def _open(self, tokens: Iterable[re.Match[str]]) -> Iterator[Item]:
        """Yield the items of a sentence where any word may be an object."""
        for found in tokens:
            token = found[0]
            parts = pieces(token)
            if self.literal.issuperset(parts):
                yield from ((part, None) for part in parts)
            elif token in _PLAIN or token.isdigit():
                yield token, None
            elif token not in ARTICLES:
                yield token, token

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Phrases, and what is short for them, where they are other words than their object.

        >>> none = frozenset()
        >>> naming = Naming({"a": "red block", "b": "blue block", "c": "c"}, none, none)
        >>> dict(naming.names)
        {'red block': 'a', 'blue block': 'b', 'red': 'a', 'blue': 'b'}
        """
        own = {name for name, phrase in self.objects.items() if phrase != name}
        return {" ".join(words): name for words, name in self._mentions.items() if name in own}

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The words that several phrases share, such as "block" in "red block"."""
        phrases = (set(pieces(phrase)) for phrase in self.objects.values())
        counts = Counter(word for phrase in phrases for word in phrase)
        return frozenset(w for w, n in counts.items() if n > 1 and w.isalpha() and len(w) > 1)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The words behind an article: "block", and "red" where there is a red block."""
        phrases = (pieces(phrase) for phrase in self.objects.values())
        return self.kinds | self._shared | {words[0] for words in phrases if len(words) > 1}

    @cached_property
    def _mentions(self) -> dict[Words, str | None]:
        """Words → object; None where they could mean several, and for what only begins them."""
        whole = [(pieces(phrase), name) for name, phrase in self.objects.items()]
        short = [(tuple(w for w in p if w not in self._shared), name) for p, name in whole]
        short += [(p[-1:], name) for p, name in whole if p[-1:] and p[-1] not in self._shared]
        table = _index(whole)
        for words, name in _index(short).items():
            if not all(word.isdigit() for word in words):
                table.setdefault(words, name)
        for words in list(table):
            for end in range(1, len(words)):
                table.setdefault(words[:end], None)
        return table


def pieces(text: str, most: int | None = None) -> Words:
    """Return the words of a text in lower case, those that mean the same alike, and the stops.

    >>> pieces("Put it onto B-1.")
    ('put', 'it', 'on', 'b', '1', '.')
    """
    found = (piece[0] for piece in islice(_PIECE.finditer(text.lower()), most))
    return tuple(_SAME.get(word, word) for word in found)


def _index(names: Iterable[tuple[Words, str]]) -> dict[Words, str | None]:
    """Return a dictionary in which what could mean two names means None."""
    table: dict[Words, str | None] = {}
    for words, name in names:
        table[words] = name if table.get(words, name) == name else None
    table.pop((), None)
    return table
