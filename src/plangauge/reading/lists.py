"""Lists of actions in one line, ``[(stack a b), wait]``: all that stands in them is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plangauge.model import Action
from plangauge.reading.english import FUNCTION_WORDS, PARTICLES
from plangauge.reading.mention import Mention, Style
from plangauge.reading.names import Unit
from plangauge.reading.said import said
from plangauge.reading.terms import written
from plangauge.reading.vocabulary import Vocabulary

_BRACKETS = re.compile(r"[\[\](){}]|[,;→]|(?<=\))\s+(?=\()")
_CLOSING = {"]": "[", ")": "(", "}": "{"}
_EDGES = " \t\n'\"`*_|"
_NUMBER = re.compile(
    r"(?:step\s*)?\(?\d{1,4}[.):]\)?\s+|(?:and|then|finally|next)\s+", re.IGNORECASE
)
_NAME = re.compile(r"[^\W\d][\w-]*\Z")
_MOST_WORDS = 4
_ENDS_ITEM = frozenset("(–—-;#/")


@dataclass(frozen=True, slots=True)
class Listed:
    """The actions of a list, and where it stands."""

    mentions: tuple[Mention, ...]
    start: int
    end: int


def lists_in(text: str, stop: int, vocabulary: Vocabulary) -> Iterator[Listed]:
    """Yield the lists of a line in which some action is known.

    >>> words = Vocabulary({"stack": 2}, "ab")
    >>> found = next(lists_in("So [(stack a b), wait, (fly x)].", 32, words))
    >>> [str(mention.action) for mention in found.mentions]
    ['(stack a b)', '(wait)', '(fly x)']
    """
    for start, end in _spans(text, stop):
        mentions = [*_mentions(text, start + 1, end - 1, vocabulary)]
        told = any(m.named and (m.action.args or not vocabulary.is_open) for m in mentions)
        if told and (not vocabulary.is_open or len(mentions) > 1 or "(" in text[start:end]):
            yield Listed(tuple(mentions), start, end)


def chain_in(text: str, start: int, stop: int, vocabulary: Vocabulary) -> tuple[Mention, ...]:
    """Return the actions of a part of a line that is nothing but actions, some of them unknown.

    >>> words = Vocabulary({"stack": 2, "lift": 1}, "ab")
    >>> [str(m.action) for m in chain_in("lift a, fly b, stack a b.", 0, 24, words)]
    ['(lift a)', '(fly b)', '(stack a b)']
    """
    mentions = [*_mentions(text, start, stop, vocabulary)]
    named = [m for m in mentions if m.named]
    strange = [m for m in mentions if not m.named]
    facts = any(vocabulary.swapped.operator(m.action.name) for m in strange)
    plain = all(m.style is not Style.SAID and m.known for m in named)
    plain = plain and all(vocabulary.called(arg) for m in strange for arg in m.action.args)
    return tuple(mentions) if named and plain and not facts else ()


def _spans(text: str, stop: int) -> Iterator[tuple[int, int]]:
    """Yield where the outermost square brackets stand."""
    depth, start = 0, 0
    for found in re.finditer(r"[\[\]]", text[:stop]):
        if found[0] == "[":
            start = start if depth else found.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth and not re.search(r"\w\Z", text[max(0, start - 1) : start]):
                yield start, found.end()


def _parts(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return where the parts between the outermost commas and arrows stand."""
    out: list[tuple[int, int]] = []
    open_: list[str] = []
    at = start
    for found in _BRACKETS.finditer(text, start, stop):
        sign = found[0]
        if sign in "[({":
            open_.append(sign)
        elif sign in _CLOSING:
            if open_ and open_[-1] == _CLOSING[sign]:
                open_.pop()
        elif not open_:
            out.append((at, found.start()))
            at = found.end()
    return [*out, (at, stop)]


def _mentions(text: str, start: int, stop: int, vocabulary: Vocabulary) -> Iterator[Mention]:
    """Yield the actions of a list; nothing more where a part is no action."""
    found: list[Mention] = []
    for part in _parts(text, start, stop):
        a, b = _stripped(text, *part)
        if a >= b:
            continue
        inner = text[a] == "[" and text[b - 1] == "]"
        if (
            inner
            and any(m.named for m in _mentions(text, a + 1, b - 1, vocabulary))
            and "(" in text[a:b]
        ):
            found += _mentions(text, a + 1, b - 1, vocabulary)
            continue
        own = _part(text, a, b, vocabulary)
        if not own:
            return
        found += own
    yield from found


