"""Tool calls of chat models as plans: one step per call, with ``key=value`` as arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from plangauge.errors import ParseError, RenderError
from plangauge.model import Action, Plan
from plangauge.parse.actions import NotAPlan
from plangauge.parse.base import NOTATIONS, Notation
from plangauge.parse.tolerant_json import (
    DEPTH,
    Array,
    Json,
    Number,
    Object,
    canonical,
    members,
    quoted,
    read_json,
    whole_json,
)

_INNER_DEPTH = DEPTH - 4  # leaves room for the lists and messages around the arguments
_BLANK = re.compile(r"\s*+")
_START = re.compile(r"\s*+[\[{]")
_KEYS = re.compile(r'"(?:tool_calls|tool_use|function_call|name)"\s*+[:,}\]]')
_ARGUMENTS = ("arguments", "args", "parameters", "input")
_LABELS = ("name", "id", "type")
_LISTS = ("messages", "output", "tool_calls")
_CALLS = ("function_call", "function", "functionCall", "toolUse")
"""Where a message, or a part of one, has a call: in OpenAI's, Google's and Amazon's interfaces."""
_Call: TypeAlias = "tuple[str, Json]"
"""The name and the arguments of a call."""


def read(text: str) -> Plan:
    """Return the plan of the tool calls in a JSON text or JSON Lines, one step each, in order.

    Read are messages and completions of OpenAI's (chat and responses), Anthropic's, Google's and
    Amazon's (converse) interfaces, conversations of such messages, and plain lists of
    ``{"name", "arguments"}``. The arguments of
    an action are ``key=value`` in the order of the keys; values are canonical JSON, but a text is
    written bare unless it could be taken for JSON. Arguments given as a text that is no JSON object
    make one argument ``=value``, so that one bad call does not hide the others. A JSON list of
    arguments, which have no names, is a `ParseError`.

    >>> calls = read('[{"name": "f", "arguments": {"q": "hello world", "n": 2.0, "m": "2"}}]')
    >>> calls.actions[0].args
    ('m="2"', 'n=2', 'q=hello world')
    """
    return Plan.of(*(_keyed(call) for call in _all_calls(text)))


def write(plan: Plan) -> str:
    r"""Return a list of ``{"name", "arguments"}``, with the arguments as JSON text.

    >>> write(Plan.of(Action("f", ("n=2",))))
    '[{"name": "f", "arguments": "{\\"n\\":2}"}]'
    """
    return "[" + ", ".join(map(_written, map(_only, plan))) + "]"


def claim(text: str) -> int:
    """Claim JSON that mentions names or tool calls.

    >>> claim('[{"name": "f", "arguments": {}}]'), claim('["f"]')
    (7, 0)
    """
    return 7 if _START.match(text) and _KEYS.search(text) else 0


