"""Plan strings as GAICo documents them: ``a(x, y), {b(z), c}, d``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from plangauge.errors import ParseError, RenderError
from plangauge.model import Action, Plan, Step
from plangauge.parse.base import NOTATIONS, Notation

# One element up to its comma; where that fails, all the rest, so that no character is seen twice.
_ELEMENTS = re.compile(
    r"[^,(){}]*+(?:\([^(){}]*+\)\s*+)?+(?:,|\Z)"
    r"|\s*+\{[^(){}]*+(?:\([^(){}]*+\)[^(){}]*+)*+\}\s*+(?:,|\Z)"
    r"|[\s\S]++"
)
# ``name(x, y),`` with nothing to think about.
_PLAIN = re.compile(r"\s*+([^\s(){},]++)(?:\(([^(){}]*+)\))?+\s*+,?")
_SIGNS = re.compile(r"[(){},]")
_NAME = r"[^\W\d][\w.:-]*+"
_ITEM = rf"\s*+(?:{_NAME}(?:\((?:[^(){{}}]++|\([^(){{}}]*+\))*+\))?+|\{{[^{{}}]*+\}})?+\s*+"
_LIST = re.compile(rf"{_ITEM}(?:,{_ITEM})*+")
_CALL = re.compile(rf"[\s,{{]*+{_NAME}\(")

_STEPS: dict[str, Step | None] = {}
_MOST_STEPS = 1 << 16
_LONGEST_ELEMENT = 200
_LONG = 1 << 20
_DEPTH = 64  # of parentheses


def read(text: str) -> Plan:
    """Return the plan of a comma-separated text; stray commas and blanks vanish.

    Commas inside parentheses do not split actions, and parentheses inside arguments belong to them.
    Braces hold the actions of one step. Brackets that do not match, braces in braces or
    parentheses, and text after a closing bracket are a `ParseError`.

    >>> [len(step) for step in read("a(x, y), {b(z), c},, d()")]
    [1, 2, 1]
    >>> read("f(g(x,y), z)").actions
    (Action(name='f', args=('g(x,y)', 'z')),)
    >>> read("a, b(c")
    Traceback (most recent call last):
        ...
    plangauge.errors.ParseError: '(' is never closed, at line 1, column 5
    """
    if len(text) > _LONG:  # the elements one by one, so that they need not all be held
        return _read_slowly(text, (found[0] for found in _ELEMENTS.finditer(text)))
    elements = _ELEMENTS.findall(text)
    try:
        return Plan(tuple([step for element in elements if (step := _STEPS[element]) is not None]))
    except KeyError:
        return _read_slowly(text, elements)


def _read_slowly(text: str, elements: Iterable[str]) -> Plan:
    steps: list[Step] = []
    start = 0
    for element in elements:
        try:
            steps += _remember(element)
        except ParseError as error:
            raise ParseError(error.reason, text, start + error.position) from None
        start += len(element)
    return Plan(tuple(steps))


def write(plan: Plan) -> str:
    """Return the plan with commas between steps; every action has its parentheses.

    >>> write(Plan.from_steps([[Action("a", ("x", "y"))], [Action("c"), Action("b", ("z",))], []]))
    'a(x, y), {b(z), c()}, {}'
    """
    return ", ".join(map(_written, plan))


def claim(text: str) -> int:
    """Claim what begins with ``name(`` or a brace before a name, and bare names between commas.

    >>> claim("a(x), b"), claim("a, b, {c, d}"), claim("Sure, it is (a)"), claim("Sure")
    (4, 4, 0, 0)
    """
    if _CALL.match(text):
        return 4
    return 4 if ("," in text or "{" in text) and _LIST.fullmatch(text) else 0


def _remember(element: str) -> list[Step]:
    """Return the steps of what is at most one element, or of all that the fast way cannot split."""
    if element in _STEPS:
        known = _STEPS[element]
        return [] if known is None else [known]
    plain = _PLAIN.fullmatch(element)
    if plain is not None:
        args = plain[2]
        split = tuple([arg for part in args.split(",") if (arg := part.strip())]) if args else ()
        steps = [frozenset((Action(plain[1], split),))]
    else:
        steps = _steps(element)
    if len(steps) <= 1 and len(element) <= _LONGEST_ELEMENT:
        if len(_STEPS) >= _MOST_STEPS:
            _STEPS.clear()
        _STEPS[element] = steps[0] if steps else None
    return steps


def _steps(text: str) -> list[Step]:
    """Return the steps of a text, reading sign by sign."""
    steps: list[Step] = []
    group: list[Action] | None = None  # the actions of an open brace, which stands at opened
    opened = start = 0
    closed = False  # a brace was closed since the last comma
    for here, sign in _signs(text):
        if closed and (sign == "{" or text[start:here].strip()):
            raise ParseError("expected ',' after '}'", text, _first(text, start))
        if sign == "{":
            if group is not None or text[start:here].strip():
                raise ParseError("a brace inside an action or braces", text, here)
            group, opened = [], here
        else:
            action = _action(text, start, here)
            if group is not None:
                group += [action] if action else []
            elif action:
                steps.append(frozenset((action,)))
            closed = sign == "}"
            if closed:
                if group is None:
                    raise ParseError("'}' was never opened", text, here)
                steps.append(frozenset(group))
                group = None
        start = here + 1
    if group is not None:
        raise ParseError("'{' is never closed", text, opened)
    return steps


def _signs(text: str) -> Iterator[tuple[int, str]]:
    """Yield commas and braces outside parentheses with where they are, and the end of the text."""
    opened: list[int] = []
    for match in _SIGNS.finditer(text):
        here, sign = match.start(), match[0]
        if sign == "(":
            opened.append(here)
            if len(opened) > _DEPTH:
                raise ParseError("nested too deeply", text, here)
        elif sign == ")":
            if not opened:
                raise ParseError("')' was never opened", text, here)
            opened.pop()
        elif not opened:
            yield here, sign
        elif sign != ",":
            raise ParseError("a brace inside parentheses", text, here)
    if opened:
        raise ParseError("'(' is never closed", text, opened[-1])
    yield len(text), ""


def _action(text: str, start: int, end: int) -> Action | None:
    """Return the action in a part of the text that has no signs outside its parentheses."""
    opening = text.find("(", start, end)
    name = text[start : opening if opening >= 0 else end].strip()
    if opening < 0:
        return Action(name) if name else None
    if not name:
        raise ParseError("an action without a name", text, opening)
    args = []
    depth = 0
    start = opening + 1
    for match in _SIGNS.finditer(text, opening, end):
        depth += (match[0] == "(") - (match[0] == ")")
        if depth == 0 or (depth == 1 and match[0] == ","):
            args.append(text[start : match.start()].strip())
            start = match.end()
        if depth == 0:
            break
    if text[start:end].strip():
        raise ParseError("expected ',' after ')'", text, _first(text, start))
    return Action(name, tuple(filter(None, args)))


def _first(text: str, start: int) -> int:
    """Return where the first character after start is that is no blank."""
    return next((n for n in range(start, len(text)) if not text[n].isspace()), start)


def _written(step: Step) -> str:
    text = ", ".join(
        f"{_name(action.name)}({', '.join(map(_arg, action.args))})" for action in sorted(step)
    )
    return text if len(step) == 1 else "{" + text + "}"


def _name(name: str) -> str:
    if not name or name != name.strip() or _SIGNS.search(name):
        raise RenderError(f"braces cannot express the name {name!r}")
    return name


def _arg(arg: str) -> str:
    depth = 0
    for match in _SIGNS.finditer(arg):
        sign = match[0]
        depth += (sign == "(") - (sign == ")")
        if not 0 <= depth < _DEPTH or sign in "{}" or (sign == "," and depth == 0):
            depth = -1
            break
    if depth or not arg or arg != arg.strip():
        raise RenderError(f"braces cannot express the argument {arg!r}")
    return arg


NOTATIONS.add("braces", Notation("braces", "a(x, y), {b(z), c}, d", read, write, claim))
