"""Reading what was said word for word: the exact inverse of saying a fact or an action."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

from plangauge.parse.naming import ARTICLES
from plangauge.parse.phrases import Match, Template
from plangauge.parse.wording import MARK

_SLOT = re.compile(r"\{([0-9]{1,3})\}")
_TOKEN = re.compile(r"\w+(?:['-]\w+)*+|[^\w\s]")
_QUOTES = frozenset("*`'\"“”‘’")
_ENDS = frozenset(".,;:!")
_LAST = frozenset(("please", "now", "next", "then")) | _ENDS
_REMARKS = frozenset(("so", "because", "since", "which", "(", ";", "."))
_MOST_TOKENS = 64
_LONGEST = 10_000
_MOST_OPENINGS = 6
_OPENING = re.compile(
    r"[\s*`'\"“”‘’_>-]*+(?:"
    r"(?:instruction|action|command)\s*+:"
    r"|(?:now|next|first|second|third|then|finally|lastly|afterwards?|please|also|again|and|so"
    r"|after (?:that|this)|(?:i|we)(?: will|'ll|’ll)|let (?:me|us)|let['’]s"
    r"|(?:once|when) (?:you are|you['’]re|i am|i['’]m|that is|this is) (?:done|finished|ready)"
    r"|(?:the|my|your) (?:next|first|second|third|last|final) (?:step|action|move|instruction) is"
    r"(?: to)?+"
    r")(?![\w'’-])[:,]?+)\s*+",
    re.IGNORECASE,
)

Tokens: TypeAlias = tuple[str, ...]
Pattern: TypeAlias = "tuple[str | int, ...]"
"""Words, and the numbers of slots."""


@dataclass(frozen=True)
class Literal:
    """Reads sentences that are a template, filled with the phrases of objects, and nothing else.

    Only case, blanks, numbering, markdown and the stop at the end are forgiven; so whatever can be
    said can be read, even where names contain words that mean something to a more tolerant reader.
    """

    templates: Mapping[str, Template]
    objects: Mapping[str, str]
    articles: bool = True
    """Whether articles count; where not, neither do a remark or "please" at the end."""

    def matches(self, sentence: str) -> list[Match]:
        """Return what a sentence says, alphabetically; several where they are said alike.

        >>> reader = Literal({"not-at": Template.of("not-at {0} {1}")}, {"a": "a", "the": "the"})
        >>> reader.matches("1. **Not-at the a.**")
        [Match(name='not-at', args=('the', 'a'), cost=0, odd=False)]
        >>> reader.matches("not-at the the a"), reader.matches("a is not-at the")
        ([], [])
        """
        if len(sentence) > _LONGEST:
            return []
        mark = MARK.match(sentence)
        for text in dict.fromkeys((sentence[mark.end() if mark else 0 :], sentence)):
            tokens = self._tokens(text)
            if len(tokens) <= _MOST_TOKENS and (found := [*self._found(tokens)]):
                return sorted(found, key=lambda match: (match.name, match.args))
        return []

    def _found(self, tokens: Tokens) -> Iterator[Match]:
        for name, pattern in self._patterns.get(tokens[:1], ()) + self._patterns.get((), ()):
            for args in self._filled(pattern, tokens):
                yield Match(name, tuple(args[slot] for slot in sorted(args)), 0)

    def _filled(self, pattern: Pattern, tokens: Tokens) -> Iterator[Mapping[int, str]]:
        """Yield the objects by slot, for each way in which a pattern can give these words."""
        waiting: list[tuple[int, int, dict[int, str]]] = [(0, 0, {})]
        while waiting:
            place, position, args = waiting.pop()
            if place == len(pattern):
                if position == len(tokens) or self._ends(tokens[position : position + 2]):
                    yield args
                continue
            part = pattern[place]
            if isinstance(part, str):
                if tokens[position : position + 1] == (part,):
                    waiting.append((place + 1, position + 1, args))
                continue
            for end in (position + length for length in self._lengths):
                named = self._phrases.get(tokens[position:end]) if end <= len(tokens) else None
                if named is not None and args.get(part, named) == named:
                    waiting.append((place + 1, end, {**args, part: named}))

    def _ends(self, rest: Tokens) -> bool:
        """Return whether a remark begins here, so that nothing is left to be read."""
        word = rest[-1] if rest[0] == "," else rest[0]
        return not self.articles and word in _REMARKS

    @cached_property
    def _patterns(self) -> Mapping[Tokens, tuple[tuple[str, Pattern], ...]]:
        """First word → names and patterns that begin with it; no word → those with a slot."""
        found: dict[Tokens, tuple[tuple[str, Pattern], ...]] = {}
        for name, template in self.templates.items():
            parts = _SLOT.split(template.text)
            pattern: list[str | int] = []
            for index, part in enumerate(parts):
                pattern += [int(part)] if index % 2 else self._tokens(part, ends=True)
            while pattern and pattern[-1] in _ENDS:
                pattern.pop()
            if not pattern:  # it consists of articles
                continue
            first = pattern[0]
            key = (first,) if isinstance(first, str) else ()
            found[key] = (*found.get(key, ()), (name, tuple(pattern)))
        return found

    @cached_property
    def _phrases(self) -> Mapping[Tokens, str | None]:
        """Words → object; None where two objects are called by them."""
        found: dict[Tokens, str | None] = {}
        for name, phrase in self.objects.items():
            tokens = self._tokens(phrase, ends=True)
            found[tokens] = None if tokens in found else name
        found.pop((), None)
        return found

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(tokens) for tokens in self._phrases}))

    def _tokens(self, text: str, *, ends: bool = False) -> Tokens:
        """Return words and signs in lower case, without quotes, and without stops at the end."""
        found = [t for t in _raw(text) if self.articles or t not in ARTICLES]
        last = _ENDS if self.articles else _LAST
        while not ends and found and found[-1] in last:
            found.pop()
        return tuple(found)


@lru_cache(maxsize=64)  # the same sentence is read with and without articles
def _raw(text: str) -> Tokens:
    return tuple([token for token in _TOKEN.findall(text.lower()) if token not in _QUOTES])


def without_opening(sentence: str) -> Iterator[str]:
    """Yield a sentence without the first words that only introduce a command, one by one.

    >>> list(without_opening("Now, once you are done, please lift a."))
    ['once you are done, please lift a.', 'please lift a.', 'lift a.']
    >>> list(without_opening("The next step is to lift a.")), list(without_opening("next-to a"))
    (['lift a.'], [])
    """
    position = 0
    for _ in range(_MOST_OPENINGS):
        found = _OPENING.match(sentence, position)
        if found is None:
            break
        position = found.end()
        yield sentence[position:]
