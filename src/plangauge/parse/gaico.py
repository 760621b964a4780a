"""Plan strings exactly as GAICo 0.4.0 reads them, where a comma between arguments splits too."""

from __future__ import annotations

import re

from plangauge.errors import RenderError
from plangauge.model import Action, Plan, Step
from plangauge.parse.base import NOTATIONS, Notation

_SIGNS = re.compile(r"[{},]")

_STEPS: dict[str, Step] = {}
_MOST_STEPS = 1 << 16
_LONGEST_PIECE = 200


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
    return [
        frozenset(_pieces(element[1:-1])) if _is_braced(element) else element
        for element in _split(text)
    ]


def read(text: str) -> Plan:
    """Return the plan whose actions are the elements' texts, without arguments; never raise.

    >>> [sorted(action.name for action in step) for step in read("a(x, y), {b, c}")]
    [['a(x'], ['y)'], ['b', 'c']]
    """
    if "{" in text or "}" in text:
        return Plan(tuple(map(_step, _split(text))))
    pieces = text.split(",")
    try:
        return Plan(tuple([step for piece in pieces if (step := _STEPS[piece])]))
    except KeyError:
        return Plan(tuple([step for piece in pieces if (step := _remember(piece))]))


def write(plan: Plan) -> str:
    """Return the plan with commas between steps, and braces where it was read from braces.

    >>> write(read("a,{ c,b },,d"))
    'a, {b, c}, d'
    """
    text = ", ".join(map(_written, plan))
    if read(text) != plan:  # which texts survive depends on all braces before them
        raise RenderError("GAICo's notation cannot express this plan")
    return text


def _split(text: str) -> list[str]:
    """Return what lies between the commas outside braces, without outer blanks."""
    if "{" not in text and "}" not in text:
        return _pieces(text)
    found = []
    depth = start = 0
    for sign in _SIGNS.finditer(text):
        match sign[0]:
            case "{":
                depth += 1
            case "}":
                depth -= 1
            case _ if depth == 0:
                found.append(text[start : sign.start()])
                start = sign.end()
    found.append(text[start:])
    return [element for piece in found if (element := piece.strip())]


def _pieces(text: str) -> list[str]:
    return [element for piece in text.split(",") if (element := piece.strip())]


def _is_braced(element: str) -> bool:
    return element[0] == "{" and element[-1] == "}"


def _step(element: str) -> Step:
    if _is_braced(element):
        return BracedStep(map(Action, _pieces(element[1:-1])))
    return frozenset((Action(element),))


def _remember(piece: str) -> Step:
    """Return the step of a text between commas, empty for a blank one."""
    name = piece.strip()
    step: Step = frozenset((Action(name),)) if name else frozenset()
    if len(piece) <= _LONGEST_PIECE:
        if len(_STEPS) >= _MOST_STEPS:
            _STEPS.clear()
        _STEPS[piece] = step
    return step


def _written(step: Step) -> str:
    text = ", ".join(sorted(action.name for action in step if not action.args))
    return "{" + text + "}" if isinstance(step, BracedStep) else text


NOTATIONS.add(
    "gaico",
    Notation("gaico", "plan strings as GAICo 0.4.0 splits them", read, write, literal=True),
)
