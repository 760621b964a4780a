"""Terms in JSON values: texts, ``[name, arg, …]``, objects with a name, and maps from names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plangauge.parse.actions import ARGUMENTS, NAMES
from plangauge.parse.claims import Claim, claims
from plangauge.parse.statements import StatementReader
from plangauge.parse.terms import Term
from plangauge.parse.tolerant_json import Array, Json, Number, Object, canonical
from plangauge.parse.vocabulary import Vocabulary
from plangauge.parse.wording import word_set

_NAMES = ("predicate", "fact", "proposition", "atom", *NAMES)
_REMARKS = word_set("reason reasoning thought thoughts explanation comment note description why")


@dataclass(frozen=True)
class JsonReader:
    """Reads the terms of JSON values."""

    statements: StatementReader

    def terms(self, value: Json) -> list[Term]:
        """Return the terms in a value, known or not.

        >>> from plangauge.parse.terms import TermReader
        >>> from plangauge.parse.tolerant_json import whole_json
        >>> from plangauge.parse.vocabulary import Vocabulary
        >>> words = Vocabulary({"on": 2, "clear": 1, "free": 0}, frozenset("ab"))
        >>> reader = JsonReader(StatementReader(TermReader(words)))
        >>> for text in ('[["on", "a", "b"], {"predicate": "clear", "args": ["a"]}]',
        ...     '{"on": [["a", "b"]], "clear": ["a", "b"], "free": true}'):
        ...     print([term.text for term in reader.terms(whole_json(text))])
        ['(on a b)', '(clear a)']
        ['(on a b)', '(clear a)', '(clear b)', '(free)']
        """
        return list(self._terms(value))

    def _terms(self, value: Json) -> Iterator[Term]:
        match value:
            case Object():
                yield from self._of_object(value)
            case Array():
                if (term := self._one_term(value)) is not None:
                    yield term
                    return
                for item in value:
                    yield from self._terms(item)
            case Number() | bool() | None:
                return
            case str():
                yield from self.statements.listed(value)

    def _one_term(self, items: Array) -> Term | None:
        """Return the term of ``["on", "a", "b"]``; None for a list of texts."""
        words = [item for item in items if isinstance(item, str)]
        if not items.closed or len(words) < len(items) or len(words) < 1 or "(" in words[0]:
            return None
        name, *args = words
        things = [self._vocabulary.called(arg) for arg in args]
        term = self.statements.terms.term(name, " ".join(args))
        if self._vocabulary.action(name) is not None:
            return term if term is not None and term.fits else None
        named = bool(args) and None not in things and self._vocabulary.called(name) is None
        return term if named else None

    def _of_object(self, value: Object) -> Iterator[Term]:
        name = value.get(*_NAMES)
        if isinstance(name, str) and not isinstance(name, Number):
            if value.closed:
                yield from self._named(name, value)
            return
        for key, inner in value:
            claim = claims([key.replace("_", " "), ""])[0]
            if claim not in (Claim.REFUSED, Claim.FALSE) and key.lower() not in _REMARKS:
                yield from self._member(key, inner)

    def _named(self, name: str, value: Object) -> Iterator[Term]:
        """Yield the term of ``{"predicate": "on", "args": ["a", "b"]}``, or those in a text."""
        given = value.get(*ARGUMENTS)
        if given is None:
            rest = (inner for key, inner in value if key not in (*_NAMES, *ARGUMENTS))
            given = Array(
                inner for inner in rest if isinstance(inner, str) and self._is_thing(inner)
            )
        args = _texts(given)
        if not args:
            yield from self.statements.listed(name)
        else:
            yield from self._spelt(name, args)

    def _member(self, key: str, value: Json) -> Iterator[Term]:
        name = self._vocabulary.action(key)
        if isinstance(value, bool):
            for term in self.statements.listed(key):
                yield term if value else term.claimed(Claim.FALSE)
        elif name is None:
            yield from self._terms(value)
        elif value is not None:
            for args in self._groups(value, self._vocabulary.actions[name]):
                yield from self._spelt(name, args)

    def _groups(self, value: Json, count: int) -> list[list[str]]:
        """Return the arguments of each of the terms that a name stands for."""
        if isinstance(value, Object) and all(self._is_thing(key) for key, _ in value):
            return [[key, *_texts(inner)] for key, inner in value]
        if not isinstance(value, Array):
            return [_texts(value)]
        if any(isinstance(item, Array | Object) for item in value):
            return [_texts(item) for item in value]
        if count != 1 and len(value) == count:
            return [_texts(value)]
        return [_texts(item) for item in value]

    def _spelt(self, name: str, args: list[str]) -> Iterator[Term]:
        term = self.statements.terms.term(name, " ".join(args))
        if term is not None:
            yield term

    def _is_thing(self, text: str) -> bool:
        return self._vocabulary.called(text) is not None

    @property
    def _vocabulary(self) -> Vocabulary:
        return self.statements.terms.vocabulary


def _texts(value: Json) -> list[str]:
    match value:
        case None:
            return []
        case Array():
            return [text for item in value for text in _texts(item)]
        case Object():
            return [text for _, item in value for text in _texts(item)]
        case str():
            return [value]
        case _:
            return [canonical(value)]
