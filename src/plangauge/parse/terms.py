"""Ground terms, actions or facts, as they are spelt: ``(on a b)``, ``on(a, b)``, ``on a b``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from plangauge.parse.claims import Claim
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import ASIDES, LINKS, UNREAL, word_set

V = TypeVar("V")

_NAME = re.compile(r"[^\W\d][^\s()\[\],]*+")
_PIECE = re.compile(r"[^\W_]+")
_NOT = word_set("not ¬ ~ !")
_LONGEST = 400
_MOST_KEPT = 500
_MOST_NAME_WORDS = 3
_STRIPPED = "'\"`*"
_SIGNS = re.compile(r"[^\x21-\x7e ]|[A-Z'\"`*?,()\[\]]")
"""What a name may be written with, but is not if it is only to be looked up."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term as ``(name arg …)``; ``known`` where its name is, ``fits`` where all of it is.

    ``claim`` says whether it is meant, false, or only mentioned.
    """

    text: str
    known: bool
    fits: bool
    claim: Claim = Claim.MEANT

    def claimed(self, claim: Claim) -> Term:
        """Return the term of which that is said; what is false in itself stays so."""
        return (
            self if claim is self.claim or self.claim is Claim.FALSE else replace(self, claim=claim)
        )

    @property
    def is_aside(self) -> bool:
        """Whether it has words of a remark, or a variable."""
        return "?" in self.text or not ASIDES.isdisjoint(self.text[1:-1].split())


@dataclass(frozen=True)
class TermReader:
    """Spells terms over a vocabulary, whose "actions" may as well be predicates."""

    vocabulary: Vocabulary
    _kept: dict[str, Term | None] = field(default_factory=dict, compare=False, repr=False)
    _texts: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def _exact(self) -> tuple[Mapping[str, int], frozenset[str]]:
        """Names with their arity, and objects: those that mean themselves as they are written.

        There are none of either where some name has signs that reading would alter.
        """
        actions, objects = self.vocabulary.actions, self.vocabulary.objects
        if _SIGNS.search(" ".join((*actions, *objects))):
            return {}, frozenset()
        named = {name: count for name, count in actions.items() if _NAME.fullmatch(name)}
        return named, objects

    def exact(self, inners: list[str]) -> list[str] | None:
        """Return the terms of texts like ``on a b``; None where one is not exactly a known term.

        >>> reader = TermReader(Vocabulary({"on": 2, "clear": 1}, frozenset("ab")))
        >>> reader.exact(["on  a b", "clear a"]), reader.exact(["on a b", "clear A"])
        (['(on a b)', '(clear a)'], None)
        """
        texts = self._texts
        try:
            return [texts[inner] for inner in inners]
        except KeyError:
            found = [self._exactly(inner) for inner in inners]
            return None if None in found else [text for text in found if text is not None]

    def _exactly(self, inner: str) -> str | None:
        text = self._texts.get(inner)
        if text is None:
            named, objects = self._exact
            name, *args = inner.split() or ("",)
            known = named.get(name) == len(args) and objects.issuperset(args)
            if not known or len(inner) > _LONGEST:
                return None
            text = f"({' '.join((name, *args))})"
            _keep(self._texts, inner, text)
        return text

    def terms(self, inners: list[str]) -> list[Term | None]:
        """Return the terms of texts like ``on a b``, None for each that is none.

        >>> reader = TermReader(Vocabulary({"on": 2}, frozenset("ab")))
        >>> [term and term.text for term in reader.terms(["ON a, b", "1"])]
        ['(on a b)', None]
        """
        kept = self._kept
        try:
            return [kept[inner] for inner in inners]
        except KeyError:
            return [self.term("", inner) for inner in inners]

    def term(self, name: str, inner: str) -> Term | None:
        """Return the term of ``name(inner)`` or ``(inner)``, None where it is none.

        >>> reader = TermReader(Vocabulary({"on-table": 1}, frozenset("a")))
        >>> term = reader.term("", "not on table a")
        >>> term.text, term.fits, term.claim.name
        ('(on-table a)', True, 'FALSE')
        """
        key = f"{name}({inner}" if name else inner
        try:
            return self._kept[key]
        except KeyError:
            pass
        if len(inner) > _LONGEST:
            return None
        exact = None if name else self._exactly(inner)
        term = Term(exact, known=True, fits=True) if exact else self._spelt(name, inner)
        _keep(self._kept, key, term)
        return term

    def _spelt(self, name: str, inner: str) -> Term | None:
        words = [name] if name else []
        words += _split(inner)
        if not words:
            return None
        term, plain = self._written(words)
        if not plain and self._is_familiar(words):
            told = self._stated(words)
            if told is not None:
                return told
        if (term is None or not term.known) and words[0].lower() in _NOT and len(words) > 1:
            term = self._spelt("", " ".join(words[1:]))
            return term and term.claimed(Claim.FALSE)
        return term

    def told(self, text: str) -> Term | None:
        """Return what a sentence in words of the domain's own says, be there others among them.

        A name with nothing but objects behind it is no sentence.

        >>> TermReader(Vocabulary({"on": 2}, frozenset("ab"))).told("a is on b") is None
        True
        """
        words = _split(text)
        return self._stated(words) if words and not self._written(words)[1] else None

    def _stated(self, words: list[str]) -> Term | None:
        """Return what words say, unless they say that it was so or may be so."""
        sentences = self.vocabulary.sentences
        if sentences is None or not UNREAL.isdisjoint(map(str.lower, words)):
            return None
        told = sentences(" ".join(words))
        known = len(told) == 1 and self.vocabulary.is_known(told[0])
        return Term(str(told[0]), known=True, fits=True) if known else None

    def _is_familiar(self, words: list[str]) -> bool:
        """Tell whether words may be a sentence: no unknown ones, each kind before its objects."""
        if self.vocabulary.sentences is None:
            return False
        for word, following in zip(words, [*words[1:], ""], strict=True):
            low = word.lower()
            if low in self.vocabulary.kinds and following and low not in self._own:
                thing = self._object(following)
                if thing is None or not self.vocabulary.is_of(thing, low):
                    return False
            elif self._object(word) is None and not self._own.issuperset(_PIECE.findall(low)):
                return False
        return True

    @cached_property
    def _own(self) -> frozenset[str]:
        """The words that sentences may have besides those for objects and their kinds."""
        names = frozenset(_PIECE.findall(" ".join(self.vocabulary.actions).lower()))
        return (names | self.vocabulary.words | LINKS) - self.vocabulary.kinds

    def _written(self, words: list[str]) -> tuple[Term | None, bool]:
        """Return the term of a name and its arguments, and whether there are no other words.

        Of the names that the words may begin with, the one counts with which the term fits.
        """
        if not _NAME.fullmatch(words[0]):
            return None, False
        first: tuple[Term, bool] | None = None
        kinds = self.vocabulary.kinds
        most = _MOST_NAME_WORDS if self.vocabulary.may_begin(words[0]) else 0
        for count in range(1, min(most, len(words)) + 1):
            head = self.vocabulary.action("-".join(words[:count]))
            if head is not None:
                found = self._filled(head, words[count:])
                if found[0].fits:
                    return found
                first = first or found
        if first is not None:
            return first
        plain = all(self._object(w) is not None or w.lower() in kinds for w in words[1:])
        return Term(f"({' '.join(words).lower()})", known=False, fits=False), plain

    def _filled(self, head: str, args: list[str]) -> tuple[Term, bool]:
        count = self.vocabulary.actions[head]
        objects = [self._object(arg) for arg in args]
        kept = [known for known in objects if known is not None]
        linked = len(kept) == count != len(args) and self._only_links(args, objects)
        plain = len(kept) == len(args)
        if linked:
            args, objects = kept, list(kept)
        spelt = [known or arg.lower() for arg, known in zip(args, objects, strict=True)]
        fits = None not in objects and len(args) == count
        return Term(f"({' '.join((head, *spelt))})", known=True, fits=fits), plain

    def _object(self, word: str) -> str | None:
        """Return the object that a word names, with or without its kind: ``block_a``."""
        known = self.vocabulary.called(word)
        if known is None and self.vocabulary.kinds:
            for sign in "_-":
                kind, _, name = word.partition(sign)
                named = self.vocabulary.object(name) if name else None
                if named is not None and self.vocabulary.is_of(named, kind):
                    known = known or named
        return known

    def _only_links(self, args: list[str], objects: list[str | None]) -> bool:
        """Tell whether the words that are no objects only introduce them: "the block", "from"."""
        following = [*objects[1:], None]
        return all(
            known is not None
            or arg.lower() in LINKS
            or (thing is not None and self.vocabulary.is_of(thing, arg))
            for arg, known, thing in zip(args, objects, following, strict=True)
        )


def _split(text: str) -> list[str]:
    return [word for part in text.replace(",", " ").split() if (word := part.strip(_STRIPPED))]


def _keep(table: dict[str, V], key: str, value: V) -> None:
    """Remember a value; when there are too many, all are forgotten."""
    if len(table) >= _MOST_KEPT:
        table.clear()
    table[key] = value
