"""Templates of the words file found word for word, which no other action can then be meant by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from plangauge.model import Action
from plangauge.reading.english import (
    ARTICLES,
    ELSEWHERE,
    HARD_STOPS,
    PREPOSITIONS,
    PRONOUNS,
    word_set,
)
from plangauge.reading.mention import Mention, Style
from plangauge.reading.names import Unit
from plangauge.reading.operators import Operator
from plangauge.reading.vocabulary import Vocabulary

_ENDS = (
    HARD_STOPS | word_set("( ) : because since so which as please to now") | {"–", "—", '"', "`"}
)
_JOINS = frozenset((",", "and", "then", "&"))
_MOST_LEADING = 3
_LONGEST_LINE = 160
_LEAD = re.compile(
    r"\s*(?:(?:and|then|next|first|now|finally|lastly|afterwards)\b,?\s+)*", re.IGNORECASE
)
_SKIPPED = ARTICLES | frozenset((",", '"', "'", "`", "*", "_"))


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A template found in the units from ``first`` up to ``behind``."""

    mention: Mention
    first: int
    behind: int


def said_whole(text: str, vocabulary: Vocabulary) -> Mention | None:
    """Return the action of a line that is a template and nothing else, without cutting it up.

    None does not tell that there is none. Most lines of most plans in words are read so.

    >>> class Words:
    ...     objects, facts, actions = {"a": "red box"}, {}, {"lift": "lift the {0} up"}
    >>> words = Vocabulary({"lift": 1}, "ab", words=Words)
    >>> str(said_whole("Then lift the red box up.", words).action), said_whole("lift it", words)
    ('(lift a)', None)
    """
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    end = len(text.rstrip(" .!;,"))
    if not start < end <= start + _LONGEST_LINE:
        return None
    low = text[start:end].lower()
    first = low.partition(" ")[0]
    found: Mention | None = None
    for operator, pattern in vocabulary.patterns.get(first, ()):
        matched = pattern.fullmatch(low)
        if matched is None:
            continue
        args = [vocabulary.names.surely(each) for each in matched.groups()]
        words = {word for each in matched.groups() for word in each.split()[1:]}
        if found is not None or None in args or not words.isdisjoint(map(str, operator.phrase)):
            return None
        slots = [part for part in operator.phrase if isinstance(part, int)]
        order = {slot: arg or "" for slot, arg in zip(slots, args, strict=True)}
        action = Action(operator.name, tuple(order[n] for n in range(len(order))))
        if not vocabulary.fits(action):
            return None
        found = Mention(action, start, end, Style.SAID, known=True, verb=first)
    return found


def verbatim(units: Sequence[Unit], vocabulary: Vocabulary) -> list[Verbatim]:
    """Return the templates that stand word for word in a sentence, in order, none in another.

    Articles, and the kinds of objects, may be missing or added. What follows must not be able to
    belong to the action: "stack a on b and c" is not found here.

    >>> class Words:
    ...     objects, facts, actions = {}, {}, {"drive": "drive from {0} to {1}"}
    >>> words = Vocabulary({"drive": 2}, "ab", words=Words)
    >>> units = words.names.units("drive from a to b.")
    >>> [str(found.mention.action) for found in verbatim(units, words)]
    ['(drive a b)']
    """
    out: list[Verbatim] = []
    table, at = vocabulary.phrases, 0
    while at < len(units):
        own = table.get(units[at].text, ())
        if units[at].obj and not _goes_on(units, at):
            own = (*own, *table.get("", ()))
        found = _longest(units, at, own, vocabulary) if own else None
        if found is None:
            at += 1
        else:
            out.append(found)
            at = found.behind
    return [] if vocabulary.stative and not _is_whole(units, out) else out


def _is_whole(units: Sequence[Unit], found: Sequence[Verbatim]) -> bool:
    """Tell a sentence that is one fact from others, whose subjects may be carried on."""
    if len(found) != 1:
        return False
    before, after = units[: found[0].first], units[found[0].behind :]
    alone = not any(unit.obj for unit in before) and len(before) <= _MOST_LEADING
    return alone and not any(unit.obj or unit.text[0].isalnum() for unit in after)


def _longest(
    units: Sequence[Unit], at: int, operators: Sequence[Operator], vocabulary: Vocabulary
) -> Verbatim | None:
    """Return the longest template that begins at a unit; of those alike, the only one that fits."""
    best: list[tuple[int, Mention]] = []
    for operator in operators:
        matched = _matched(units, at, operator, vocabulary)
        if matched is None:
            continue
        behind, args = matched
        if not _ends(units, behind) or (best and behind < best[0][0]):
            continue
        action = Action(operator.name, args)
        first, last = units[at], units[behind - 1]
        known = vocabulary.fits(action)
        mention = Mention(action, first.start, last.end, Style.SAID, known, verb=first.text)
        if best and behind > best[0][0]:
            best = []
        best.append((behind, mention))
    if len(best) > 1:
        best = [each for each in best if each[1].known and vocabulary.possible(each[1].action)]
    return Verbatim(best[0][1], at, best[0][0]) if len(best) == 1 else None


def _matched(
    units: Sequence[Unit], at: int, operator: Operator, vocabulary: Vocabulary
) -> tuple[int, tuple[str, ...]] | None:
    """Return where a template ends that begins at a unit, and its arguments; None if it differs."""
    kinds = vocabulary.kinds
    slots: list[str] = [""] * len(operator.types)
    parts, n = operator.phrase, 0
    while n < len(parts):
        if at >= len(units):
            return None
        part, unit = parts[n], units[at]
        if isinstance(part, int):
            named = unit.obj if not unit.weak else None
            if named is None and unit.text in vocabulary.objects:
                named = unit.text  # "a", which elsewhere is an article
            if named is not None:
                slots[part] = named
                n += 1
            elif unit.text not in kinds and unit.text not in _SKIPPED:
                return None
        elif unit.text == part:
            n += 1
        elif unit.obj and part in kinds and vocabulary.names.is_kind(unit.obj, part):
            n += 1  # "stack block {0}" said without its kind
            continue
        elif n == 0 or unit.text not in _SKIPPED:
            return None
        at += 1
    return at, tuple(slots)


def _goes_on(units: Sequence[Unit], at: int) -> bool:
    """Tell whether an object is joined to one before: "a and b"."""
    return at > 1 and units[at - 1].text in _JOINS | {"or"} and units[at - 2].obj is not None


def _ends(units: Sequence[Unit], behind: int) -> bool:
    """Tell whether the words behind a template cannot belong to it."""
    if behind >= len(units):
        return True
    unit = units[behind]
    if unit.obj is not None:
        return False
    if unit.text in _JOINS:
        behind += 1 if units[behind].text != "," else 2
        following = next((u for u in units[behind - 1 : behind + 1] if u.text not in _JOINS), None)
        if following is None:
            return True
        own = following.text in PREPOSITIONS or following.text in ELSEWHERE
        return following.obj is None and not own and following.text not in PRONOUNS | ARTICLES
    return unit.text in _ENDS
