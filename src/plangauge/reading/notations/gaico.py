"""Plan strings exactly as GAICo 0.4.0 reads them, where a comma between arguments splits too."""

from __future__ import annotations

import re

from plangauge.core.errors import RenderError
from plangauge.core.model import Action, Plan, Step
from plangauge.reading.notations import NOTATIONS, Notation
from plangauge.reading.text import MemoTable

_SIGNS = re.compile(r"[{},]")


class BracedStep(frozenset[Action]):
    """The actions of a step that was written in braces: ``{a}`` is another step than ``a`` here.

    >>> plain = frozenset({Action("a")})
    >>> BracedStep(plain) == plain, plain == BracedStep(plain)
    (False, False)
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BracedStep) and frozenset.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return ~frozenset.__hash__(self)


def elements(text: str) -> list[str | frozenset[str]]:
    """Return the elements that GAICo compares: texts, and sets of texts for braces.

    Every text has a reading.

    >>> elements("a(x, y), b")
    ['a(x', 'y)', 'b']
    >>> [sorted(element) for element in elements("{b, a,, a}")]
    [['a', 'b']]
    """
    found: list[str | frozenset[str]] = []
    depth = start = 0
    for sign in _SIGNS.finditer(f"{text},"):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if sign[0] == "," and (depth == 0 or sign.start() == len(text)):
            element = text[start : sign.start()].strip()
            start = sign.end()
            if element[:1] == "{" and element[-1] == "}":
                found.append(frozenset(_pieces(element[1:-1])))
            elif element:
                found.append(element)
    return found


def read(text: str) -> Plan:
    """Return the plan whose actions are the elements' texts, without arguments; never raise.

    >>> [sorted(action.name for action in step) for step in read("a(x, y), {b, c}")]
    [['a(x'], ['y)'], ['b', 'c']]
    """
    if "{" in text or "}" in text:
        return Plan(tuple(map(_step, elements(text))))
    return Plan(tuple([step for piece in text.split(",") if (step := _STEPS[piece])]))


def write(plan: Plan) -> str:
    """Return the plan with commas between steps, and braces where it was read from braces.

    >>> write(read("a,{ c,b },,d"))
    'a, {b, c}, d'
    """
    texts = []
    for step in plan:
        text = ", ".join(sorted(action.name for action in step if not action.args))
        texts.append("{" + text + "}" if isinstance(step, BracedStep) else text)
    if read(", ".join(texts)) != plan:  # which survive depends on all braces before them
        raise RenderError("GAICo's notation cannot express this plan")
    return ", ".join(texts)


def _pieces(text: str) -> list[str]:
    return [piece for each in text.split(",") if (piece := each.strip())]


def _step(element: str | frozenset[str]) -> Step:
    if isinstance(element, str):
        return frozenset((Action(element),))
    return BracedStep(map(Action, element))


_STEPS = MemoTable(lambda piece: frozenset(map(Action, _pieces(piece))))  # none of a blank

NOTATIONS.add(
    "gaico",
    Notation("gaico", "plan strings as GAICo 0.4.0 splits them", read, write, literal=True),
)
