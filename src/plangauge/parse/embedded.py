"""Plans inside text in a notation of their own: JSON values and lists in brackets."""

from __future__ import annotations

import re
from collections import deque
from itertools import islice

from plangauge.model import Action, Plan
from plangauge.parse.actions import NotAPlan, plan_of
from plangauge.parse.answers import Region
from plangauge.parse.base import Recognised, Vocabulary, recognise
from plangauge.parse.lines import Found, bounded
from plangauge.parse.mentions import read_run
from plangauge.parse.tolerant_json import Json, find_json
from plangauge.parse.values import plan_in

_LIST = re.compile(r"\[([^\[\]]*+)\]")
_WORDS = re.compile(r"\s*+([^\W\d][\w-]*+(?:[ \t]++[\w-]++)*+)\s*+")
_MOST_VALUES = 100


def is_plausible(plan: Plan, vocabulary: Vocabulary | None) -> bool:
    """Tell whether a plan may be the answer: some of its actions are known.

    >>> is_plausible(Plan.of(Action("fly")), Vocabulary({"go": 0}, frozenset()))
    False
    """
    return vocabulary is None or not plan.steps or vocabulary.knows_any(plan)


def last_json(text: str, region: Region, vocabulary: Vocabulary | None) -> Found | None:
    """Return the last JSON value that is a plan, of one that is cut short what is whole.

    >>> text = 'First ["a b"], no: ["c d", "e'
    >>> found = last_json(text, Region(0, len(text), "whole text"), None)
    >>> str(found.plan), found.cut, found.skipped
    ('(c d)', True, ('["a b"]',))
    """
    found: list[Found] = []
    values = deque(find_json(text, region.start, region.end), maxlen=_MOST_VALUES)
    for value, start, end, complete in values:
        pure = recognise(text[start:end], vocabulary) if complete else _of(value, vocabulary)
        if pure is None or not is_plausible(pure.plan, vocabulary):
            continue
        if pure.plan.steps or not found:
            found.append(Found(pure.plan, start, end, "JSON", not complete, pure.skipped))
    return _last(text, found) if found and (found[-1].plan.steps or found[-1].cut) else None


def last_list(text: str, region: Region, vocabulary: Vocabulary | None) -> Found | None:
    """Return the last ``[...]`` that holds nothing but actions.

    >>> found = last_list("see [1]: [go a, stop b]", Region(0, 23, "whole text"), None)
    >>> str(found.plan)
    '(go a), (stop b)'
    """
    found: deque[Found] = deque(maxlen=_MOST_VALUES)
    for match in _LIST.finditer(text, region.start, region.end):
        actions, stop = read_run(text, match.start(1), match.end(1), vocabulary)
        if stop != match.end(1):
            actions = _worded(match[1], vocabulary)
        if actions:
            found.append(Found(Plan.of(*actions), match.start(), match.end(), "last list"))
    return _last(text, list(found)) if found else None


def _last(text: str, found: list[Found]) -> Found:
    """Return the last plan; the others, unless they are the same, are skipped."""
    last = found[-1]
    others = (text[f.start : f.end] for f in found if f.plan != last.plan and f.plan.steps)
    skipped = bounded((*last.skipped, *islice(others, _MOST_VALUES)))
    return Found(last.plan, last.start, last.end, last.how, last.cut, skipped)


def _of(value: Json, vocabulary: Vocabulary | None) -> Recognised | None:
    try:
        if vocabulary is None:
            return Recognised("json", plan_of(value))
        return Recognised("json", *plan_in(value, vocabulary))
    except NotAPlan:
        return None


def _worded(inside: str, vocabulary: Vocabulary | None) -> tuple[Action, ...]:
    """Return the actions of ``sail l0 l1, debark c0 l0``, or none if one of them is no action."""
    actions = []
    for part in inside.split(","):
        match = _WORDS.fullmatch(part)
        if match is None or (vocabulary is None and " " not in match[1]):
            return ()
        words = match[1].split()
        action = Action(words[0], tuple(words[1:]))
        if vocabulary is not None:
            action = vocabulary.spell(action)
            if action.name not in vocabulary.actions:
                return ()
        actions.append(action)
    return tuple(actions)
