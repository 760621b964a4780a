"""Reading plans for VirtualHome by default: robustly, but with nothing passed over.

The prompt asks for ``{"WALK": ["couch", "352"], "STANDUP": []}``, in which a key may come more than
once. Also read are lists of such objects, ``{"action": "WALK", "object": "couch_352"}``, tool
calls, lists like ``["WALK", "couch_352"]``, and the steps of programs as texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator
from typing import TypeAlias

from plangauge.errors import ParseError
from plangauge.model import Action
from plangauge.parse.actions import NAMES, read_action, unwrapped
from plangauge.parse.answers import Region, fences, regions, without_reasoning
from plangauge.parse.tolerant_json import (
    Array,
    Json,
    Number,
    Object,
    canonical,
    find_json,
    read_json,
)

Call: TypeAlias = tuple[str, list[str]]
"""The name of an action, and the texts of its arguments."""

_LONGEST_SEARCHED = 1 << 20
_OPENS = re.compile(r"\s*+[\[{]")
_BETWEEN = re.compile(r"[\s,;]*+")
_LABEL = re.compile(r"[\s,;]*+(?:[-*]\s*+)?+[(*]*+(?:step\s*+|STEP\s*+|Step\s*+)?+\d++[.):*]++\s*+")
_ONLY_OPENS = re.compile(r"[\s,;]*+[\[{]\s*+")
_BRACKET = re.compile(r"[\[\]{}]")
_BEGINS = re.compile(r"[\[{]\s*+(?:[\"'\[{]|\.\.)")
_STEP = re.compile(r"\s*+\[(\w++)\]((?:\s*+<[^<>]*+>\s*+\([\d.]*+\))*+)\s*+")
_STEP_ARGUMENT = re.compile(r"<([^<>]*+)>\s*+\((?:\d++\.)?(\d++)\)")
_NO_NAME = re.compile(r"[<>()\s]")
_ARGUMENTS = ("arguments", "args", "parameters", "params", "input")
_WRAPPER = re.compile(r"(?:FINAL[ _]*+)?+(?:PLAN|ACTIONS?|OUTPUT|ANSWER|SOLUTION|STEPS?[ _]*+\d*+)")
_REMARKS = frozenset(
    (
        *("step", "index", "number", "order", "type", "reason", "reasoning", "thought", "thoughts"),
        *("explanation", "comment", "note", "description", "why", "effect", "result", "state"),
        *("step_number", "step_index", "step_id", "rationale", "justification", "status"),
    )
)
_CUT = "the answer ends inside the plan"
_BROKEN = "the plan is no JSON"


class Unreadable(ValueError):
    """There is no plan in an answer; says why."""


def read_answer(text: str, actions: Collection[str]) -> list[Call]:
    """Return the calls of the last plan in an answer; raise `Unreadable` where there is none.

    The plan may stand in code fences and prose and behind reasoning, with single quotes, comments,
    trailing commas or Python's constants. ``actions`` are the names that plans are known by. A
    plan is none that is cut short (only closing brackets may be missing), part of which is no
    JSON, or that is empty, which the prompt forbids. Of a text of more than a million characters
    that is not all JSON, the last million is searched.

    >>> read_answer("Well: {'WALK': ['couch', 352], 'STANDUP': [],} # done", {"WALK", "STANDUP"})
    [('WALK', ['couch', '352']), ('STANDUP', [])]
    >>> read_answer('{"WALK": ["couch", "35', {"WALK"})
    Traceback (most recent call last):
        ...
    plangauge.parse.households.virtualhome.Unreadable: the answer ends inside the plan
    """
    reader = _Reader(actions)
    calls = reader.whole(text)
    if calls is None:
        visible, unfinished = without_reasoning(text[-_LONGEST_SEARCHED:])
        calls = reader.searched(visible)
        if calls is None:
            ends = "; the reasoning has no end" if unfinished else ""
            raise Unreadable(f"there is no plan{ends}")
    if not calls:
        raise Unreadable("the plan is empty")
    return calls


def action_of(call: Call, objects: Container[str]) -> Action:
    """Return the action of a call, with objects named by class and id.

    ``objects`` are those that exist; what names none of them stays as it is written.

    >>> objects = {"cup_1000", "sink_24"}
    >>> str(action_of(("PUTIN", ["cup", "1000", "<sink> (24)"]), objects))
    '(PUTIN cup_1000 sink_24)'
    """
    name, texts = call
    args: list[str] = []
    rest = texts[::-1]
    while rest:
        text = rest.pop()
        if text not in objects:
            number = rest[-1].strip("()") if rest else ""
            if number.isdecimal():
                text = f"{text.strip('<>')}_{number}"
                rest.pop()
            else:
                text = _numbered(text) or text
        args.append(text)
    return Action(name, tuple(args))


class _Reader:
    """Looks for plans whose actions have some names."""

    def __init__(self, actions: Collection[str]) -> None:
        self.actions = actions
        names = "|".join(map(re.escape, sorted(actions)))
        plainly = rf"\s*+\{{?+\s*+[\"']?+(?:{names})\b[\"']?+\s*+[:,]"
        within = rf"\s*+[\"']?+\w++[^\[\]{{}}\n]*[\"'](?:{names})[\"']"
        self.begins = re.compile(rf"[\[{{](?:{plainly}|{within})")

    def whole(self, text: str) -> list[Call] | None:
        """Return the calls of a text that is JSON altogether; None for any other."""
        if _OPENS.match(text) is None:
            return None
        try:
            value, end, complete = read_json(text, tolerant=True)
        except ParseError:
            return None
        if not complete and not _lacks_only_brackets(text, 0, end):
            raise Unreadable(_CUT)
        return self.plan(value) if text[end:].isspace() or end == len(text) else None

    def searched(self, text: str) -> list[Call] | None:
        """Return the calls of the last plan in a text; one without known actions if all are so."""
        doubtful: list[Call] | None = None
        for region in regions(text):
            for body in [*reversed(fences(text, region)), region]:
                calls = self.in_body(text, body)
                one_of_several = body is not region and calls is not None and len(calls) == 1
                if calls and self.knows(calls) and not one_of_several:
                    later = self.in_body(text, Region(body.end, region.end, region.how))
                    return later if later and self.knows(later) else calls
                doubtful = doubtful or calls
        return doubtful

    def knows(self, calls: list[Call]) -> bool:
        """Return whether any of some calls is one of an action."""
        return any(name in self.actions for name, _ in calls)

    def in_body(self, text: str, body: Region) -> list[Call] | None:
        """Return the calls of the last plan in a part of a text.

        Values with nothing but numbers between them make one plan, but for one that is written
        twice; so do single actions with prose between them. What is empty is no plan where there
        is another.
        """
        plan: list[Call] | None = None
        single = False
        position = body.start
        gaps = _Gaps(text)
        for value, start, end, complete in find_json(text, body.start, body.end):
            self.check_skipped(text, position, start)
            gaps.add(position, start)
            behind = bool(plan) and _BETWEEN.fullmatch(text, position, start) is not None
            about = self.mentions_action(value)
            if (about or behind) and not (complete or _lacks_only_brackets(text, start, end)):
                raise Unreadable(_CUT)
            if about and gaps.open:
                raise Unreadable(_BROKEN)
            calls = self.plan(value)
            if calls or (calls is not None and plan is None):
                alone = len(calls) == 1 and isinstance(value, Object)
                joins = behind or (single and alone) or _is_label(text, position, start)
                single = alone and (single or not plan or not joins)
                plan = _joined(plan, calls) if plan and joins else calls
            position = end
        self.check_skipped(text, position, body.end)
        if plan and _ONLY_OPENS.fullmatch(text, position, body.end):
            raise Unreadable(_CUT)
        return plan

    def check_skipped(self, text: str, start: int, end: int) -> None:
        """Raise `Unreadable` where a part of a text that is no JSON begins like a plan."""
        if self.begins.search(text, start, end):
            raise Unreadable(_BROKEN)

    def mentions_action(self, value: Json) -> bool:
        """Return whether a name of an action is anywhere in a value."""
        if isinstance(value, Array):
            return any(map(self.mentions_action, value))
        if isinstance(value, Object):
            return any(key in self.actions or self.mentions_action(inner) for key, inner in value)
        return isinstance(value, str) and value in self.actions

    def plan(self, value: Json) -> list[Call] | None:
        """Return the calls of a value; None where it is no plan."""
        value = unwrapped(value)
        if isinstance(value, Array) and [*map(self.is_action, value)].count(True) == 1:
            name, *args = value
            if isinstance(name, str) and self.is_action(name):
                return [(name, _texts(Array(args)))]
        if not isinstance(value, Array | Object):
            return None
        try:
            return list(self.calls(value))
        except _NoPlan:
            return None

    def is_action(self, value: Json) -> bool:
        """Return whether a value is the name of an action."""
        return isinstance(value, str) and value in self.actions

    def calls(self, value: Array | Object) -> Iterator[Call]:
        if isinstance(value, Object):
            yield from self.members(value)
            return
        for item in value:
            if isinstance(item, Object):
                yield from self.members(item)
            elif isinstance(item, Array):
                yield from self.listed(item)
            else:
                yield self.text(item)

    def listed(self, item: Array) -> Iterator[Call]:
        """Yield the call ``[name, argument, ...]``, or the calls in a list of them."""
        if item and isinstance(item[0], str) and not isinstance(item[0], Number):
            yield item[0], _texts(Array(item[1:]))
        else:
            yield from self.calls(item)

    def members(self, item: Object) -> Iterator[Call]:
        """Yield the call that an object is, or one for each of its members."""
        name = item.get(*NAMES)
        if isinstance(name, Object):
            yield from self.members(name)
        elif isinstance(name, str) and not isinstance(name, Number):
            yield name, _given(item)
        else:
            for key, value in item:
                yield from self.member(key, value)

    def member(self, key: str, value: Json) -> Iterator[Call]:
        """Yield the call of a member, or those that stand behind a key that names no action."""
        known = key.upper() in self.actions
        wraps = _WRAPPER.fullmatch(key) is not None
        if known or (key.isupper() and not wraps):
            yield key, _texts(value)
        elif wraps and isinstance(value, Array):
            yield from self.wrapped(value)
        elif isinstance(value, Array) and any(isinstance(part, Array | Object) for part in value):
            yield from self.calls(value)
        elif isinstance(value, Object):
            yield from self.members(value)
        elif isinstance(value, Array):
            yield key, _texts(value)
        elif isinstance(value, str) and not _is_remark(key):
            yield self.text(value)

    def wrapped(self, value: Array) -> list[Call]:
        """Return the calls of a list that is a plan, whatever its shape."""
        calls = self.plan(value)
        if calls is None:
            raise _NoPlan
        return calls

    def text(self, item: Json) -> Call:
        """Return the call that a text is; raise `_NoPlan` for anything else."""
        if isinstance(item, Number) or not isinstance(item, str):
            raise _NoPlan
        if step := _STEP.fullmatch(item):
            pairs = _STEP_ARGUMENT.findall(step[2])
            return step[1], [text for pair in pairs for text in pair]
        inside = item.strip()
        if inside.startswith("(") and inside.endswith(")"):
            inside = inside[1:-1]
        action = read_action(inside)
        if action is None or action.name.upper() not in self.actions:
            raise _NoPlan
        return action.name, list(action.args)


def _numbered(text: str) -> str | None:
    """Return the name of an object whose class and id stand in one text; None for other texts."""
    front = text.removesuffix(")")
    head = front.rstrip("0123456789")
    kind = head.removesuffix("(").rstrip(" \t\n._").removesuffix(">").removeprefix("<")
    if not kind or len(head) == len(front) or _NO_NAME.search(kind):
        return None
    return f"{kind}_{front[len(head) :]}"


def _lacks_only_brackets(text: str, start: int, end: int) -> bool:
    """Return whether a value that ends too early ends with a whole list or object.

    A bracket is part of a cut text if there is more in the value once a quote ends that text.
    """
    found = text[start:end].rstrip()
    if not found.endswith(("]", "}")):
        return False
    value = _tolerantly(found)
    return all(_tolerantly(found + more) in (None, value) for more in ('"', "'", '":0', "':0"))


def _tolerantly(text: str) -> Json:
    """Return the value that a text begins with; None where there is none."""
    try:
        return read_json(text, tolerant=True)[0]
    except ParseError:
        return None


class _Gaps:
    """Reads what stands between values, to know whether one that is no JSON is still open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.opened: list[bool] = []
        self.open = 0
        """How many brackets are open that begin like JSON."""

    def add(self, start: int, end: int) -> None:
        """Read a part of the text."""
        for bracket in _BRACKET.finditer(self.text, start, end):
            if bracket[0] in "[{":
                self.opened.append(_BEGINS.match(self.text, bracket.start(), end) is not None)
                self.open += self.opened[-1]
            elif self.opened:
                self.open -= self.opened.pop()


