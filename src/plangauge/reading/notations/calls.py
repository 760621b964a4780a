"""Tool calls of language models as plans: one step per call, with ``key=value`` as arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from plangauge.core.errors import ParseError, RenderError
from plangauge.core.model import Action, Plan
from plangauge.reading.json_text import (
    DEPTH,
    Array,
    Json,
    Object,
    canonical,
    is_text,
    members,
    quoted,
    read_json,
    whole_json,
)
from plangauge.reading.notations import NOTATIONS, Notation, are_slots
from plangauge.reading.notations.actions import NotAPlan, called_with
from plangauge.reading.vocabulary import Vocabulary

_INNER_DEPTH = DEPTH - 4  # leaves room for the lists and messages around the arguments
_ARGUMENTS = ("arguments", "args", "parameters", "input")
_LABELS = ("name", "id", "type")
_CALLS = ("function_call", "function", "functionCall", "toolUse")
"""Where a message, or a part of one, has a call: in OpenAI's, Google's and Amazon's interfaces."""
_CONTENTS = ("message", "messages", "output", "tool_calls", "content", "parts")
_CHOICES = ("choices", "candidates")
_Call: TypeAlias = "tuple[str, Json]"
"""The name and the arguments of a call."""

_BLANK = re.compile(r"\s*+")
_JSON = re.compile(r"\s*+[\[{]")
_KEYS = re.compile(r'"(?:tool_calls|tool_use|function_call|name)"\s*+[:,}\]]')
_TAG = re.compile(r"</?(?:antml:)?(?:tool|function)_calls?>|\[TOOL_CALLS\]|<\|python_tag\|>")
_INVOKE = re.compile(
    r"<(?:(?:antml:)?invoke name=|function=)[\"']?(?P<name>[^\"'<>]++)[\"']?>"
    r"(?P<body>(?:[^<]++|<(?!/(?:antml:)?(?:invoke|function)>))*+)</[^<>]*+>"
)
_PARAMETER = re.compile(
    r"\s*+<(?:antml:)?parameter(?: name)?=[\"']?(?P<key>[^\"'<>]++)[\"']?[^<>]*+>"
    r"(?P<value>(?:[^<]++|<(?!/(?:antml:)?parameter>))*+)</[^<>]*+>\s*+"
)
_MARKED = re.compile(rf"\s*+(?:{_TAG.pattern}|(?={_INVOKE.pattern}))")


def read(text: str) -> Plan:
    """Return the plan of the tool calls in a text, one step each, in order.

    Read are, in JSON or JSON Lines, messages and completions of OpenAI's (chat and responses),
    Anthropic's, Google's and Amazon's (converse) interfaces, conversations of such messages, and
    plain lists of ``{"name", "arguments"}``; the same within ``<tool_call>`` and the like; and the
    tags ``<invoke name="name">`` and ``<function=name>``. The arguments of an action are
    ``key=value`` in the order of the keys; values are canonical JSON, but a text is written bare
    unless it could be taken for JSON. Arguments given as a text that is no JSON object make one
    argument ``=value``, so that one bad call does not hide the others. A JSON list of arguments,
    which have no names, is a `ParseError`.

    >>> calls = read('[{"name": "f", "arguments": {"q": "hello world", "n": 2.0, "m": "2"}}]')
    >>> calls.actions[0].args
    ('m="2"', 'n=2', 'q=hello world')
    """
    return Plan.of(*(_keyed(call) for call in _all_calls(text)))


