"""Plans inside text in a notation of their own: JSON values and lists in brackets."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from plangauge.model import Action, Plan
from plangauge.parse.actions import NotAPlan, plan_of
from plangauge.parse.answers import Region
from plangauge.parse.base import Recognised, Vocabulary, recognise
from plangauge.parse.claims import Claim, claims
from plangauge.parse.lines import Found, bounded, in_lines
from plangauge.parse.listed import listed
from plangauge.parse.mentions import GLUE, read_line
from plangauge.parse.tolerant_json import Json, find_json
from plangauge.parse.values import plan_in

_LIST = re.compile(r"(?<!\w)\[((?:[^\[\]]++|(?<=\w)\[[^\[\]]*+\])*+)\]")
_SAID = re.compile(r"\w|\[\s*+\]|\(\s*+\)")
_FILLED = re.compile(r"\s*+([^\n]++)")
NOTHING = re.compile(
    r"[\s*`\"'(\[]*+(?:none|empty|nothing|(?:the )?plan is empty|(?:an |the )?empty plan)?+"
    r"[\s*`\"').\]]*+",
    re.IGNORECASE,
)
_CORRECTED = re.compile(r"\bno[\s:,;.!*_—–-]*+\Z", re.IGNORECASE)
_MOST_VALUES = 100

Row: TypeAlias = tuple[Action, ...]


def is_plausible(plan: Plan, vocabulary: Vocabulary | None) -> bool:
    """Tell whether a plan may be the answer: some of its actions are known.

    >>> is_plausible(Plan.of(Action("fly")), Vocabulary({"go": 0}, frozenset()))
    False
    """
    return vocabulary is None or not plan.steps or vocabulary.knows_any(plan)


def at_once(text: str, region: Region, vocabulary: Vocabulary | None) -> Found | None:
    """Return the plan in the first line of a final answer, and what belongs to it; or None.

    >>> text = "[(a), (b)], since [(c d), (e)] fails"
    >>> str(at_once(text, Region(0, 36, "marker", final=True), None).plan)
    '(a), (b)'
    """
    first = _FILLED.match(text, region.start, region.end)
    if first is None:
        return None
    start, end = first.span(1)
    if NOTHING.fullmatch(text, start, end) and _SAID.search(text, start, end):
        return Found(Plan(), start, end, "nothing")
    for reader in (last_json, last_list):
        found = reader(text, region, vocabulary)
        if found is not None and found.start < end and is_plausible(found.plan, vocabulary):
            return found
    if not read_line(text, start, end, vocabulary, listed=True).actions:
        return None
    lines = in_lines(text, region, vocabulary)
    return lines if lines and is_plausible(lines.plan, vocabulary) else None


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
    chosen = _chosen(text, region, found, vocabulary)
    return chosen if chosen and (chosen.plan.steps or chosen.cut) else None


def last_list(text: str, region: Region, vocabulary: Vocabulary | None) -> Found | None:
    """Return the last ``[...]`` that is a list of actions; one with known actions, if there is one.

    Lists with nothing but commas and the like between them are one.

    >>> found = last_list("see [1]: [go a, stop b]", Region(0, 23, "whole text"), None)
    >>> str(found.plan)
    '(go a), (stop b)'
    """
    groups: deque[tuple[int, int, list[Row]]] = deque(maxlen=_MOST_VALUES)
    for match in _LIST.finditer(text, region.start, region.end):
        actions = listed(match[1], vocabulary)
        if not actions:
            continue
        start, rows = match.start(), [actions]
        states = _is_state(actions, vocabulary)
        if (
            groups
            and states == _is_state(groups[-1][2][-1], vocabulary)
            and GLUE.fullmatch(text, groups[-1][1], start)
        ):
            start, _, rows = groups.pop()
            rows.append(actions)
        groups.append((start, match.end(), rows))
    found = [Found(_together(rows), start, end, "last list") for start, end, rows in groups]
    return _chosen(text, region, found, vocabulary)


def _is_state(actions: Row, vocabulary: Vocabulary | None) -> bool:
    """Tell whether a list holds nothing but facts."""
    return vocabulary is not None and all(action.name in vocabulary.facts for action in actions)


def _together(rows: list[Row]) -> Plan:
    """Return the plan of lists that follow each other; those that begin alike are versions of one.

    The last version counts.
    """
    same = all(row == rows[0] for row in rows)
    again = all(len(row) > 1 and row[:2] == rows[0][:2] for row in rows)
    return Plan.of(*(action for row in (rows[-1:] if same or again else rows) for action in row))


def _chosen(
    text: str, region: Region, found: list[Found], vocabulary: Vocabulary | None
) -> Found | None:
    """Return the last plan with known actions that is meant, or the first of a final answer.

    The others, unless they are the same, are skipped.
    """
    if not found:
        return None
    known = [each for each in found if is_plausible(each.plan, vocabulary)] or found
    known = _meant(text, region, known) or known
    begins = region.final and _FILLED.match(text, region.start, region.end)
    chosen = known[0] if begins and known[0].start < begins.end() else known[-1]
    others = (text[f.start : f.end] for f in found if f.plan != chosen.plan and f.plan.steps)
    skipped = bounded((*chosen.skipped, *islice(others, _MOST_VALUES)))
    return replace(chosen, skipped=skipped)


def _meant(text: str, region: Region, found: list[Found]) -> list[Found]:
    """Return the plans that are not said to be wrong, or to be drafts."""
    starts = (*(each.start for each in found), region.end)
    ends = (region.start, *(each.end for each in found))
    gaps = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    said = zip(found, gaps, claims(gaps), strict=False)
    return [
        each
        for each, before, claim in said
        if claim not in (Claim.REFUSED, Claim.REMARKED, Claim.FALSE) or _CORRECTED.search(before)
    ]


def _of(value: Json, vocabulary: Vocabulary | None) -> Recognised | None:
    try:
        if vocabulary is None:
            return Recognised("json", plan_of(value))
        return Recognised("json", *plan_in(value, vocabulary))
    except NotAPlan:
        return None
