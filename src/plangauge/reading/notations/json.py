"""Plans as JSON: lists of texts, of ``[name, arg, ...]`` and of objects."""

from __future__ import annotations

import re

from plangauge.core.errors import ParseError
from plangauge.core.model import Action, Plan
from plangauge.reading.json_text import quoted, whole_json
from plangauge.reading.notations import NOTATIONS, Notation
from plangauge.reading.notations.actions import NotAPlan, plan_in
from plangauge.reading.vocabulary import Vocabulary

_START = re.compile(r"\s*+[\[{]")


def read(text: str) -> Plan:
    """Return the plan of a JSON text; see `plangauge.reading.notations.actions.plan_in`.

    Slips that leave no doubt are allowed: single quotes, trailing commas, comments, unquoted keys.
    A text that ends too early is a `ParseError`; as prose it is a truncated answer.

    >>> read('["(stack a b)", {"action": "OPEN", "object": "fridge"}]').actions[1]
    Action(name='OPEN', args=('fridge',))
    >>> str(read('{"grab": ["a"], "grab": ["b"]}'))
    '(grab a), (grab b)'
    """
    return _read(text)[0]


def write(plan: Plan) -> str:
    """Return a list of ``{"action": name, "args": [...]}``, with a list for concurrent actions.

    >>> write(Plan.of(Action("stack", ("a", "b"))))
    '[{"action": "stack", "args": ["a", "b"]}]'
    """
    steps = []
    for step in plan:
        text = ", ".join(map(_written, sorted(step)))
        steps.append(text if len(step) == 1 else f"[{text}]")
    return f"[{', '.join(steps)}]"


def claim(text: str) -> int:
    """Claim what begins with a bracket or brace.

    >>> claim('["(a)"]'), claim("(a)")
    (5, 0)
    """
    return 5 if _START.match(text) else 0


def _read(text: str, vocabulary: Vocabulary | None = None) -> tuple[Plan, tuple[str, ...]]:
    value = whole_json(text, tolerant=True)
    try:
        return plan_in(value, vocabulary)
    except NotAPlan as error:
        raise ParseError(str(error), text) from None


def _written(action: Action) -> str:
    args = ", ".join(map(quoted, action.args))
    return f'{{"action": {quoted(action.name)}, "args": [{args}]}}'


NOTATIONS.add("json", Notation("json", "JSON lists of actions", read, write, claim, informed=_read))
