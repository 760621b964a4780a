"""Answers that are one value: a number, yes or no, one of some options, one term."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from plangauge.reading.english import NUMBER_WORDS, NUMBERS
from plangauge.reading.result import MOST_RIVALS, Reading, Status
from plangauge.reading.sets import find_set
from plangauge.reading.text import normalised
from plangauge.reading.vocabulary import Vocabulary

YES = frozenset(("yes", "true", "yeah", "yep", "correct"))
NO = frozenset(("no", "false", "nope", "incorrect"))

_NUMBER = re.compile(
    r"(?<![\w.,])-?(?:\d{1,3}(?:,\d{3})+|\d{1,300})(?:\.\d{1,300})?(?![\w-])(?![.,]\d)"
    rf"|\b(?:{'|'.join(NUMBER_WORDS)}|none)\b",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    r"(?m)^[ \t]*(?:[-*#]+[ \t]*)?(?:step[ \t]*)?\d+[.):](?=[ \t]+\S)", re.IGNORECASE
)
_DENIED = r"(?:not|isn't|n't|never|cannot be|can't be|no longer)\s+(?:\w{1,20}\s+)?"
_MARKED = re.compile(
    r"\\boxed\s?\{|<(?:final_)?answer>|####"
    r"|\b(?:final |correct |my )?(?:answer|verdict|result|choice)\b\W{0,6}(?:(?:is|would be)\b|:|=)"
    r"(?:\s+option\b)?",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so|in total|total|altogether|overall|conclusion|we (?:get|have))\b"
    r"|=(?=[^=\n]*\Z)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_DETERMINED = re.compile(r"[ \t]+\w|[ \t]*\n[ \t]*[a-z]")
"""What follows a "no" that belongs to a noun, perhaps on the next line."""
_INITIAL = re.compile(r"\W*([yn])\W*", re.IGNORECASE)
"""A text that is only the first letter of yes or no."""
_REASON = r"(?=[ \t]+(?:because|since|as|and|or|&|[-–—])[ \t])"
"""What follows a letter that is an option and no article."""
_REACH = 120
"""How many characters behind a mark its value stands within."""


_BROKEN = re.compile(r"\([^()\n]{0,200}(?:\n[^()\n]{0,200}){1,9}\)")
"""A term in parentheses that is spread over lines."""


class Mention(NamedTuple):
    """A value that a text names, and where."""

    start: int
    end: int
    value: float | bool | str


def find_number(text: str, *, none_is_zero: bool = True) -> Reading:
    r"""Return the number that an answer gives, its value an ``int`` where it is whole.

    Numbers of list items are none; the word "none" is 0 or, unless ``none_is_zero``, no number.
    Never raises; what is found nowhere is no answer.

    >>> find_number("1. a\n2. b\nSo there are **12** actions.").value, find_number("Seven.").value
    (12, 7)
    >>> find_number("It is 3. Wait. The answer is 4.").status.value
    'ok'
    """
    return find_value(text, partial(_numbers, none_is_zero=none_is_zero))


def find_verdict(text: str, yes: Collection[str] = YES, no: Collection[str] = NO) -> Reading:
    """Return whether an answer says yes, its value a ``bool``; never raises.

    ``yes`` and ``no`` are the words for either, in lower case.

    >>> find_verdict("No, the truck is elsewhere.").value, find_verdict("**True**").value
    (False, True)
    >>> find_verdict("The plan is not valid.", {"valid"}, {"invalid"}).value
    False
    """
    return find_value(text, _verdicts(frozenset(yes), frozenset(no)))


Mentions: TypeAlias = "Callable[[str], Iterator[Mention]]"
"""A text → the values that it names."""


@lru_cache(64)
def _verdicts(yes: frozenset[str], no: frozenset[str]) -> Mentions:
    words = {**dict.fromkeys(yes, True), **dict.fromkeys(no, False)}
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    pattern = re.compile(rf"(?P<denied>{_DENIED})?\b(?P<word>{either})\b(?!-)", re.IGNORECASE)

    def verdicts(text: str) -> Iterator[Mention]:
        for found in pattern.finditer(text):
            word = found["word"].lower()
            if word == "no" and _DETERMINED.match(text, found.end()):
                continue  # "no block is clear"
            yield Mention(*found.span(), words[word] != bool(found["denied"]))
        if alone := _INITIAL.fullmatch(text):
            yield Mention(*alone.span(1), alone[1] in "yY")

    return verdicts


def find_choice(text: str, options: Mapping[str, str]) -> Reading:
    """Return the letter of the option that an answer chooses, by letter or by its text.

    ``options`` are the texts by letter. Never raises.

    >>> options = {"A": "pick up block a", "B": "stack a on b"}
    >>> find_choice("I choose (B).", options).value, find_choice("Stack a on b!", options).value
    ('B', 'B')
    """
    return find_value(text, _choices(tuple(options.items())))


@lru_cache(64)
def _choices(given: tuple[tuple[str, str], ...]) -> Mentions:
    options = dict(given)
    letters = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    lettered = re.compile(
        rf"(?<!\w)(?:\((?P<a>{letters})\)|(?P<b>{letters})(?=[).:,\"]|\s*(?:\Z|\n)|{_REASON})"
        rf"|\boption\s+(?P<c>{letters})\b|(?:(?<=is )|(?<=: )|(?<=\{{))(?P<d>{letters})\b)"
    )
    small = re.compile(
        rf"(?:\A|{_MARKED.pattern})\W{{0,6}}(?-i:({letters.lower()}))\W{{0,6}}\Z", re.IGNORECASE
    )
    by_text = {" ".join(option.lower().split()): letter for letter, option in options.items()}
    said = "|".join(
        r"\s+".join(map(re.escape, option.split()))
        for option in sorted(by_text, key=len, reverse=True)
        if option
    )
    spoken = re.compile(rf"(?<!\w)(?:{said})(?!\w)", re.IGNORECASE) if said else None

    def choices(text: str) -> Iterator[Mention]:
        for found in lettered.finditer(text):
            letter = next(group for group in found.groups() if group)
            yield Mention(*found.span(), letter)
        if alone := small.search(text):
            yield Mention(*alone.span(1), alone[1].upper())
        for found in spoken.finditer(text) if spoken else ():
            yield Mention(*found.span(), by_text[" ".join(found[0].lower().split())])

    return choices


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


def _numbers(text: str, *, none_is_zero: bool) -> Iterator[Mention]:
    counted = {found.end() - 1 for found in _ORDINAL.finditer(text)}
    for found in _NUMBER.finditer(text):
        if found.end() in counted:
            continue
        word = found[0].lower().replace(",", "")
        if word == "none" and not none_is_zero:
            continue
        if word.isalpha():
            yield Mention(*found.span(), int(NUMBERS.get(word, 0)))
        elif "." in word:
            number = float(word)
            yield Mention(*found.span(), int(number) if number.is_integer() else number)
        else:
            yield Mention(*found.span(), int(word))


def find_value(original: str, mentions: Mentions) -> Reading:
    """Return the value of an answer: the one that is marked, leads, is the only one, or is last.

    ``mentions`` yields the values that a normalised text names. Never raises.
    """
    made = normalised(original)
    text = made.text
    found = sorted(mentions(text))
    if not found:
        return Reading(None, Status.TRUNCATED if made.unclosed else Status.NO_ANSWER)
    chosen, how, rivals = _chosen(text, found)
    doubts = ("several values are given",) if rivals else ()
    return Reading(
        chosen.value,
        Status.UNCERTAIN if doubts else Status.OK,
        how=how,
        used=(made.span(chosen.start, chosen.end),),
        doubts=doubts,
        rivals=tuple(rivals[:MOST_RIVALS]),
    )


def _chosen(text: str, found: list[Mention]) -> tuple[Mention, str, list[float | bool | str]]:
    """Return the mention that counts, how it was found, and the values that it may be instead."""
    values = list(dict.fromkeys(mention.value for mention in found))
    found = [each for each in found if not text.startswith("?", each.end)] or found
    if marked := _marked(text, found):
        return marked, "marked as the answer", []
    last = found[-1]
    if len(values) == 1:
        return last, "the only value", []
    concluding = [m for m in found if m.start >= _conclusion(text)]
    results = text[: last.start].rstrip(" \t*_`$").endswith("=")
    if concluding and (results or len({mention.value for mention in concluding}) == 1):
        return last, "concluded", []
    leads = not text[: found[0].start].strip(" \t\n#*_`\"'([{>-")
    chosen = found[0] if leads else last
    return chosen, "first" if leads else "last", [v for v in values if v != chosen.value]


def _marked(text: str, found: list[Mention]) -> Mention | None:
    """Return the first value behind the last mark of an answer that has one."""
    marks = [mark.end() for mark in _MARKED.finditer(text)]
    at = len(found)
    for end in reversed(marks):
        while at and found[at - 1].start >= end:
            at -= 1
        if at < len(found) and found[at].start - end <= _REACH:
            return found[at]
    return None


def _conclusion(text: str) -> int:
    """Return where the last sentence begins, if it concludes; else the end of the text."""
    body = text.rstrip()
    starts = [0, *(found.end() for found in _SENTENCE.finditer(body))]
    return starts[-1] if _CONCLUDES.search(body, starts[-1]) else len(text)
