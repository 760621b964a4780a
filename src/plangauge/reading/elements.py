"""Lists in brackets: terms that are lists themselves, and elements that are no terms."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from plangauge.model import Action
from plangauge.reading.english import COPULAS, word_set
from plangauge.reading.mention import Mention, Style
from plangauge.reading.said import said
from plangauge.reading.vocabulary import Vocabulary

_NESTED = re.compile(
    r"(?<=[\[,])(\s*)\[(\s*[\"']?(?P<name>[\w-]+)[\"']?(?P<args>(?:\s*,\s*[\"']?[\w.-]+[\"']?){0,9})\s*)\]"
)
_ODD = re.compile(r"[^\w.-]")
_LIST = re.compile(r"\[[^\[\]]*\]")
_ELEMENT = re.compile(r"(?:[^,()\n]|\([^()\n]*\))+")
_PLAIN = re.compile(r"[\s(\"'`]*([^\W\d][\w-]*(?: \??[\w.-]+){0,4})[\s)\"'`]*")
_PROSE = COPULAS | word_set("not and or all the none etc other every each no any")


def with_terms(text: str, vocabulary: Vocabulary) -> str:
    """Return a text with ``["on", "a", "b"]`` in a list as a term of the same length.

    >>> with_terms('[["on", "a"], ["b"]]', Vocabulary({"on": 1}, "ab"))
    '[( on    a ), ["b"]]'
    """

    def term(found: re.Match[str]) -> str:
        operator = vocabulary.operator(found["name"])
        if operator is None or len(operator.types) != found["args"].count(","):
            return found[0]
        return f"{found[1]}({_ODD.sub(' ', found[2])})"

    return _NESTED.sub(term, text) if "[" in text else text


def strays(text: str, found: Sequence[Mention], vocabulary: Vocabulary) -> Iterator[Mention]:
    """Yield what lists in brackets hold beside terms: other elements, which count as unknown."""
    terms = sorted(m.start for m in found if m.style is not Style.SAID)
    for group in _LIST.finditer(text) if terms else ():
        if bisect_left(terms, group.end()) == bisect_left(terms, group.start()):
            continue
        for part in _ELEMENT.finditer(text, group.start() + 1, group.end() - 1):
            if bisect_left(terms, part.end()) == bisect_left(terms, part.start()):
                yield from _stray(text, *part.span(), vocabulary)


def _stray(text: str, start: int, end: int, vocabulary: Vocabulary) -> Iterator[Mention]:
    told = [m for m in said(text, start, end, vocabulary, item=True) if m.known and not m.guess]
    plain = _PLAIN.fullmatch(text, start, end)
    if told and (plain is None or told[0].style is not Style.SAID):
        yield from told
    elif plain and _PROSE.isdisjoint(words := plain[1].lower().split()):
        args = tuple(vocabulary.called(word) or word for word in words[1:])
        action = Action(words[0], args)
        yield Mention(action, start, end, Style.TERM, known=False, named=False)
