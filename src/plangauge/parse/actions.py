"""Single actions in the ways that people and models write them, as text and as JSON values."""

from __future__ import annotations

import re

from plangauge.model import Action, Plan, Step
from plangauge.parse.tolerant_json import Array, Json, Number, Object, canonical

NAMES = ("action", "name", "operator", "function")
ARGUMENTS = ("args", "arguments", "parameters", "params", "objects", "object")
_LABELS = {"name", "function", "id", "type"}  # of a call without arguments
_WRAPPERS = (
    *("plan", "actions", "steps", "action_sequence", "sequence"),
    *("solution", "final_answer", "answer"),
)
_BRACKETS = re.compile(r"[(),]")


class NotAPlan(ValueError):
    """A JSON value has none of the shapes of a plan."""


def read_action(text: str) -> Action | None:
    """Return the action written as ``(name arg ...)``, ``name(arg, ...)`` or ``name arg ...``.

    The names of the first form are lower-cased, as in plan files. None where it is no such text.

    >>> read_action("(STACK a b)") == read_action("stack(a, b)") == read_action("stack a b")
    True
    >>> read_action("(a b) (c)") is None
    True
    """
    text = text.strip()
    if text.startswith("("):
        return _parenthesised(text)
    if "(" in text:
        return _call(text)
    words = [word for part in text.split() if (word := part.strip(","))]
    return Action(words[0], tuple(words[1:])) if words and ")" not in text else None


def plan_of(value: Json) -> Plan:
    """Return the plan that a JSON value describes; raise `NotAPlan` for any other value.

    A list holds steps: a text, ``[name, arg, ...]``, or an object. A list of objects, of lists or
    of texts with parentheses inside that list is one step of concurrent actions. An object is an
    action (``action`` or ``name`` with ``args``, ``object`` and the like), a list under ``plan``,
    ``steps`` and the like, or ``{name: [arg, ...], ...}``, one action per member. Containers that
    the text left open hold no complete action and are passed over.

    >>> from plangauge.parse.tolerant_json import whole_json
    >>> str(plan_of(whole_json('{"plan": [["grab", "a"], [{"open": ["b"]}, {"wait": []}]]}')))
    '(grab a), {(open b), (wait)}'
    """
    value = unwrapped(value)
    if isinstance(value, Number):
        raise NotAPlan("a number is no plan")
    if isinstance(value, str):
        return Plan(tuple(_single(_text(line)) for line in value.splitlines() if line.strip()))
    if isinstance(value, Array):
        return Plan(tuple(step for item in value for step in _steps(item)))
    if isinstance(value, Object):
        if value and all(key in _WRAPPERS and inner is None for key, inner in value):
            raise NotAPlan("the plan is null")
        return Plan(tuple(_single(action) for action in _members(value)))
    raise NotAPlan("expected a list of actions")


def _parenthesised(text: str) -> Action | None:
    words = text[1:-1].lower().split()
    if text[-1] != ")" or not words or ")" in text[:-1]:
        return None
    if any(word.startswith("(") for word in words):
        return None
    return Action(words[0], tuple(words[1:]))


def _call(text: str) -> Action | None:
    opening = text.index("(")
    name = text[:opening].strip()
    args = []
    depth = 0
    start = opening + 1
    for sign in _BRACKETS.finditer(text, opening):
        depth += (sign[0] == "(") - (sign[0] == ")")
        if depth == 0 or (depth == 1 and sign[0] == ","):
            args.append(text[start : sign.start()].strip())
            start = sign.end()
        if depth == 0:
            break
    if depth or start != len(text) or "," in name:
        return None
    return Action(name, tuple(filter(None, args)))


def unwrapped(value: Json) -> Json:
    """Return what stands under ``plan``, ``steps`` and the like, however deep.

    >>> from plangauge.parse.tolerant_json import whole_json
    >>> unwrapped(whole_json('{"answer": {"plan": ["a"]}}'))
    ['a']
    """
    while isinstance(value, Object):
        inner = value.get(*_WRAPPERS)
        if not isinstance(inner, Array | Object):
            if isinstance(inner, str) and not isinstance(value.get(*NAMES), str):
                return inner
            return value
        value = inner
    return value


def _steps(item: Json) -> list[Step]:
    """Return the steps of one item of a plan: one, or one for each member of an object."""
    if isinstance(item, Object):
        together = item.get("actions")
        if isinstance(together, Array) and item.closed:
            return [_together(together)]
        return [_single(action) for action in _members(item)]
    if isinstance(item, Array):
        if _is_step(item):
            return [_together(item)] if item.closed else []
        return [_single(_listed(item))] if item.closed else []
    return [_single(_text(item))]


def _is_step(item: Array) -> bool:
    """Tell concurrent actions from a name and its arguments."""
    return not item or not isinstance(item[0], str) or "(" in item[0]


def _together(items: Array) -> Step:
    actions: set[Action] = set()
    for item in items:
        if isinstance(item, Object):
            actions.update(_members(item))
        else:
            actions.add(_listed(item) if isinstance(item, Array) else _text(item))
    return frozenset(actions)


def _text(item: Json) -> Action:
    action = None if isinstance(item, Number) or not isinstance(item, str) else read_action(item)
    if action is None:
        raise NotAPlan(f"not an action: {_shown(item)}")
    return action


def _listed(item: Array) -> Action:
    name, *args = item or [None]
    if isinstance(name, Number) or not isinstance(name, str):
        raise NotAPlan(f"an action without a name: {_shown(item)}")
    return Action(name, tuple(text for arg in args for text in _arguments(arg)))


def _members(item: Object) -> list[Action]:
    if not item.closed:
        return []
    name = item.get(*NAMES)
    keys = {key for key, _ in item}
    if isinstance(name, str) and not isinstance(name, Number):
        if not keys.isdisjoint(ARGUMENTS):
            return [Action(name, _arguments(item.get(*ARGUMENTS)))]
        if not keys.isdisjoint(("action", "operator")):
            return [_text(name)]
        if not keys - _LABELS:
            return [Action(name)]
    return [Action(name, _arguments(value)) for name, value in item]


def _arguments(value: Json) -> tuple[str, ...]:
    match value:
        case None:
            return ()
        case Array():
            return tuple(map(_argument, value))
        case Object():
            return tuple(_argument(inner) for _, inner in value)
        case _:
            return (_argument(value),)


def _argument(value: Json) -> str:
    return value if isinstance(value, str) and not isinstance(value, Number) else canonical(value)


def _single(action: Action) -> Step:
    return frozenset((action,))


def _shown(value: Json) -> str:
    text = canonical(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
