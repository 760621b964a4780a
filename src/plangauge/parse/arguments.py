"""The objects that the words behind the name of an action call, in names or in phrases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from plangauge.parse.brackets import CONNECTIVES, KINDS
from plangauge.parse.vocabulary import Vocabulary

_MOST_PHRASE_WORDS = 4


class _Mention(NamedTuple):
    """An object, and where among the words it stands."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the words behind the name of an action say."""

    args: tuple[str, ...]
    following: str = ""
    """The word behind the last object, in lower case, where there are as many as there must be."""
    words: tuple[str, ...] = ()
    mentions: tuple[_Mention, ...] = ()

    @property
    def between(self) -> list[str]:
        """The words between the known objects."""
        pairs = pairwise(self.mentions)
        return [word for a, b in pairs for word in self.words[a.end : b.start]]

    def said(self, telling: Collection[str], phrases: Mapping[str, str]) -> str:
        """Return the known objects, in phrases or by name, and what is ``telling`` between them.

        >>> words = Vocabulary({}, frozenset("ab"), phrases={"red block": "b"})
        >>> arguments([["a", "right", "Under", "the", "red", "block"]], words, 2).said(
        ...     ["under"], {"a": "blue block"})
        'blue block under b'
        """
        parts: list[str] = []
        position = self.mentions[0].start if self.mentions else 0
        for mention in self.mentions:
            gap = map(str.lower, self.words[position : mention.start])
            parts += (word for word in gap if word in telling)
            parts.append(phrases.get(mention.name, mention.name))
            position = mention.end
        return " ".join(parts)


def arguments(
    parts: list[list[str]], vocabulary: Vocabulary, count: int, joined: int = 0
) -> Arguments:
    """Return the arguments in the parts of a line behind a name that should have so many.

    As few parts are read as there must be: for known objects, or else for as many other words as
    there should be arguments. Too many arguments are kept where there is nothing else, and where
    "and" has joined objects in the first so many parts: "stack a and b on c" names three.

    >>> words = Vocabulary({}, frozenset("ab"), phrases={"red block": "b"})
    >>> arguments([["a", "on", "the", "red", "block"], ["so", "it", "is", "done"]], words, 2).args
    ('a', 'b')
    >>> arguments([["a", "on", "the", "pile"]], words, 2).args
    ('a', 'pile')
    >>> arguments([["a"], ["b", "on", "the", "a"]], words, 2, 2).args
    ('a', 'b', 'a')
    """
    words: list[str] = []
    known: list[_Mention] = []
    others: list[str] = []
    for number, part in enumerate(parts, 1):
        words += part
        for loose in (False, True):
            known, named = _objects(words, vocabulary, loose=loose)
            if 0 <= count <= len(known):
                terse = len(parts[0]) == len(words) == len(known)
                kept = known if terse or 1 < number <= joined else known[:count]
                last = kept[-1].end if kept else 0
                following = "".join(words[last : last + 1]).lower()
                return Arguments(_names(kept), following, tuple(words), tuple(kept))
        if len(named) == count:
            return Arguments(tuple(named))
        others = others or named
    return Arguments(_names(known) if known else tuple(others), "", tuple(words), tuple(known))


def _names(mentions: list[_Mention]) -> tuple[str, ...]:
    return tuple([mention.name for mention in mentions])


def _objects(
    words: list[str], vocabulary: Vocabulary, *, loose: bool
) -> tuple[list[_Mention], list[str]]:
    """Return the known objects among the words, and all but connectives.

    An "a" before a noun is an article; if ``loose``, only before words such as "block".
    """
    known: list[_Mention] = []
    others: list[str] = []
    position = 0
    while position < len(words):
        start, word = position, words[position]
        name, position = _called(words, start, vocabulary, loose=loose)
        if name is not None:
            known.append(_Mention(name, start, position))
        if name is not None or word.lower() not in CONNECTIVES | KINDS:
            others.append(name or word)
    return known, others


def _called(
    words: list[str], start: int, vocabulary: Vocabulary, *, loose: bool
) -> tuple[str | None, int]:
    """Return the object that the words from a place on call, if any, and where to read on."""
    word, following = words[start], "".join(words[start + 1 : start + 2])
    name = vocabulary.object(word)
    article = word.lower() == "a"
    if name is not None and word == "a" and following:
        name = None if _is_article(following, vocabulary, loose=loose) else name
    if name is not None:
        return name, start + 1
    if following and (name := vocabulary.object(f"{word}-{following}")):
        return name, start + 2
    if vocabulary.phrases and not article:
        for end in range(min(len(words), start + _MOST_PHRASE_WORDS), start, -1):
            if name := vocabulary.called(" ".join(words[start:end])):
                return name, end
    return None, start + 1


def _is_article(following: str, vocabulary: Vocabulary, *, loose: bool) -> bool:
    low = following.lower()
    if loose:
        return low in KINDS
    return vocabulary.object(following) is None and low not in CONNECTIVES
