"""Answers that are one term, a fact or an action, or that there is none."""

from __future__ import annotations

import re
from dataclasses import replace

from plangauge.reading.result import MOST_RIVALS, Reading, Status
from plangauge.reading.sets import find_set
from plangauge.reading.vocabulary import Vocabulary

_BROKEN = re.compile(r"\([^()\n]{0,200}(?:\n[^()\n]{0,200}){1,9}\)")
"""A term in parentheses that is spread over lines."""


def find_term(text: str, vocabulary: Vocabulary, kind: str) -> Reading:
    r"""Return the one term that an answer gives: a tuple of it, an empty one for "none".

    ``kind`` is *actions* or *state*, and the vocabulary that of the problem's actions, as for
    `find_set`. Of several terms the first counts, and the reading is uncertain. Never raises.

    >>> words = Vocabulary({"lift": 1}, "ab")
    >>> find_term("The answer is (lift\na).", words, "actions").value
    ('(lift a)',)
    >>> found = find_term("(lift b) (lift a)", words, "actions")
    >>> found.value, found.status.value, found.rivals
    (('(lift b)',), 'uncertain', (('(lift a)',),))
    >>> find_term("No such action exists.", words, "actions").status.value
    'explicitly empty'
    """
    joined = _BROKEN.sub(lambda found: found[0].replace("\n", " "), text)
    reading = find_set(joined, vocabulary, kind)
    if not isinstance(reading.value, tuple) or len(reading.value) < 2:
        return reading
    first, *others = ((term,) for term in reading.value)
    return replace(
        reading,
        value=first,
        status=Status.UNCERTAIN,
        doubts=(*reading.doubts, "several terms are given where one is asked for"),
        rivals=tuple(others[:MOST_RIVALS]),
    )
