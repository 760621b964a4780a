"""Answers that say that nothing is in the set: "None.", "[]", "No facts become false."."""

from __future__ import annotations

import re

from plangauge.parse.wording import any_of, word_set

_QUALITY = any_of(
    "such, ground, applicable, possible, available, executable, valid, true, false, new, positive,"
    " negative, deleted, added, changed, legal, relevant, known, additional"
)
_THINGS = (
    rf"(?:{_QUALITY} )*+(?:actions?|facts?|effects?|propositions?|predicates?|atoms?|changes?"
    r"|deletions?|additions?)\b"
)
_NONE = rf"(?:none(?: of (?:them|these|those|(?:the|these|those) {_THINGS}))?|nothing|no {_THINGS})"
_OF_THEM = any_of(
    "that, which, is, are, was, were, be, become, becomes, became, will, can, could, has, have,"
    " been, get, gets, change, changes, hold, holds, exist, exists, made, now, newly, currently,"
    " here, at all, any more, anymore, in, from, by, after, due to, this, the, current, given,"
    " initial, resulting, state, situation, action, executed, applied, performed, affected,"
    " removed, lost, gained"
)
_SAID = rf"(?: (?:{_OF_THEM}|{_QUALITY})\b)*+"
_DOES = r"(?:deletes?|removes?|adds?|changes?|makes?|affects?|has|have)"
_ANY = rf"(?:(?:any|a single) {_THINGS}|anything)"
_SENTENCE = re.compile(
    r"(?:(?:so|hence|thus|therefore|overall|finally),? )?+"
    r"(?:(?:the |my )?(?:final )?answer(?: is:?|:) )?+(?P<said>"
    r"∅|\\(?:emptyset|varnothing)|null|nil|n/a|empty|(?:the |an )?empty (?:set|list)"
    rf"|(?:there (?:is|are|will be|would be) )?+{_NONE}{_SAID}"
    r"|(?:the|this) (?:resulting )?(?:set|list|answer)(?: of [\w -]{1,60})? (?:is|remains) empty"
    rf"|(?:the|this) action {_DOES} (?:nothing|no {_THINGS}){_SAID}"
    rf"|(?:the|this) action (?:does not|doesn't) {_DOES} {_ANY}{_SAID}"
    r")(?:(?:,? (?:since|because)|, (?:as|so)) .++| ?\([^()]*+\)?+)?+",
)
_FIRST = word_set(
    "so hence thus therefore overall finally the my an this there answer final none nothing no ∅"
    " \\emptyset \\varnothing null nil n/a empty"
)
"""The first words of such sentences."""
_EMPTY = re.compile(r"""\[\s*+\]|\{\s*+\}|\(\s*+\)|""|\'\'|```\w*+\s++```""")
_AROUND = " \t\r\n[](){}\"'`*_$.;!"
_STOP = re.compile(r"[.!?;](?=\s|\Z)|\n")
_FINISHED = ".!?)]}\"'`*$"
_ADDED = re.compile(r"\b(?:true|added|gained)\b")
_DELETED = re.compile(r"\b(?:false|deleted|removed|lost)\b")
_GIVES_UP = re.compile(
    r"\b(?:unable|sorry|(?:do not|don't) know|unsure|not sure|(?:cannot|can't|can not) "
    r"(?:determine|tell|say|answer|know|see|list))\b",
    re.IGNORECASE,
)
_LONGEST = 300


def is_nothing(text: str, sign: str = "") -> bool:
    """Tell whether a text is a sentence or a sign for the empty set, and nothing else.

    Of a "positive" or "negative" set it is not said by what is said of the other: that nothing
    becomes true, say.

    >>> [is_nothing(text) for text in ("**None.**", "[ ]", '["none"]', "no", "I see no facts", "")]
    [True, True, True, False, False, False]
    >>> is_nothing("Nothing becomes true."), is_nothing("Nothing becomes true.", "negative")
    (True, False)
    """
    if len(text) > _LONGEST:
        return False
    words = text.replace("set()", "∅").strip(_AROUND).lower().split()
    if not words:
        return _EMPTY.search(text) is not None
    if words[0].rstrip(",:") not in _FIRST:
        return False
    core = " ".join(words).replace("’", "'")
    found = _SENTENCE.fullmatch(core)
    if found is None:
        return False
    other = {"positive": _DELETED, "negative": _ADDED}.get(sign)
    return other is None or other.search(found["said"]) is None


def says_nothing(text: str, sign: str = "") -> bool:
    """Tell whether the first or the last sentence of an answer says that nothing is in the set.

    The first one counts only where the text is finished; none does where the text gives up.

    >>> says_nothing("Let me see. No facts become false."), says_nothing("There are none. So I")
    (True, False)
    """
    text = text.strip()
    begins = text[-1:] in _FINISHED and begins_with_nothing(text, sign)
    ends = is_nothing(_last_sentence(text), sign)
    return (begins or ends) and _GIVES_UP.search(text) is None


def begins_with_nothing(text: str, sign: str = "") -> bool:
    """Tell whether the first sentence of a text says that nothing is in the set.

    >>> begins_with_nothing("None. All effects are additions"), begins_with_nothing("None of it.")
    (True, False)
    """
    near = text.lstrip()[:_LONGEST]
    first = _STOP.search(near)
    return is_nothing(near[: first.end()] if first else text, sign)


def _last_sentence(text: str) -> str:
    near = text[-_LONGEST:]
    ends = [stop.end() for stop in _STOP.finditer(near) if stop.end() < len(near)]
    return near[ends[-1] :] if ends else near if len(text) <= _LONGEST else ""
