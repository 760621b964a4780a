"""Reading action sequences for BEHAVIOR: lists of ``{"action": name, "object": "name"}``.

The actions that take two objects have both names in one text, with a comma between them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from plangauge.errors import did_you_mean
from plangauge.model import Action, Fault
from plangauge.parse.actions import unwrapped
from plangauge.parse.answers import without_reasoning
from plangauge.parse.tolerant_json import Array, Json, Number, Object, find_json

Item: TypeAlias = tuple[Any, Any]
"""What stands under ``action`` and under ``object``: two texts, if all is well."""

_LONGEST_NAME = 80

_PLAN = msgspec.json.Decoder(list[dict[str, str]])


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


def read_answer(text: str) -> list[Item]:
    r"""Return the items of the last list of actions in an answer; raise `Unreadable` for none.

    The list may stand in code fences and prose, behind reasoning, and under a key like ``plan``,
    with single quotes, comments, trailing commas or Python's constants. Objects without a list are
    the items of one. Every item must be well-formed: nothing is passed over.

    >>> read_answer("Sure! [{'action': 'OPEN', 'object': 'box_1'},  # first\n] (see [1])")
    [('OPEN', 'box_1')]
    >>> read_answer('[{"action": "OPEN", "object": 1}]')
    Traceback (most recent call last):
        ...
    plangauge.parse.households.behavior.Unreadable: item 1 has no text under 'object'
    """
    if "<" not in text:  # which could begin reasoning
        quickly = strictly(text[text.find("[") : text.rfind("]") + 1])
        if quickly and all("action" in item and "object" in item for item in quickly):
            return [(item["action"], item["object"]) for item in quickly]
    return [_item(value, number) for number, value in enumerate(_listed(text), start=1)]


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


def _listed(text: str) -> Array:
    """Return the items of the last list of actions, or those that stand alone."""
    visible, unfinished = without_reasoning(text)
    alone, last, empty = Array(), None, False
    for value, _, _, complete in find_json(visible, 0, len(visible)):
        inner = unwrapped(value)
        if isinstance(inner, Array) and any(map(_is_action, inner)):
            last = inner
        elif _is_action(inner):
            alone.append(inner)
        empty |= inner == []
        if not complete and (last is inner or _is_action(inner)):
            raise Unreadable("the answer ends inside the list of actions")
    if last is not None:
        return last
    if not alone:
        missing = "action in the list" if empty else "list of actions"
        raise Unreadable(f"there is no {missing}{'; the reasoning has no end' * unfinished}")
    return alone


def _is_action(value: Json) -> bool:
    return isinstance(value, Object) and any(key == "action" for key, _ in value)


def _item(value: Json, number: int) -> Item:
    if not isinstance(value, Object):
        raise Unreadable(f"item {number} is no object")
    found = value.get("action"), value.get("object")
    for key, text in zip(("action", "object"), found, strict=True):
        if isinstance(text, Number) or not isinstance(text, str):
            raise Unreadable(f"item {number} has no text under {key!r}")
    return found


def _shown(name: object) -> str:
    text = repr(name if not isinstance(name, str) else name[: _LONGEST_NAME + 1])
    return text if len(text) <= _LONGEST_NAME + 2 else f"{text[:_LONGEST_NAME]}…"
