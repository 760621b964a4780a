r"""The strict reading of sets: ``[(name arg …), …]`` and nothing else.

Only case and blanks are forgiven; names count as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from plangauge.reading.result import Effects, Reading, Status
from plangauge.reading.vocabulary import Vocabulary

_TERM = r"\(\s*+[^\W\d][^\s()\[\],]*+(?:\s++[^\s()\[\],]++)*+\s*+\)"
_LIST = rf"\[\s*+(?:{_TERM}(?:\s*+,\s*+{_TERM})*+)?+\s*+\]"
_ONE = re.compile(rf"\s*+{_LIST}\s*+")
_TWO = re.compile(rf"\s*+({_LIST})\s*+,?+\s*+({_LIST})\s*+")
_GROUP = re.compile(r"\(([^()]*+)\)")
_SILENCE = Reading(None, Status.NO_ANSWER, how="not a strict list")


def strict_terms(text: str) -> tuple[str, ...] | None:
    """Return the terms of ``[(name arg …), …]`` in their order; None where a text is not just that.

    >>> strict_terms("[(stack A b), (pick-up c)]"), strict_terms("(pick-up c)")
    (('(stack a b)', '(pick-up c)'), None)
    """
    return _written(text) if _ONE.fullmatch(text) else None


def read_strictly(text: str, vocabulary: Vocabulary) -> Reading:
    """Return the set that a text is; nothing where it is not just one list.

    >>> words = Vocabulary({"on": 2}, "ab")
    >>> read_strictly("[(ON a b),  (on a b)]", words).value
    ('(on a b)',)
    >>> read_strictly("(on a b)", words).status.value
    'no answer'
    """
    terms = strict_terms(text)
    if terms is None:
        return _SILENCE
    spelt = _spelt(terms, vocabulary)
    each = tuple(dict.fromkeys(spelt))
    status = Status.OK if each else Status.EXPLICITLY_EMPTY
    return Reading(each, status, how="list", used=((0, len(text)),), repeated=len(spelt) - len(each))


def read_two_strictly(text: str, vocabulary: Vocabulary) -> Reading:
    """Return the two sets of a text that is ``[…] […]`` and nothing else.

    >>> read_two_strictly("[(on a b)] []", Vocabulary({"on": 2}, "ab")).value
    Effects(positive=('(on a b)',), negative=())
    """
    two = _TWO.fullmatch(text)
    if two is None:
        return _SILENCE
    first, second = (
        tuple(dict.fromkeys(_spelt(_written(part), vocabulary))) for part in two.groups()
    )
    return Reading(Effects(first, second), how="two lists", used=((0, len(text)),))


def _written(text: str) -> tuple[str, ...]:
    return tuple(f"({' '.join(group.lower().split())})" for group in _GROUP.findall(text))


def _spelt(terms: tuple[str, ...], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return terms with the capitals of names that have any."""
    capitals = _capitals(vocabulary)
    if not capitals:
        return terms
    split = (term[1:-1].split(" ") for term in terms)
    return tuple(f"({' '.join(map(capitals.get, words, words))})" for words in split)


def _capitals(vocabulary: Vocabulary) -> Mapping[str, str]:
    key = "capitals"
    found: Mapping[str, str] | None = vocabulary.lines.get(key)
    if found is None:
        names = (*vocabulary.actions, *vocabulary.objects)
        found = {name.lower(): name for name in names if name != name.lower()}
        vocabulary.remember(key, found)
    return found
