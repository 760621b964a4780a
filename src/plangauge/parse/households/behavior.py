"""Reading action sequences for BEHAVIOR: lists of ``{"action": name, "object": "name"}``.

The actions that take two objects have both names in one text, with a comma between them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from plangauge.errors import did_you_mean
from plangauge.model import Action, Fault
from plangauge.parse.actions import ARGUMENTS, unwrapped
from plangauge.parse.answers import without_reasoning
from plangauge.parse.tolerant_json import Array, Json, Number, Object, find_json

Item: TypeAlias = tuple[Any, Any]
"""What stands under ``action`` and under ``object``: two texts, if all is well."""

_LONGEST_NAME = 80

_PLAN = msgspec.json.Decoder(list[dict[str, str]])
_QUOTE = "[\"'\u201c\u201d]"
_BEGINS = re.compile(  # like an item: a key behind a brace, or a quoted key with a text behind it
    rf"\{{\s*+{_QUOTE}?+(?:action|objects?+|arguments?+){_QUOTE}?+\s*+(?::|{_QUOTE})"
    rf"|(?:{_QUOTE}(?:action|object)|\b(?:action|object){_QUOTE}){_QUOTE}?+\s*+:?+\s*+{_QUOTE}",
    re.IGNORECASE,
)
_LISTED_NAME = re.compile(rf"[\[(]\s*+{_QUOTE}?+(\w++){_QUOTE}")
_GOES_ON = re.compile(rf"(?:[,\[({{]|{_QUOTE}\s*+:)\s*+\Z")
_OPENED = re.compile(r"[\[{]\s*+\Z")
_DIGIT = re.compile(r"\d")
_LONGEST_LINK = 200
_CUT = "the answer ends inside the list of actions"
_OBJECTS = ("object", *ARGUMENTS)


class Unreadable(ValueError):
    """There is no action sequence in an answer; says why."""


class NoText(ValueError):
    """What stands under ``object`` is no text."""


@dataclass(frozen=True)
class Slip:
    """What keeps a sequence from being executed at all: an unknown name, a wrong number of them."""

    fault: Fault
    index: int
    message: str


def read_answer(text: str, actions: Collection[str] = ()) -> list[Item]:
    r"""Return the items of the last list of actions in an answer; raise `Unreadable` for none.

    The list may stand in code fences and prose, behind reasoning, and under a key like ``plan``,
    with single quotes, comments, trailing commas or Python's constants. Objects without a list are
    the items of one. Lists in the list, and objects with numbered keys, are taken for what is in
    them; ``["OPEN", "box"]`` is an item if the name is one of ``actions``. Every item must be
    well-formed: nothing is passed over, neither an item that is no JSON nor one that is cut off.

    >>> read_answer("Sure! [{'action': 'OPEN', 'object': 'box_1'},  # first\n] (see [1])")
    [('OPEN', 'box_1')]
    >>> read_answer('[{"action": "OPEN", "object": 1}]')
    Traceback (most recent call last):
        ...
    plangauge.parse.households.behavior.Unreadable: item 1 has no text under 'object'
    """
    start, end = text.find("["), text.rfind("]") + 1
    around = (text.find("{", 0, max(start, 0)), text.find("{", end), text.find("[", end))
    if "<" not in text and around == (-1, -1, -1):  # no reasoning, and nothing else that opens
        quickly = strictly(text[start:end])
        if quickly and all("action" in item and "object" in item for item in quickly):
            return [(item["action"], item["object"]) for item in quickly]
    values = _Reader(actions).listed(text)
    return [_item(value, number) for number, value in enumerate(values, start=1)]


def names_in(text: str) -> list[str]:
    """Return the names of objects in what stands under ``object``.

    >>> names_in("shelf_1, floor_0")
    ['shelf_1', 'floor_0']
    """
    return [name.strip() for name in text.split(",")]


def find_slip(
    items: Sequence[Item], schemas: Mapping[str, Sequence[str]], objects: Collection[str]
) -> Slip | None:
    """Return the first unknown name or, if there is none, the first wrong number of objects.

    Raises `NoText` where EAI's evaluation ends in an exception: at an object that is no text.

    >>> items = [("OPEN", "a, b"), ("OPEN", "c")]
    >>> find_slip(items, {"OPEN": ("object",)}, ["a", "b"]).message
    "there is no object 'c'"
    >>> find_slip(items[:1], {"OPEN": ("object",)}, ["a", "b"]).message
    "'a, b': OPEN takes 1 object, not 2"
    """
    for index, (action, text) in enumerate(items):
        if not isinstance(action, str) or action not in schemas:
            hint = did_you_mean(action, schemas) if isinstance(action, str) else ""
            return Slip(Fault.HALLUCINATION, index, f"there is no action {_shown(action)}{hint}")
        if not isinstance(text, str):
            raise NoText(f"item {index + 1} has no text under 'object'")
        for name in (text,) if text in objects else names_in(text):
            if name not in objects:
                message = f"there is no object {_shown(name)}{did_you_mean(name, objects)}"
                return Slip(Fault.HALLUCINATION, index, message)
    for index, (action, text) in enumerate(items):
        wanted, found = len(schemas[action]), text.count(",") + 1
        if wanted != found:
            message = f"{_shown(text)}: {action} takes {wanted} object{'s' * (wanted > 1)}"
            return Slip(Fault.ARGUMENT, index, f"{message}, not {found}")
    return None


def actions_of(items: Sequence[Item]) -> list[Action]:
    """Return the actions of items without a slip."""
    return [
        Action(action, tuple(names_in(text)) if "," in text or " " in text else (text,))
        for action, text in items
    ]


def strictly(text: str) -> list[dict[str, str]] | None:
    """Return a JSON list of objects of texts, which is what nearly all answers are; else None."""
    try:
        return _PLAN.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


class _Reader:
    """Looks for the last list of actions; ``actions`` are the names that are known."""

    def __init__(self, actions: Collection[str]) -> None:
        self.actions = actions

    def listed(self, text: str) -> Array:
        """Return the items of the last list of actions, or those that stand alone."""
        visible, unfinished = without_reasoning(text)
        alone, last = Array(), Array()
        empty = broken = False
        position = 0
        for value, start, end, complete in find_json(visible, 0, len(visible)):
            broken |= self.begins(visible, position, start)
            position = end
            inner = unwrapped(value)
            items = self.items(inner)
            if not complete and (items or last or alone):
                raise Unreadable(_CUT)
            if len(items) > 1 or (items and items[0] is not inner and isinstance(inner, Array)):
                last, broken = items, broken and _goes_on(visible, start)
            else:
                alone += items
            empty |= inner == []
        if broken or self.begins(visible, position, len(visible)):
            raise Unreadable("part of the list of actions is no JSON")
        if (last or alone) and _OPENED.search(visible, max(position, len(visible) - _LONGEST_LINK)):
            raise Unreadable(_CUT)
        if not (last or alone):
            missing = "action in the list" if empty else "list of actions"
            raise Unreadable(f"there is no {missing}{'; the reasoning has no end' * unfinished}")
        return last or alone

    def begins(self, text: str, start: int, end: int) -> bool:
        """Return whether a part of a text that is no JSON looks like an item."""
        names = _LISTED_NAME.finditer(text, start, end)
        named = any(name[1].upper() in self.actions for name in names)
        return named or _BEGINS.search(text, start, end) is not None

    def items(self, value: Json) -> Array:
        """Return the items in a value, in order; none if it is no plan."""
        return Array(self.flat(value)) if self.has_action(value) else Array()

    def flat(self, value: Json) -> Iterator[Json]:
        """Yield the items in a list, however deep, and what is none as it is."""
        if self.is_action(value) or not self.has_action(value):
            yield value
            return
        assert isinstance(value, Array | Object)
        for part in value:
            yield from self.flat(part[1] if isinstance(part, tuple) else part)

    def has_action(self, value: Json) -> bool:
        """Return whether a value is an item, or a list or a numbered object with one."""
        if self.is_action(value):
            return True
        if isinstance(value, Object):
            numbered = all(_DIGIT.search(key) for key, _ in value)
            return numbered and any(self.has_action(inner) for _, inner in value)
        return isinstance(value, Array) and any(map(self.has_action, value))

    def is_action(self, value: Json) -> bool:
        """Return whether a value is meant as an item."""
        if isinstance(value, Object):
            return any(key.lower() == "action" for key, _ in value)
        if not isinstance(value, Array) or len(value) < 2 or not self.is_name(value[0]):
            return False
        return not any(map(self.is_name, value[1:])) and not any(map(self.has_action, value[1:]))

    def is_name(self, value: Json) -> bool:
        """Return whether a value is the name of an action that is known."""
        return isinstance(value, str) and value.upper() in self.actions


def _goes_on(text: str, start: int) -> bool:
    """Return whether what begins here is a part of what stands before it."""
    return _GOES_ON.search(text, max(0, start - _LONGEST_LINK), start) is not None


def _item(value: Json, number: int) -> Item:
    name: Json
    objects: Json
    if isinstance(value, Array) and value:
        name, objects = value[0], Array(value[1:])
    elif isinstance(value, Object):
        name, objects = _member(value, ("action",)), _member(value, _OBJECTS)
    else:
        raise Unreadable(f"item {number} is no object")
    found = name, _joined(objects)
    for key, text in zip(("action", "object"), found, strict=True):
        if isinstance(text, Number) or not isinstance(text, str):
            raise Unreadable(f"item {number} has no text under {key!r}")
    return found


def _member(value: Object, keys: Sequence[str]) -> Json:
    """Return the last value under the first of some keys that is there, written small or not."""
    folded = Object((key.lower(), inner) for key, inner in value)
    return folded.get(*keys)


def _joined(value: Json) -> Json:
    """Return the names in a list or an object as one text; what is not all texts as it is."""
    if not isinstance(value, Array | Object):
        return value
    parts = [part[1] if isinstance(part, tuple) else part for part in value]
    texts = [part for part in parts if isinstance(part, str) and not isinstance(part, Number)]
    return ", ".join(texts) if texts and len(texts) == len(parts) else value


def _shown(name: object) -> str:
    text = repr(name if not isinstance(name, str) else name[: _LONGEST_NAME + 1])
    return text if len(text) <= _LONGEST_NAME + 2 else f"{text[:_LONGEST_NAME]}…"
