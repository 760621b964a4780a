r"""The strict reading of sets: ``[(name arg …), …]`` and nothing else.

Only case and blanks are forgiven; names count as they are written. Where every term is known and
written as it is, that is the lenient reading as well, and found quickly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from plangauge.model import Action
from plangauge.reading.result import Effects, Reading, Status
from plangauge.reading.vocabulary import Vocabulary

_TERM = r"\(\s*+[^\W\d][^\s()\[\],]*+(?:\s++[^\s()\[\],]++)*+\s*+\)"
_LIST = rf"\[\s*+(?:{_TERM}(?:\s*+,\s*+{_TERM})*+)?+\s*+\]"
_ONE = re.compile(rf"\s*+{_LIST}\s*+")
_TWO = re.compile(rf"\s*+({_LIST})\s*+,?+\s*+({_LIST})\s*+")
_GROUP = re.compile(r"\(([^()]*+)\)")
_NAME = re.compile(r"[^\W\d][^\s()\[\],]*+")
_SIGNS = re.compile(r"[^\x21-\x7e ]|[A-Z'\"`*?,()\[\]]")
"""What names may be written with, but are not where they need only be looked up."""
_LONGEST = 400
_MOST_KEPT = 2000
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
    return Reading(
        each, status, how="list", used=((0, len(text)),), repeated=len(spelt) - len(each)
    )


def read_two_strictly(text: str, vocabulary: Vocabulary) -> Reading:
    """Return the two sets of a text that is ``[…] […]`` and nothing else.

    >>> read_two_strictly("[(on a b)] []", Vocabulary({"on": 2}, "ab")).value
    Effects(positive=('(on a b)',), negative=())
    """
    two = _TWO.fullmatch(text)
    if two is None:
        return _SILENCE
    first, second = (_spelt(_written(part), vocabulary) for part in two.groups())
    return _two(first, second, text)


def read_exactly(text: str, vocabulary: Vocabulary, kind: str = "") -> Reading | None:
    """Return the reading of a strict text whose terms all fit and are spelt as in the vocabulary.

    That is two lists where the ``kind`` is *effects*, else one. None for any other text.

    >>> words = Vocabulary({"on": 2, "clear": 1}, "ab")
    >>> read_exactly("[(on a b), (clear a)]", words).value
    ('(on a b)', '(clear a)')
    >>> read_exactly("[(on a b)] []", words, "effects").value
    Effects(positive=('(on a b)',), negative=())
    >>> read_exactly("[(on a c)]", words) is read_exactly("(on a b)", words) is None
    True
    """
    used = ((0, len(text)),)
    if kind != "effects":
        terms = _exact_list(text, vocabulary)
        if terms is None:
            return None
        each = tuple(dict.fromkeys(terms))
        status = Status.OK if each else Status.EXPLICITLY_EMPTY
        return Reading(each, status, how="list", used=used, repeated=len(terms) - len(each))
    first, between, second = text.partition("] [")
    one = _exact_list(f"{first}]", vocabulary) if between else None
    other = None if one is None else _exact_list(f"[{second}", vocabulary)
    if one is None or other is None:
        return None
    return _two(one, other, text)


def _two(one: Sequence[str], other: Sequence[str], text: str) -> Reading:
    two = Effects(tuple(dict.fromkeys(one)), tuple(dict.fromkeys(other)))
    repeated = len(one) + len(other) - len(two.positive) - len(two.negative)
    status = Status.OK if one or other else Status.EXPLICITLY_EMPTY
    return Reading(two, status, how="two lists", used=((0, len(text)),), repeated=repeated)


def _exact_list(text: str, vocabulary: Vocabulary) -> list[str] | None:
    body = text.strip()
    if body == "[]":
        return []
    if not (body.startswith("[(") and body.endswith(")]")):
        return None
    inners = body[2:-2].split("), (")
    known: dict[str, str] | None = vocabulary.lines.get("exact terms")
    if known is None or len(known) > _MOST_KEPT:
        known = {}
        vocabulary.remember("exact terms", known)
    try:
        return [known[inner] for inner in inners]
    except KeyError:
        pass
    for inner in inners:
        if inner not in known:
            term = _exact_term(inner, vocabulary)
            if term is None:
                return None
            known[inner] = term
    return [known[inner] for inner in inners]


def _exact_term(inner: str, vocabulary: Vocabulary) -> str | None:
    if len(inner) > _LONGEST or _SIGNS.search(inner) or not _NAME.match(inner.lstrip()):
        return None
    name, *args = inner.split()
    action = Action(name, tuple(args))
    return str(action) if vocabulary.fits(action) else None


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