def read_informed(text: str, vocabulary: Vocabulary) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan of tool calls with the arguments in the order of the schemas.

    Arguments stay ``key=value`` where their names are not those of the parameters.

    >>> words = Vocabulary({"stack": 2}, "ab", parameters={"stack": ("top", "below")})
    >>> str(read_informed('<invoke name="stack"><parameter name="below">b</parameter>'
    ...     '<parameter name="top">a</parameter></invoke>', words)[0])
    '(stack a b)'
    """
    return Plan.of(*(_ordered(call, vocabulary) for call in _all_calls(text))), ()


def _ordered(call: _Call, vocabulary: Vocabulary) -> Action:
    name, given = call
    operator = vocabulary.operator(name)
    if operator is None or isinstance(given, Array):
        return called_with(name, given, vocabulary)
    keys = [key for key, _ in given] if isinstance(given, Object) else [""]
    if len(keys) == len(operator.types) and are_slots(operator, keys):
        return called_with(name, given, vocabulary)
    return vocabulary.spell(_keyed(call))


def write(plan: Plan) -> str:
    r"""Return a list of ``{"name", "arguments"}``, with the arguments as JSON text.

    >>> write(Plan.of(Action("f", ("n=2",))))
    '[{"name": "f", "arguments": "{\\"n\\":2}"}]'
    """
    if any(len(step) != 1 for step in plan):
        raise RenderError("tool calls are made one after another")
    return f"[{', '.join(map(_written, plan.actions))}]"


def claim(text: str) -> int:
    """Claim tags of tool calls, and JSON that mentions names or tool calls.

    >>> [claim(text) for text in ("<tool_call>{}", '[{"name": "f", "arguments": {}}]', '["f"]')]
    [8, 7, 0]
    """
    if _MARKED.match(text):
        return 8
    return 7 if _JSON.match(text) and _KEYS.search(text) else 0


def _all_calls(text: str) -> Iterator[_Call]:
    marked = _MARKED.match(text) is not None
    bare = _TAG.sub(lambda tag: " " * len(tag[0]), text) if marked else text
    position = end = 0
    while end == 0 or position < len(text):
        if blank := _BLANK.match(bare, end):
            position = blank.end()
        if invoked := _INVOKE.match(bare, position):
            yield _invoked(invoked)
            end = invoked.end()
        elif end == 0 or position < len(text):
            try:
                value, end, complete = read_json(bare, position, tolerant=marked)
                yield from _calls(value if complete else None)
            except ParseError as error:
                raise ParseError(error.reason, text, error.position) from None
            except NotAPlan as error:
                raise ParseError(str(error), text, position) from None


def _invoked(found: re.Match[str]) -> _Call:
    """Return the call in ``<invoke>`` or ``<function=name>`` tags: JSON, or a tag for each key."""
    body = found["body"].strip()
    pairs: list[tuple[str, Json]] = []
    end = 0
    while parameter := _PARAMETER.match(body, end):
        pairs.append((parameter["key"].strip(), _decoded(parameter["value"].strip())))
        end = parameter.end()
    return found["name"].strip(), Object(pairs) if end == len(body) else _decoded(body[end:])


def _calls(value: Json) -> Iterator[_Call]:
    """Yield the calls in a value; what else a conversation holds is passed over."""
    if isinstance(value, Array):
        for item in value:
            yield from _calls(item)
    elif not isinstance(value, Object):
        raise NotAPlan("expected an object with a tool call")
    elif isinstance(choices := value.get(*_CHOICES), Array):
        yield from _calls(Array(choices[:1]))  # the others are alternatives
    elif (call := _own_call(value)) is not None:
        yield _call(call)
    elif (role := value.get("role")) is None:
        inner = next(filter(_may_hold_calls, map(value.get, _CONTENTS)), None)
        if inner is None and value.get("type") is None:
            raise NotAPlan("expected a message or a tool call")
        yield from _calls(Array() if inner is None else inner)
    elif role in ("assistant", "model"):
        lists = [inner for inner in map(value.get, _CONTENTS) if isinstance(inner, Array)]
        parts = [part for inner in lists for part in inner if isinstance(part, Object)]
        yield from (_call(call) for part in parts if (call := _own_call(part)) is not None)


def _own_call(value: Object) -> Object | None:
    """Return the call that an object is, or that it wraps."""
    inner = value.get(*_CALLS)
    if isinstance(inner, Object) or value.get("type") in ("tool_use", "function_call"):
        return inner if isinstance(inner, Object) else value
    keys = {key for key, _ in value}
    plain = keys.issubset(_LABELS) or not keys.isdisjoint(_ARGUMENTS)
    return value if plain and keys.isdisjoint(("role", "text", *_CONTENTS)) else None


def _may_hold_calls(value: Json) -> bool:
    if isinstance(value, Object):
        return isinstance(value.get("role", "message"), str | Object)
    return isinstance(value, Array)


def _call(value: Object) -> _Call:
    name, given = value.get("name"), value.get(*_ARGUMENTS)
    if not is_text(name):
        raise NotAPlan("a tool call without a name")
    if isinstance(given, Array):
        raise NotAPlan(f"the arguments of the call of {name} are not named")
    return name, (_decoded(given) if given else None) if is_text(given) else given


def _keyed(call: _Call) -> Action:
    name, given = call
    if given is None:
        return Action(name)
    if isinstance(given, Object):
        return Action(name, tuple(f"{_key(k)}={_encoded(value)}" for k, value in members(given)))
    return Action(name, (f"={_encoded(given)}",))


def _decoded(text: str) -> Json:
    """Return the JSON value of a text, or the text itself where it is no JSON."""
    try:
        return whole_json(text, depth=_INNER_DEPTH)
    except ParseError:
        return text


def _encoded(value: Json) -> str:
    """Return the text of a value, which `_decoded` gives back."""
    return value if is_text(value) and _decoded(value) is value else canonical(value)


def _key(key: str) -> str:
    return quoted(key) if not key or key[0] == '"' or "=" in key else key


def _written(action: Action) -> str:
    if len(action.args) == 1 and action.args[0].startswith("="):
        arguments = action.args[0][1:]
    else:
        arguments = canonical(Object(map(_pair, action.args)))
    back = Object([("name", action.name), ("arguments", arguments)])
    if _keyed(_call(back)) != action:
        raise RenderError(f"tool calls cannot express the arguments of {action.name!r}")
    return f'{{"name": {quoted(action.name)}, "arguments": {quoted(arguments)}}}'


def _pair(arg: str) -> tuple[str, Json]:
    key, equals, value = arg.partition("=")
    if arg.startswith('"'):
        try:
            read, end, _ = read_json(arg)
        except ParseError:
            read, end = "", 0
        key, equals, value = str(read), arg[end : end + 1], arg[end + 1 :]
    if equals != "=":
        raise RenderError(f"tool calls cannot express the argument {arg!r}")
    return key, _decoded(value)


NOTATIONS.add(
    "tool_calls",
    Notation("tool_calls", "tool calls of models", read, write, claim, informed=read_informed),
)