def _is_label(text: str, start: int, end: int) -> bool:
    """Return whether a part of a text is only the number of a step."""
    return _LABEL.fullmatch(text, start, end) is not None


def _joined(plan: list[Call], calls: list[Call]) -> list[Call]:
    if len(calls) == 1 or plan != calls:
        plan.extend(calls)
    return plan


class _NoPlan(ValueError):
    """A value has none of the shapes of a plan."""


def _given(item: Object) -> list[str]:
    """Return the arguments in an object that names its action."""
    for key in _ARGUMENTS:
        if (value := item.get(key)) is not None:
            return _texts(_decoded(value))
    texts: list[str] = []
    for key, value in item:
        of_object = texts or key.lower() != "id"  # in front of the object it is the call's own
        if key not in NAMES and not _is_remark(key) and of_object:
            texts += _texts(value)
    return texts


def _decoded(value: Json) -> Json:
    """Return what is written as JSON in a text, as in tool calls, or the value itself."""
    if isinstance(value, str) and _OPENS.match(value):
        try:
            return read_json(value, tolerant=True)[0]
        except ParseError:
            return value
    return value


def _texts(value: Json) -> list[str]:
    """Return the texts in a value, however deep; numbers as they are counted."""
    if value is None:
        return []
    if isinstance(value, Array):
        return [text for part in value for text in _texts(part)]
    if isinstance(value, Object):
        return [text for key, part in value if not _is_remark(key) for text in _texts(part)]
    if isinstance(value, Number) or not isinstance(value, str):
        return [canonical(value)]
    return [part for text in value.split(",") if (part := text.strip())]


def _is_remark(key: str) -> bool:
    return key.lower() in _REMARKS
