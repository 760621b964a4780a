"""Reading plans, answers and turns: from any text to a `Reading`, without raising."""

from __future__ import annotations

import re
from dataclasses import replace

from plangauge.errors import ParseError
from plangauge.model import Plan
from plangauge.reading.notations.base import NOTATIONS, Recognised, recognise
from plangauge.reading.plans import find_plan
from plangauge.reading.result import Reading, Status
from plangauge.reading.vocabulary import ANYTHING, Vocabulary

_FIRST = re.compile(r"^\W{0,9}(?:step )?1[.)][ \t]", re.IGNORECASE | re.MULTILINE)
_TWICE = 2
"""So many first steps are of several lists, be they parts, versions, or one list again."""


def parse_plan(text: str, notation: str = "auto", vocabulary: Vocabulary | None = None) -> Plan:
    r"""Return the plan that a text holds; raise `ParseError` where there is none.

    ``auto`` finds out the notation and falls back on reading the text as prose. A vocabulary, the
    names of a problem's actions and objects, helps to read prose. A blank text is the empty plan,
    except in JSON and as prose.

    >>> parse_plan("(pick-up a)\n(stack a b)") == parse_plan("pick-up(a), stack(a, b)")
    True
    >>> parse_plan("I do not know.")
    Traceback (most recent call last):
        ...
    plangauge.errors.ParseError: no answer, at line 1, column 1
    """
    if notation not in ("auto", "prose"):
        return NOTATIONS[notation].read(text)
    reading = read_plan(text, notation, vocabulary)
    if reading.plan is None:
        raise ParseError(reading.status.value, text, reading.start)
    return reading.plan


def read_plan(text: str, notation: str = "auto", vocabulary: Vocabulary | None = None) -> Reading:
    r"""Return the plan that a text holds, how surely, from where, and what else it could be.

    Raises `ParseError` for a text that is not in the asked notation; ``auto`` and ``prose`` never
    raise, but return a reading without a plan.

    >>> reading = read_plan("Sure! My plan:\n1. (pick-up a)\n2. (stack a b)\nDone.")
    >>> reading.notation, reading.status.value, len(reading.plan), reading.how
    ('prose', 'ok', 2, 'numbered lines')
    """
    if notation == "prose":
        return find_plan(text, vocabulary or ANYTHING)
    if notation != "auto":
        return _in_notation(text, notation, vocabulary)
    found = recognise(text, vocabulary)
    if found is not None and found.sure and len(_FIRST.findall(text)) < _TWICE:
        return _whole(text, _spelt(found, vocabulary))
    reading = find_plan(text, vocabulary or ANYTHING)
    if found is None or (reading.plan and (not vocabulary or vocabulary.knows_any(reading.plan))):
        return reading
    return _whole(text, _spelt(found, vocabulary))


def _spelt(found: Recognised, vocabulary: Vocabulary | None) -> Recognised:
    """Return a plan with the problem's spelling of names where it has another: "pick_up"."""
    if vocabulary is None or vocabulary.is_open:
        return found
    if all(map(vocabulary.is_known, found.plan.actions)):
        return found
    return replace(found, plan=vocabulary.spell_plan(found.plan))


def _in_notation(text: str, name: str, vocabulary: Vocabulary | None) -> Reading:
    notation = NOTATIONS[name]
    if notation.informed is not None and vocabulary is not None:
        plan, skipped = notation.informed(text, vocabulary)
        return _whole(text, Recognised(name, plan, skipped))
    return _whole(text, Recognised(name, notation.read(text)))


def _whole(text: str, found: Recognised) -> Reading:
    status = Status.OK if found.plan.steps else Status.EXPLICITLY_EMPTY
    used = ((0, len(text)),) if text else ()
    return Reading(found.plan, status, found.notation, used=used, skipped=found.skipped)
