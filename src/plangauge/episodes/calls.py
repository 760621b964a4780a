"""Tool calls whose arguments have names: their objects in the order of the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plangauge.errors import ParseError
from plangauge.model import Action
from plangauge.parse.tolerant_json import Number, Object, whole_json
from plangauge.parse.vocabulary import Vocabulary
from plangauge.worlds.base import S, World

_NAMES = ("tool", "action", "name", "function", "command", "tool_name", "action_name")
_REMARKS = frozenset(
    ("thought", "thoughts", "reasoning", "reason", "explanation", "comment", "id", "type")
)
_JSON = re.compile(r"\s*+(?:```[a-z]*+\s++)?+(\{.*\})\s*+(?:```)?+\s*+\Z", re.DOTALL)
_LONGEST = 10_000
_NUMBER = re.compile(r"([0-9]{1,6})\Z")


def flat_call(text: str, vocabulary: Vocabulary) -> Action | None:
    """Return the action of a JSON object whose other members are its arguments; None for another.

    >>> words = Vocabulary({"pick-up": 1}, frozenset("a"))
    >>> str(flat_call('{"tool": "pick_up", "block": "a"}', words))
    '(pick-up block=a)'
    """
    found = _JSON.match(text) if len(text) <= _LONGEST else None
    try:
        value = whole_json(found[1]) if found else None
    except ParseError:
        return None
    if not isinstance(value, Object):
        return None
    told = [key for key, _ in value if key.lower() in _NAMES]
    name = vocabulary.action(str(value.get(told[0]))) if len(told) == 1 else None
    rest = [(key, v) for key, v in value if key not in told and key.lower() not in _REMARKS]
    if name is None or not all(isinstance(v, str) and not isinstance(v, Number) for _, v in rest):
        return None
    if not rest or any(vocabulary.called(str(thing)) is None for _, thing in rest):
        return None
    return Action(name, tuple(f"{key}={thing}" for key, thing in rest))


def in_order(action: Action, world: World[S], vocabulary: Vocabulary) -> Action:
    """Return an action with arguments ``key=value`` in the order that keys or types tell.

    It is returned as it is where nothing tells the order, or the objects are not known.
    """
    pairs = [arg.partition("=")[::2] for arg in action.args if "=" in arg]
    types = world.schemas.get(action.name)
    if types is None or not pairs or len(pairs) != len(action.args) or len(pairs) != len(types):
        return action
    things = [vocabulary.called(value.strip("\"'")) for _, value in pairs]
    keys = [key.strip("\"'").lower() for key, _ in pairs]
    if any(thing is None for thing in things) or len(set(keys)) < len(keys):
        return action
    given = dict(zip(keys, [thing or "" for thing in things], strict=True))
    for order in _orders(keys, types):
        if given.keys() == set(order):
            return Action(action.name, tuple(given[key] for key in order))
    return _by_type(action, given, world, types)


def _orders(keys: list[str], types: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield in which order the keys may belong: as the types are called, or by their numbers."""
    yield [type_.lower() for type_ in types]
    numbers = [_NUMBER.search(key) for key in keys]
    if all(numbers) and len({key.rstrip("0123456789") for key in keys}) == 1:
        yield sorted(keys, key=lambda key: int(key[len(key.rstrip("0123456789")) :]))
    if sorted(keys) in (["x"], ["x", "y"], ["x", "y", "z"]):
        yield sorted(keys)


def _by_type(
    action: Action, given: dict[str, str], world: World[S], types: tuple[str, ...]
) -> Action:
    """Return the action where for each argument there is exactly one object of its type."""
    fitting = [[t for t in given.values() if world.is_a(t, type_)] for type_ in types]
    if any(len(things) != 1 for things in fitting):
        return action
    args = tuple(things[0] for things in fitting)
    return Action(action.name, args) if len(set(args)) == len(given) else action
