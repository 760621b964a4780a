"""Saying that a fact does not hold, without a parser."""

from __future__ import annotations

_AUXILIARIES = ("is", "are", "has", "have", "can")


def negated(sentence: str) -> str:
    """Return the negation of a sentence.

    "not" goes behind "is", "are", "has", "have" or "can" where that word stands there once, the
    last of these that does; every other sentence is denied as a whole.

    >>> negated("the arm is empty"), negated("b1 can reach b2")
    ('the arm is not empty', 'b1 cannot reach b2')
    >>> negated("holding b1")
    'it is not the case that holding b1'
    """
    words = sentence.split(" ")
    for auxiliary in reversed(_AUXILIARIES):
        if words.count(auxiliary) == 1:
            place = words.index(auxiliary)
            said = "cannot" if auxiliary == "can" else f"{auxiliary} not"
            return " ".join((*words[:place], said, *words[place + 1 :]))
    return f"it is not the case that {sentence}"
