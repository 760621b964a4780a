"""Plan strings as GAICo documents them: ``a(x, y), {b(z), c}, d``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plangauge.errors import ParseError, RenderError
from plangauge.model import Action, Plan, Step
from plangauge.reading.notations.actions import arguments_in
from plangauge.reading.notations.base import NOTATIONS, Notation, Remembered

# One element up to its comma; where that fails, all the rest, so that no character is seen twice.
_ELEMENTS = re.compile(
    r"[^,(){}]*+(?:\([^(){}]*+\)\s*+)?+(?:,|\Z)"
    r"|\s*+\{[^(){}]*+(?:\([^(){}]*+\)[^(){}]*+)*+\}\s*+(?:,|\Z)"
    r"|[\s\S]++"
)
_SIGNS = re.compile(r"[(){},]")
_FILLED = re.compile(r"\S")
_NAME = r"[^\W\d][\w.:-]*+"
_ITEM = rf"\s*+(?:{_NAME}(?:\((?:[^(){{}}]++|\([^(){{}}]*+\))*+\))?+|\{{[^{{}}]*+\}})?+\s*+"
_LIST = re.compile(rf"{_ITEM}(?:,{_ITEM})*+")
_CALL = re.compile(rf"[\s,{{]*+{_NAME}\(")
_LISTED = re.compile(rf"\s*+\[{_CALL.pattern}")
_DEPTH = 64  # of parentheses


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
    plangauge.errors.ParseError: '(' is never closed, at line 1, column 5
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
    steps = []
    for start, end in _parts(text, 0, len(text)):
        if text[start] != "{":
            steps.append(frozenset((_action(text, start, end),)))
            continue
        closing = text.index("}", start)
        if rest := _FILLED.search(text, closing + 1, end):
            raise ParseError("expected ',' after '}'", text, rest.start())
        steps.append(frozenset(_action(text, *part) for part in _parts(text, start + 1, closing)))
    return tuple(steps)


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where something stands between the commas that are not inside brackets."""
    opened: list[int] = []
    for sign in _SIGNS.finditer(text, start, end):
        here = sign.start()
        if sign[0] != ",":
            _check(text, start, here, opened)
            if sign[0] in "({":
                opened.append(here)
            else:
                opened.pop()
        elif not opened:
            if filled := _FILLED.search(text, start, here):
                yield filled.start(), here
            start = sign.end()
    if opened:
        raise ParseError(f"{text[opened[-1]]!r} is never closed", text, opened[-1])
    if filled := _FILLED.search(text, start, end):
        yield filled.start(), end


def _check(text: str, start: int, here: int, opened: list[int]) -> None:
    """Refuse a bracket that cannot stand where it does in the part that begins at start."""
    sign, within = text[here], text[opened[-1]] if opened else ""
    if sign in "{}" and within == "(":
        raise ParseError("a brace inside parentheses", text, here)
    if sign in ")}" and within != ("(" if sign == ")" else "{"):
        raise ParseError(f"{sign!r} was never opened", text, here)
    if sign == "{" and (within or _FILLED.search(text, start, here)):
        after = text[start:here].rstrip().endswith("}")
        reason = "expected ',' after '}'" if after else "a brace inside an action or braces"
        raise ParseError(reason, text, here)
    if sign == "(" and len(opened) - (bool(opened) and text[opened[0]] == "{") >= _DEPTH:
        raise ParseError("nested too deeply", text, here)


def _action(text: str, start: int, end: int) -> Action:
    """Return the action in a part of the text."""
    opening = text.find("(", start, end)
    if opening < 0:
        return Action(text[start:end].strip())
    if opening == start:
        raise ParseError("an action without a name", text, opening)
    args, stop = arguments_in(text, opening, end)
    if rest := _FILLED.search(text, stop, end):
        raise ParseError("expected ',' after ')'", text, rest.start())
    return Action(text[start:opening].strip(), args)


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


_STEPS = Remembered(_steps)

NOTATIONS.add("braces", Notation("braces", "a(x, y), {b(z), c}, d", read, write, claim))
