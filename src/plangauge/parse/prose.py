"""Plans in the free text of language models."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from plangauge.errors import ParseError, RenderError
from plangauge.model import Plan, Step
from plangauge.parse.answers import Region, fences, regions, tool_calls, without_reasoning
from plangauge.parse.base import NOTATIONS, Notation, Reading, Status, Vocabulary, recognise
from plangauge.parse.embedded import NOTHING, at_once, is_plausible, last_json, last_list
from plangauge.parse.lines import Found, bounded, ends_early, in_lines
from plangauge.parse.tolerant_json import find_json
from plangauge.parse.wording import WIDE

_EMPTY = re.compile(
    r"\bno (?:further |more |additional )?(?:actions?|steps?|moves?)\s+(?:are |is |need to be )?"
    r"(?:needed|required|necessary|taken)\b|\bempty plan\b|\bplan (?:is|would be) empty\b"
    r"|\bnothing (?:needs|has) to be done\b",
    re.IGNORECASE,
)
_SAYS_EMPTY = re.compile(r"\s*+\(?(?:the plan is empty|empty plan)[.)]*\s*+", re.IGNORECASE)
_SHORT_HYPHENS = str.maketrans("‐‑‒–−", "-----")
_HYPHENS = str.maketrans("‐‑‒–—―−", "-------")
_DASHED = re.compile(r"(?<!\w)\w++(?:[‐-―−]\w++)++")
_LONGEST = 1 << 20
_MOST_LINES = 100


def search(text: str, vocabulary: Vocabulary | None = None) -> Reading:
    r"""Return the plan in a model's free text, or why there is none; never raise.

    Reasoning (``<think>``) is not read. The answer is what follows the last marker (a tag, "Final
    answer:", "Plan:"), in it the last code fence, the last list in brackets or JSON value, or the
    numbered, bulleted or bare lines. Of several plans the last counts; when numbers begin again, so
    does the plan. A vocabulary tells actions in words from explanations, and restores its spelling.
    Of a text of more than a million characters only the last million is searched.

    >>> reading = search("I start with a.\n1. **Stack a on b.**\n2. It is done (at last).",
    ...     Vocabulary({"stack": 2}, frozenset({"a", "b"})))
    >>> str(reading.plan), reading.skipped
    ('(stack a b)', ('2. It is done (at last).',))
    >>> search("<think>Let me see").status.value
    'truncated'
    """
    pure = _pure(text, vocabulary)
    if pure is not None:
        return pure
    visible, unclosed = without_reasoning(_tail(text))
    visible = _plain(visible, vocabulary)
    empty: Region | None = None
    doubtful: Reading | None = None
    in_tags = _in_tags(visible, vocabulary)
    if in_tags is not None:
        return _reading(in_tags, Region(0, len(text), "whole text"))
    for region in regions(visible):
        found = _in_region(visible, region, vocabulary)
        if found is not None and found.plan.steps:
            reading = _reading(found, region)
            if is_plausible(found.plan, vocabulary):
                return reading
            doubtful = doubtful or reading
        elif found is not None and not found.cut:
            return _nothing(region)
        else:
            unclosed = unclosed or found is not None
            if empty is None and _EMPTY.search(visible, region.start, region.end):
                empty = region
    if doubtful is not None:
        return doubtful
    if empty is not None:
        return _nothing(empty)
    status = Status.TRUNCATED if unclosed or _is_cut(visible) else Status.NO_ANSWER
    return Reading(None, "prose", status, 0, len(text), (), "nothing found")


def read(text: str) -> Plan:
    """Return the plan in a text, read without a vocabulary; raise `ParseError` for none.

    >>> str(read("The plan is: stack(a, b), noop()"))
    '(stack a b), (noop)'
    """
    reading = search(text)
    if reading.plan is None:
        raise ParseError(reading.status.value, text, reading.start)
    return reading.plan


def write(plan: Plan) -> str:
    """Return numbered lines; the empty plan in words.

    >>> write(read("stack(a, b)"))
    '1. (stack a b)'
    """
    if any(len(step) != 1 for step in plan):
        raise RenderError("numbered lines cannot express concurrent actions")
    lines = [f"{n}. {action}" for n, action in enumerate(plan.actions, 1)]
    text = "\n".join(lines) or "The plan is empty."
    if search(text).plan != plan:  # names can look like anything that prose gives a meaning
        raise RenderError("numbered lines cannot express the names of this plan")
    return text


def claim(text: str) -> int:
    """Claim only what says in a few words that the plan is empty.

    >>> claim("(empty plan)"), claim("The plan is empty."), claim("(empty jug)")
    (9, 9, 0)
    """
    return 9 if _SAYS_EMPTY.fullmatch(text) else 0


def _pure(text: str, vocabulary: Vocabulary | None) -> Reading | None:
    """Return the plan of a text that is one list in brackets, where nothing is markup, or empty."""
    region = Region(0, len(text), "whole text")
    if claim(text):
        return _nothing(region)
    if text.lstrip()[:1] != "[" or len(text) > _LONGEST:
        return None
    found = last_list(_plain(text, vocabulary), region, vocabulary)
    if found is None or text[: found.start].strip() or text[found.end :].strip():
        return None
    return _reading(replace(found, how="list"), region)


def _in_region(text: str, region: Region, vocabulary: Vocabulary | None) -> Found | None:
    """Return the plan in the last readable code fence of a region, or else in its text.

    A final answer that begins at once goes before. Fences without known actions, which may hold a
    state or commands, go behind all others and behind the text.
    """
    if region.final and (found := at_once(text, region, vocabulary)):
        return found
    inside = fences(text, region)
    if region.final and text[region.start : region.end].lstrip()[:3] in ("```", "~~~"):
        inside = inside[:1]
    read = (_in_body(text, fence, vocabulary) for fence in inside)
    fenced = [found for found in read if found is not None]
    known = [f for f in fenced if vocabulary is not None and vocabulary.knows_any(f.plan)]
    kept = known or fenced
    if not known or not kept:
        body = _in_body(text, region, vocabulary)
        if not kept or (body and vocabulary and vocabulary.knows_any(body.plan)):
            return body
    last = kept[-1]
    if len(kept) > 1 and all(len(found.plan) == 1 for found in kept):
        plan = Plan(tuple(step for found in kept for step in found.plan))
        return Found(plan, kept[0].start, last.end, "code fences", last.cut)
    others = (found for found in fenced if found.plan != last.plan and found.plan.steps)
    lines = (line for found in others for line in text[found.start : found.end].splitlines())
    how = f"last code fence, {last.how}"
    return replace(last, how=how, skipped=bounded((*last.skipped, *islice(lines, _MOST_LINES))))


def _in_body(text: str, region: Region, vocabulary: Vocabulary | None) -> Found | None:
    body = text[region.start : region.end].strip()
    if not body:
        return Found(Plan(), region.end, region.end, "nothing") if region.closed else None
    start = text.index(body[0], region.start)
    end = start + len(body)
    if region.listed and NOTHING.fullmatch(body):
        return Found(Plan(), start, end, "nothing", region.cut)
    pure = recognise(body, vocabulary)
    whole: Found | None = None
    if pure is not None and (pure.plan.steps or pure.notation != "pddl"):  # comments are no plan
        whole = Found(pure.plan, start, end, pure.notation, region.cut, pure.skipped)
        if pure.sure:
            return whole
    found = last_json(text, region, vocabulary) or last_list(text, region, vocabulary)
    if found is None or len(found.plan) <= 1 or not is_plausible(found.plan, vocabulary):
        found = _longer(found, in_lines(text, region, vocabulary), vocabulary)
    if whole is not None and not (found and is_plausible(found.plan, vocabulary)):
        return whole
    return found


def _longer(
    found: Found | None, lines: Found | None, vocabulary: Vocabulary | None
) -> Found | None:
    """Return the plan in lines rather than that of a list of one action or without known ones."""
    if found is None or lines is None:
        return found or lines
    merit = is_plausible(lines.plan, vocabulary), len(lines.plan)
    return lines if merit > (is_plausible(found.plan, vocabulary), len(found.plan)) else found


def _in_tags(text: str, vocabulary: Vocabulary | None) -> Found | None:
    """Return the plan of all the calls in ``<tool_call>`` tags, one after the other."""
    steps: list[Step] = []
    skipped: list[str] = []
    calls = tool_calls(text)
    for call in calls:
        inside = text[call.start : call.end].strip()
        found = recognise(inside, vocabulary)
        if found is not None and found.plan.steps:
            steps += found.plan.steps
            skipped += found.skipped
        elif not call.cut:
            skipped.append(inside)
    if not steps:
        return None
    start, end = calls[0].start, calls[-1].end
    return Found(Plan(tuple(steps)), start, end, "tool call tags", calls[-1].cut, bounded(skipped))


def _nothing(region: Region) -> Reading:
    status = Status.EXPLICITLY_EMPTY
    return Reading(Plan(), "prose", status, region.start, region.end, (), region.how)


def _reading(found: Found, region: Region) -> Reading:
    status = Status.TRUNCATED if found.cut else Status.OK
    how = found.how if region.how == "whole text" else f"{region.how}, {found.how}"
    return Reading(found.plan, "prose", status, found.start, found.end, found.skipped, how)


def _tail(text: str) -> str:
    """Return the text, with blanks for all but its end where it is too long for an answer."""
    if len(text) <= _LONGEST:
        return text
    start = text.find("\n", len(text) - _LONGEST) + 1 or len(text) - _LONGEST
    return " " * start + text[start:]


def _plain(text: str, vocabulary: Vocabulary | None) -> str:
    """Return the text, as long as before, with plain blanks, brackets, and hyphens in words."""
    text = text.replace("\\ ", "  ")  # as in LaTeX
    if text.isascii():
        return text
    text = text.translate(WIDE)
    return _DASHED.sub(lambda found: _hyphened(found[0], vocabulary), text)


def _hyphened(word: str, vocabulary: Vocabulary | None) -> str:
    """Fold the dashes in a word; a long one may also part two words."""
    folded = word.translate(_HYPHENS)
    if vocabulary is None or not ("—" in word or "―" in word):
        return folded
    known = vocabulary.action(folded) or vocabulary.object(folded)
    return folded if known else word.translate(_SHORT_HYPHENS)


def _is_cut(text: str) -> bool:
    """Tell whether a text without a plan ends inside an action, a list or a code fence."""
    region = Region(0, len(text), "whole text")
    if ends_early(text, region) or any(fence.cut for fence in fences(text, region)):
        return True
    return any(not complete for *_, complete in find_json(text, 0, len(text)))


NOTATIONS.add("prose", Notation("prose", "a model's free text", read, write, claim, search))
