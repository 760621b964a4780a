"""Plan strings as GAICo documents them: ``a(x, y), {b(z), c}, d``."""

from __future__ import annotations

import re

from plangauge.core.errors import ParseError, RenderError
from plangauge.core.model import Action, Plan, Step, step_of
from plangauge.reading.notations import NOTATIONS, Notation
from plangauge.reading.notations.actions import arguments_in
from plangauge.reading.text import MemoTable

# One element up to its comma; where that fails, all the rest, so that no character is seen twice.
_ELEMENTS = re.compile(
    r"[^,(){}]*+(?:\([^(){}]*+\)\s*+)?+(?:,|\Z)"
    r"|\s*+\{[^(){}]*+(?:\([^(){}]*+\)[^(){}]*+)*+\}\s*+(?:,|\Z)"
    r"|[\s\S]++"
)
_SIGNS = re.compile(r"[(){},]")
_BRACE = re.compile("[{}]")
_NAME = r"[^\W\d][\w.:-]*+"
_ITEM = rf"\s*+(?:{_NAME}(?:\((?:[^(){{}}]++|\([^(){{}}]*+\))*+\))?+|\{{[^{{}}]*+\}})?+\s*+"
_LIST = re.compile(rf"{_ITEM}(?:,{_ITEM})*+")
_CALL = re.compile(rf"[\s,{{]*+{_NAME}\(")
_LISTED = re.compile(rf"\s*+\[{_CALL.pattern}")


def read(text: str) -> Plan:
    """Return the plan of a comma-separated text; stray commas and blanks vanish.

    The text may also be a list of calls in square brackets, as in Python. Commas inside parentheses
    do not split actions, and parentheses inside arguments belong to them. Braces hold the actions
    of one step. Brackets that do not match, braces in braces or parentheses, and text after a
    closing bracket are a `ParseError`.

    >>> [len(step) for step in read("a(x, y), {b(z), c},, d()")]
    [1, 2, 1]
    >>> read("f(g(x,y), z)").actions
    (Action(name='f', args=('g(x,y)', 'z')),)
    >>> read("a, b(c")
    Traceback (most recent call last):
        ...
    plangauge.core.errors.ParseError: '(' is never closed, at line 1, column 5
    """
    elements = _ELEMENTS.findall(_without_brackets(text))
    try:
        return Plan(tuple([step for element in elements for step in _STEPS[element]]))
    except ParseError as error:
        start = sum(map(len, elements[: elements.index(error.text)]))
        raise ParseError(error.reason, text, start + error.position) from None


def write(plan: Plan) -> str:
    """Return the plan with commas between steps; every action has its parentheses.

    >>> write(Plan.from_steps([[Action("a", ("x", "y"))], [Action("c"), Action("b", ("z",))], []]))
    'a(x, y), {b(z), c()}, {}'
    """
    return ", ".join(map(_written, plan))


def claim(text: str) -> int:
    """Claim what begins with ``name(`` or a brace before a name, and bare names between commas.

    >>> claim("a(x), b"), claim("a, b, {c, d}"), claim("[a(x)]"), claim("Sure, it is (a)")
    (4, 4, 4, 0)
    """
    if _CALL.match(_without_brackets(text)):
        return 4
    return 4 if ("," in text or "{" in text) and _LIST.fullmatch(text) else 0


def _without_brackets(text: str) -> str:
    """Return a text of the same length without the square brackets around a list of calls."""
    if not _LISTED.match(text) or not text.rstrip().endswith("]"):
        return text
    opening, closing = text.index("["), text.rindex("]")
    return f"{text[:opening]} {text[opening + 1 : closing]} {text[closing + 1 :]}"


def _steps(text: str) -> tuple[Step, ...]:
    """Return the steps between the commas of a text."""
    steps: list[Step] = []
    braced: list[Action] | None = None
    opening = at = 0
    closed = sign = ","  # the sign that the last action ended with, and the last sign
    while sign:
        found = _SIGNS.search(text, at)
        here = found.start() if found else len(text)
        name, sign = text[at:here].strip(), text[here : here + 1]
        if closed in ")}" and (name or sign in ("(", "{")):
            first = here - len(text[at:here].lstrip())
            raise ParseError(f"expected ',' after {closed!r}", text, first)
        if (sign == "{" and (name or braced is not None)) or (sign == "(" and not name):
            reason = "a brace inside an action or braces"
            raise ParseError("an action without a name" if sign == "(" else reason, text, here)
        if sign == ")" or (sign == "}" and braced is None):
            raise ParseError(f"{sign!r} was never opened", text, here)
        args, at = _arguments(text, here) if sign == "(" else ((), here + 1)
        if name and braced is not None:
            braced.append(Action(name, args))
        elif name:
            steps.append(frozenset((Action(name, args),)))
        if sign == "{":
            braced, opening = [], here
        elif sign == "}":
            steps.append(step_of(braced or ()))
            braced = None
        closed = ")" if sign == "(" else sign
    if braced is not None:
        raise ParseError("'{' is never closed", text, opening)
    return tuple(steps)


def _arguments(text: str, opening: int) -> tuple[tuple[str, ...], int]:
    """Return the arguments in parentheses, and where these end."""
    args, end = arguments_in(text, opening, len(text))
    if brace := _BRACE.search(text, opening, end or len(text)):
        raise ParseError("a brace inside parentheses", text, brace.start())
    if not end:
        raise ParseError("'(' is never closed", text, opening)
    return args, end


def _written(step: Step) -> str:
    texts = []
    for action in sorted(step):
        text = f"{action.name}({', '.join(action.args)})"
        try:
            back = _steps(text)
        except ParseError:
            back = ()
        if back != (frozenset((action,)),):
            raise RenderError(f"braces cannot express {action}")
        texts.append(text)
    return texts[0] if len(texts) == 1 else "{" + ", ".join(texts) + "}"


_STEPS = MemoTable(_steps)

NOTATIONS.add("braces", Notation("braces", "a(x, y), {b(z), c}, d", read, write, claim))
