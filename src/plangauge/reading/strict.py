r"""The strict reading of sets: ``[(name arg …), …]`` and nothing else.

Only case and blanks are forgiven; names count as they are written. Where every term is known and
written as it is, that is the lenient reading as well, and found quickly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from plangauge.reading.result import Effects, Reading, Status
from plangauge.reading.vocabulary import Vocabulary

_TERM = r"\(\s*+[^\W\d][^\s()\[\],]*+(?:\s++[^\s()\[\],]++)*+\s*+\)"
_TERM = rf"(?:{_TERM}|\(\s*+=\s*+{_TERM}\s++[^\s()\[\],]++\s*+\))"  # of a function, a value
_LIST = rf"(\[\s*+(?:{_TERM}(?:\s*+,\s*+{_TERM})*+)?+\s*+\])"
_ONE = re.compile(rf"\s*+{_LIST}\s*+")
_TWO = re.compile(rf"\s*+{_LIST}\s*+,?+\s*+{_LIST}\s*+")
_SIGNS = re.compile(r"[^\x21-\x7e ]|[A-Z'\"`*?,()\[\]]")
"""What names may be written with, but are not where they need only be looked up."""
_GROUP = re.compile(r"\((\s*+=\s*+\([^()]*+\)[^()]*+|[^()]*+)\)")


def strict_terms(text: str) -> tuple[str, ...] | None:
    """Return the terms of ``[(name arg …), …]`` in their order; None where a text is not just that.

    >>> strict_terms("[(stack A b), (pick-up c)]"), strict_terms("(pick-up c)")
    (('(stack a b)', '(pick-up c)'), None)
    """
    return _written(text) if _ONE.fullmatch(text) else None


def read_strictly(text: str, vocabulary: Vocabulary, kind: str = "") -> Reading:
    """Return the set that a text is, or two where the ``kind`` is *effects*.

    Nothing where it is not just one list, or ``[…] […]``.

    >>> words = Vocabulary({"on": 2}, "ab")
    >>> read_strictly("[(ON a b),  (on a b)]", words).value
    ('(on a b)',)
    >>> read_strictly("[(on a b)] []", words, "effects").value
    Effects(positive=('(on a b)',), negative=())
    >>> read_strictly("(on a b)", words).status.value
    'no answer'
    """
    found = (_TWO if kind == "effects" else _ONE).fullmatch(text)
    if found is None:
        return Reading(None, Status.NO_ANSWER, how="not a strict list")
    lists = [_spelt(_written(part), vocabulary) for part in found.groups()]
    each = [tuple(dict.fromkeys(terms)) for terms in lists]
    return Reading(
        each[0] if len(each) == 1 else Effects(*each),
        Status.OK if any(each) else Status.EXPLICITLY_EMPTY,
        how="list" if len(each) == 1 else "two lists",
        used=((0, len(text)),),
        repeated=sum(map(len, lists)) - sum(map(len, each)),
    )


def read_exactly(text: str, vocabulary: Vocabulary, kind: str = "") -> Reading | None:
    """Return what `read_strictly` does where all terms fit and have plain names; else None.

    >>> words = Vocabulary({"on": 2, "clear": 1}, "ab")
    >>> read_exactly("[(on a b), (clear a)]", words).value
    ('(on a b)', '(clear a)')
    >>> read_exactly("[(on a c)]", words) is read_exactly("(on a b)", words) is None
    True
    """
    reading = read_strictly(text, vocabulary, kind)
    terms = (*reading.terms, *reading.effects.positive, *reading.effects.negative)
    plain = reading.answered and not _SIGNS.search("".join([term[1:-1] for term in terms]))
    return reading if plain and all(map(vocabulary.exact.__getitem__, terms)) else None


def _written(text: str) -> tuple[str, ...]:
    return tuple(f"({' '.join(group.lower().split())})" for group in _GROUP.findall(text))


def _spelt(terms: tuple[str, ...], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return terms with the capitals of names that have any."""
    capitals = vocabulary.once(_capitals, _capitals, vocabulary)
    if not capitals:
        return terms
    split = (term[1:-1].split(" ") for term in terms)
    return tuple(f"({' '.join(map(capitals.get, words, words))})" for words in split)


def _capitals(vocabulary: Vocabulary) -> Mapping[str, str]:
    names = (*vocabulary.actions, *vocabulary.objects)
    return {name.lower(): name for name in names if name != name.lower()}