def _stripped(text: str, a: int, b: int) -> tuple[int, int]:
    """Return a part without blanks, quotes and numbers around it."""
    while a < b and text[b - 1] in _EDGES + ".":
        b -= 1
    while a < b:
        number = _NUMBER.match(text, a, b)
        if number is not None:
            a = number.end()
        elif text[a] in _EDGES:
            a += 1
        else:
            break
    return a, b


def _part(text: str, a: int, b: int, vocabulary: Vocabulary) -> Sequence[Mention]:
    terms = [*written(text, a, b, vocabulary)] if text.count("(", a, b) < 2 else []
    whole = len(terms) == 1 and terms[0].named and terms[0].start - a < 3 and terms[0].end == b
    if whole and not (text[a] == "(" and _is_literal(text[a + 1 : b - 1], terms[0], vocabulary)):
        return terms
    closed = (text[a], text[b - 1]) in (("(", ")"), ("[", "]"))
    inner = text[a + 1 : b - 1] if closed else text[a:b]
    words = inner.replace(",", " ").split() if closed else inner.split()
    if not words or "?" in inner:
        return []
    if not closed:
        told = said(text, a, b, vocabulary, item=True)
        alone = len(told) == 1 or "(" not in text[a:b]
        if told and alone and not text[a : told[0].start].strip():
            return told if all(m.known and not m.guess for m in told) else []
        call = [*written(text, a, b, vocabulary, listed=True)]
        if len(call) == 1 and (call[0].start, call[0].end) == (a, b):
            return call
        if not _is_name(words):
            return []
    known = words[0] if vocabulary.is_open else vocabulary.action(words[0])
    args = tuple(vocabulary.called(word) or word.lower() for word in words[1:])
    action = Action(known or words[0].lower(), args)
    return [
        Mention(
            action,
            a,
            b,
            Style.TERM,
            known is not None and (vocabulary.is_open or vocabulary.fits(action)),
            known is not None,
        )
    ]


def _is_literal(inner: str, term: Mention, vocabulary: Vocabulary) -> bool:
    """Tell a term to be taken as it is written from one that is in words."""
    words = re.split(r"[\s,]+", inner.strip())
    for size in (4, 3, 2, 1):
        if vocabulary.action(" ".join(words[:size])) is not None:
            rest = words[size:]
            return len(rest) != len(term.action.args) and all(w in vocabulary.objects for w in rest)
    return FUNCTION_WORDS.isdisjoint(word for word in words if len(word) > 1)


def _is_name(words: Sequence[str]) -> bool:
    """Tell ``fly a`` and ``wait`` from a remark."""
    low = [word.lower() for word in words]
    plain = _NAME.match(words[0]) is not None and len(words) <= _MOST_WORDS
    return (
        plain
        and low[0] not in FUNCTION_WORDS
        and FUNCTION_WORDS.isdisjoint(w for w in low[1:] if len(w) > 1)
    )


def without_lists(found: Sequence[Mention], lists: Sequence[Listed]) -> list[Listed]:
    """Return lists and the terms that stand in none, in order."""
    alone = [
        Listed((m,), m.start, m.end)
        for m in found
        if not any(own.start <= m.start < own.end for own in lists)
    ]
    return sorted([*alone, *lists], key=lambda each: each.start)


def open_item(units: list[Unit]) -> list[Unit]:
    """Return the name and the arguments of an item about an unknown domain; none for a sentence."""
    n = next((n for n, unit in enumerate(units) if not unit.text[0].isalnum()), len(units))
    own = units[:n]
    if n < len(units) and units[n].text not in _ENDS_ITEM:
        return []
    plain = (FUNCTION_WORDS - PARTICLES).isdisjoint(u.text for u in own if len(u.text) > 1)
    return own if plain and 1 < len(own) <= 6 and not own[0].text[0].isdigit() else []