def _blank_until(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _all_calls(text: str) -> Iterator[_Call]:
    position = end = 0
    while end == 0 or (position := _blank_until(text, end)) < len(text):
        value, end, _ = read_json(text, position)
        try:
            yield from _calls(value)
        except NotAPlan as error:
            raise ParseError(str(error), text, position) from None


def _calls(value: Json) -> Iterator[_Call]:
    """Yield the calls in a value; what else a conversation holds is passed over."""
    if isinstance(value, Array):
        for item in value:
            yield from _calls(item)
    elif not isinstance(value, Object):
        raise NotAPlan("expected an object with a tool call")
    elif isinstance(choices := value.get("choices", "candidates"), Array):
        yield from _calls(Array(choices[:1]))  # the others are alternatives
    elif isinstance(message := _wrapped(value), Object):
        yield from _calls(message)
    elif isinstance(value.get(*_LISTS), Array) and not isinstance(value.get("name"), str):
        yield from _calls(value.get(*_LISTS))
    else:
        yield from _own_calls(value)


def _wrapped(value: Object) -> Json:
    """Return the message in what is nothing but its wrapper, if anything."""
    if isinstance(message := value.get("message"), Object):
        return message
    inner = value.get("content", "output")
    alone = not any(value.get(key) for key in ("role", *_LABELS))
    is_message = isinstance(inner, Object) and inner.get("role", "message") is not None
    return inner if alone and is_message else None


def _own_calls(value: Object) -> Iterator[_Call]:
    """Yield the calls of one message, one block of its content, or one plain call."""
    inner = value.get(*_CALLS)
    if isinstance(inner, Object):
        yield _call(inner)
    elif value.get("type") in ("tool_use", "function_call") or _is_plain_call(value):
        yield _call(value)
    elif value.get("role") in ("assistant", "model"):
        yield from _calls_in(value.get("content", "parts"))
    elif value.get("role") is None and value.get("type") is None:
        raise NotAPlan("expected a message or a tool call")


def _calls_in(content: Json) -> Iterator[_Call]:
    """Yield the calls among the blocks of a message."""
    for block in content if isinstance(content, Array) else ():
        if isinstance(block, Object):
            inner = block.get(*_CALLS)
            if isinstance(inner, Object):
                yield _call(inner)
            elif block.get("type") == "tool_use":
                yield _call(block)


def _is_plain_call(value: Object) -> bool:
    if value.get("role") is not None:
        return False
    return any(key in _ARGUMENTS for key, _ in value) or all(key in _LABELS for key, _ in value)


def _call(value: Object) -> _Call:
    name = value.get("name")
    if not isinstance(name, str) or isinstance(name, Number):
        raise NotAPlan("a tool call without a name")
    given = value.get(*_ARGUMENTS)
    if isinstance(given, Array):
        raise NotAPlan(f"the arguments of the call of {name} are not named")
    if isinstance(given, str) and not isinstance(given, Number):
        given = _decoded(given) if given else None
    return name, given


def _keyed(call: _Call) -> Action:
    name, given = call
    if given is None:
        return Action(name)
    if isinstance(given, Object):
        pairs = members(given)
        return Action(name, tuple(f"{_key(key)}={_encoded(inner)}" for key, inner in pairs))
    return Action(name, (f"={_encoded(given)}",))


def _decoded(text: str) -> Json:
    """Return the JSON value of a text, or the text itself where it is no JSON."""
    try:
        return whole_json(text, depth=_INNER_DEPTH)
    except ParseError:
        return text


def _encoded(value: Json) -> str:
    """Return the text of a value, which `_decoded` gives back."""
    if isinstance(value, str) and not isinstance(value, Number):
        return value if _decoded(value) is value else quoted(value)
    return canonical(value)


def _key(key: str) -> str:
    return quoted(key) if not key or key[0] == '"' or "=" in key else key


def _only(step: frozenset[Action]) -> Action:
    if len(step) != 1:
        raise RenderError("tool calls are made one after another")
    return next(iter(step))


def _written(action: Action) -> str:
    if len(action.args) == 1 and action.args[0].startswith("="):
        arguments = action.args[0][1:]
        value: Json = _decoded(arguments)
        bad = value is None or value == "" or isinstance(value, Object)
    else:
        pairs = [_pair(arg) for arg in action.args]
        value = Object(pairs)
        arguments = canonical(value)
        bad = members(value) != pairs
    back = Object([("name", action.name), ("arguments", arguments)])
    if bad or _keyed(_call(back)) != action:
        raise RenderError(f"tool calls cannot express the arguments of {action.name!r}")
    return f'{{"name": {quoted(action.name)}, "arguments": {quoted(arguments)}}}'


def _pair(arg: str) -> tuple[str, Json]:
    key, separator, value = arg.partition("=")
    if arg.startswith('"'):
        try:
            read, end, _ = read_json(arg)
        except ParseError:
            read, end = "", 0
        key, separator, value = str(read), arg[end : end + 1], arg[end + 1 :]
    if separator != "=":
        raise RenderError(f"tool calls cannot express the argument {arg!r}")
    return key, _decoded(value)


NOTATIONS.add("tool_calls", Notation("tool_calls", "tool calls of models", read, write, claim))
