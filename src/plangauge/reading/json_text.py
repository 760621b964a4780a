"""JSON without surprises: strict, or as models write it; deterministic, linear, never recursive.

The standard library's reader depends on the Python version in its depth, fails on integers of more
than 4300 digits, and forgets duplicate keys. Here numbers stay text, objects are lists of pairs.
What it reads alike, nearly all that is strict, it reads first, because it is many times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from json import JSONDecoder
from typing import Any, TypeAlias, TypeGuard

from plangauge.core.errors import ParseError

DEPTH = 64
"""The deepest nesting that is read."""

_LONGEST_EXPONENT = 18


class Number(str):
    """A JSON number, as it was written."""

    __slots__ = ()


class Array(list["Json"]):
    """A JSON array; ``closed`` is False where the text ended inside it.

    ``places`` are the start and end of each value in the text, where `places_in` has read it.
    """

    closed = False
    places: Sequence[tuple[int, int]] = ()


class Object(list[tuple[str, "Json"]]):
    """The members of a JSON object in order, duplicates included; attributes as in `Array`.

    The place of a member begins with its key.
    """

    closed = False
    places: Sequence[tuple[int, int]] = ()

    def get(self, *keys: str) -> Json:
        """Return the value of the first of the keys that is there (its last value), else None."""
        for key in keys:
            for name, value in reversed(self):
                if name == key:
                    return value
        return None


Json: TypeAlias = "str | Number | bool | Array | Object | None"

_STRICT = re.compile(
    r"[ \t\n\r]*+(?:"
    r"(?P<sign>[{}\[\]:,])"
    r'|"(?P<text>[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+)"'
    r"|(?P<number>-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+)"
    r"|(?P<word>true|false|null)(?P<single>(?!))?+"
    r"|(?P<end>\Z))"
)
_TOLERANT = re.compile(
    r"(?:[\s\ufeff]++|(?://|#)[^\n]{0,2000}+"  # no longer comment, so that none is read often
    r"|/\*[^*]{0,2000}+(?:\*(?!/)[^*]{0,200}+){0,50}+\*/)*+(?:"
    r"(?P<sign>[{}\[\]():,])"
    r'|"(?P<text>[^"\\]*+(?:\\[\s\S][^"\\]*+)*+)"'
    r"|'(?P<single>[^'\\]*+(?:\\[\s\S][^'\\]*+)*+)'"
    r"|(?P<number>[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+(?![\w.]))"
    r"|(?P<word>[^\W\d][\w$-]*+)"
    r"|(?P<end>\Z|[\"']))"  # a quote that is left over here is never closed
)
_NUMBER = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?)0*([0-9]*))?")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True"), True),
    **dict.fromkeys(("false", "False"), False),
    **dict.fromkeys(("null", "None", "undefined", "NaN", "Infinity"), None),
}
_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u([0-9a-fA-F]{4})|\\([\s\S])"
)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_OPENING = re.compile(  # a bracket before what can follow it, so that most others cost nothing
    r"""\[(?=\s*+(?:["'\[{\]/\#+.\d-]|\(\s*+["'\[{(\d]|(?i:true|false|null|none|nan)\b))"""
    r"""|\{(?=\s*+(?:["'}/\#]|[^\W\d][\w$-]*+\s*+:))"""
)
_QUOTED = re.compile(r'["\\\x00-\x1f]')


def is_text(value: Json) -> TypeGuard[str]:
    """Tell a JSON string from a number, which is kept as text, and from everything else.

    >>> is_text("1"), is_text(Number("1"))
    (True, False)
    """
    return isinstance(value, str) and not isinstance(value, Number)


def read_json(
    text: str, start: int = 0, *, tolerant: bool = False, depth: int = DEPTH
) -> tuple[Json, int, bool]:
    """Return the JSON value at a position, where it ends, and whether it is complete.

    Strict reading takes exactly JSON, with any number of digits. Tolerant reading also takes single
    quotes, comments, trailing commas, unquoted keys, Python's constants and tuples, and a text that
    ends too early; of such a value the containers that were left open are not ``closed``. Anything
    else, nesting beyond ``depth`` and exponents of more than 18 digits are a `ParseError`.

    >>> read_json('{"a": [1, "x"]} rest')
    ([('a', ['1', 'x'])], 15, True)
    >>> read_json("[['a', True,], ('b', 'c", tolerant=True)
    ([['a', True], ['b']], 23, False)
    """
    try:
        return (
            _plain(text, start, depth)
            or _Reader(text, start, len(text), tolerant=tolerant, depth=depth).read()
        )
    except _Malformed as error:
        reason, position = error.args
        raise ParseError(reason, text, position) from None


def find_json(text: str, start: int, end: int) -> Iterator[tuple[Json, int, int, bool]]:
    """Yield the outermost lists and objects in a part of a text, read tolerantly.

    Each comes with where it starts and ends, and whether it is complete. Where one turns out to be
    no JSON, the search goes on behind the offending place, so that no character is read twice.

    >>> [(value, complete) for value, _, _, complete in find_json("[see] ['a'] and {b: [", 0, 21)]
    [(['a'], True), ([('b', [])], False)]
    """
    quick = end == len(text)
    while opening := _OPENING.search(text, start, end):
        here = opening.start()
        found = _plain(text, here, DEPTH) if quick else None
        quick = found is not None  # a failure also counts the lines before it
        try:
            reader = _Reader(text, here, end, tolerant=True, depth=DEPTH)
            value, start, complete = found or reader.read()
        except _Malformed as error:
            start = max(error.args[1], here + 1)
        else:
            yield value, here, start, complete


def places_in(
    text: str, start: int, end: int, part: Callable[[Json], Json]
) -> Sequence[tuple[int, int]]:
    """Return where the values of a list, or the members of an object, stand in a text.

    The outermost value is at ``start`` and ends at ``end``; ``part`` returns the list or object in
    question from it. Returns the place of the whole where there is none, or it is empty.

    >>> places_in('{"plan": [1, {"a": 2}]}', 0, 23, lambda value: value[0][1])
    [(10, 11), (13, 21)]
    """
    try:
        reader = _Reader(text, start, end, tolerant=True, depth=DEPTH)
        found = part(reader.read()[0])
    except _Malformed:
        found = None
    return (isinstance(found, Array | Object) and found.places) or [(start, end)]


def whole_json(text: str, *, tolerant: bool = False, depth: int = DEPTH) -> Json:
    """Return the JSON value that a text consists of; raise `ParseError` if it is cut short.

    >>> whole_json(" [1] ")
    ['1']
    """
    value, end, complete = read_json(text, tolerant=tolerant, depth=depth)
    if not complete:
        raise ParseError("the text ends too early", text, end)
    rest = (_TOLERANT if tolerant else _STRICT).match(text, end)
    if rest is None or rest.end() != len(text) or rest["end"] is None:
        raise ParseError("expected the end of the text", text, end)
    return value


def canonical(value: Json) -> str:
    """Return the one compact text of all equal values; keys are sorted, the last of equals counts.

    >>> canonical(whole_json('{"b": 1.50e1, "a": [true, -0.0]}'))
    '{"a":[true,0],"b":15}'
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Number():
            return _canonical_number(value)
        case str():
            return quoted(value)
        case Array():
            return "[" + ",".join(map(canonical, value)) + "]"
        case _:
            return "{" + ",".join(f"{quoted(k)}:{canonical(v)}" for k, v in members(value)) + "}"


def members(value: Object) -> list[tuple[str, Json]]:
    """Return the members sorted by key; of equal keys the last counts.

    >>> members(Object([("b", "x"), ("a", "y"), ("b", "z")]))
    [('a', 'y'), ('b', 'z')]
    """
    return sorted(dict(value).items(), key=lambda member: member[0])


def quoted(text: str) -> str:
    r"""Return a JSON string; what need not be escaped is not.

    >>> print(quoted('a "b"\n'))
    "a \"b\"\u000a"
    """
    escaped = _QUOTED.sub(
        lambda sign: "\\" + sign[0] if sign[0] in '"\\' else f"\\u{ord(sign[0]):04x}", text
    )
    return f'"{escaped}"'


def _plain(text: str, start: int, depth: int) -> tuple[Json, int, bool] | None:
    """Return what the standard library reads at a position, if that is the same, else None."""
    if text[start : start + 1] not in ("[", "{"):
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
        return _closed(value, depth), end, True
    except (ValueError, RecursionError):
        return None


def _closed(value: Any, depth: int) -> Json:
    """Return a value of the standard library's reader as ours; raise `ValueError` if too deep."""
    made: Json = value
    if not isinstance(value, list):
        return made
    if not depth:
        raise ValueError
    if isinstance(value, Object):
        made = Object([(key, _closed(inner, depth - 1)) for key, inner in value])
    else:
        made = Array([_closed(inner, depth - 1) for inner in value])
    made.closed = True
    return made


def _plain_number(text: str) -> Number:
    if not text[-1].isdigit() or "e" in text.lower():
        raise ValueError  # "NaN"; an exponent that may be too large
    return Number(text)


_DECODER = JSONDecoder(
    object_pairs_hook=Object,
    parse_float=_plain_number,
    parse_int=Number,
    parse_constant=_plain_number,
)


class _Malformed(Exception):
    """A text is no JSON: why, and where; lighter than `ParseError`, which counts lines."""


class _Reader:
    """The state of reading one value: the open containers, and what may come next."""

    def __init__(self, text: str, start: int, end: int, *, tolerant: bool, depth: int) -> None:
        self.text = text
        self.position = start
        self.end = end
        self.tolerant = tolerant
        self.depth = depth
        self.open: list[tuple[Array | Object, str, list[tuple[int, int]]]] = []
        self.keys: list[tuple[str, int]] = []  # of the open objects whose value is being read
        self.root: Json = None
        self.expected = "value"

    def read(self) -> tuple[Json, int, bool]:
        match = (_TOLERANT if self.tolerant else _STRICT).match
        while True:
            token = match(self.text, self.position, self.end)
            if token is None:
                raise self._unexpected()
            if token["end"] is not None:
                if not (self.tolerant and self.open):
                    raise _Malformed("the text ends too early", token.start("end"))
                return self.root, self.end, False
            if token["sign"] is None:
                self._scalar(token)
            else:
                self._sign(token)
            self.position = token.end()
            if not self.open:
                return self.root, self.position, True

    def _unexpected(self) -> _Malformed:
        return _Malformed(f"expected a {self.expected}", self.position)

    def _scalar(self, token: re.Match[str]) -> None:
        text = token["text"] if token["text"] is not None else token["single"]
        start = token.start(token.lastgroup or 0) - (text is not None)  # from the quote on
        is_key = self.expected.startswith("key")
        value: Json
        if text is not None:
            value = _ESCAPE.sub(_unescaped, text) if "\\" in text else text
        elif token["number"] is not None:
            value = Number(token["number"])
            parts = _NUMBER.fullmatch(value)
            if parts is not None and len(parts[5] or "") > _LONGEST_EXPONENT:
                raise _Malformed("the exponent is too large", self.position)
        elif (is_bare := is_key and self.tolerant) or token["word"] in _WORDS:
            value = token["word"] if is_bare else _WORDS[token["word"]]
        else:
            raise _Malformed(f"expected a {self.expected}", token.start("word"))
        if is_key and is_text(value):
            self.keys.append((value, start))
            self.expected = "colon"
        else:
            self._put(value, start, token.end())

    def _sign(self, token: re.Match[str]) -> None:
        sign = token["sign"]
        if sign in _CLOSING:
            if len(self.open) >= self.depth:
                raise _Malformed("nested too deeply", self.position)
            value = Object() if sign == "{" else Array()
            self._put(value, token.start("sign"), self.end)
            value.places = places = list[tuple[int, int]]()
            self.open.append((value, _CLOSING[sign], places))
            self.expected = "key or closing bracket" if sign == "{" else "value or closing bracket"
        elif sign in ",:":
            if self.expected != ("colon" if sign == ":" else "comma"):
                raise self._unexpected()
            kind = "key" if sign == "," and isinstance(self.open[-1][0], Object) else "value"
            self.expected = f"{kind} or closing bracket" if sign == "," and self.tolerant else kind
        else:
            if self.expected != "comma" and not self.expected.endswith("closing bracket"):
                raise self._unexpected()
            value, closing, _ = self.open.pop()
            if sign != closing:
                raise _Malformed(f"expected {closing!r}", self.position)
            value.closed = True
            if self.open:
                places = self.open[-1][2]
                places[-1] = places[-1][0], token.end()
            self.expected = "comma"

    def _put(self, value: Json, start: int, end: int) -> None:
        if not self.expected.startswith("value"):
            raise self._unexpected()
        self.expected = "comma"
        if not self.open:
            self.root = value
            return
        container, _, places = self.open[-1]
        if isinstance(container, Object):
            key, start = self.keys.pop()
            container.append((key, value))
        else:
            container.append(value)
        places.append((start, end))


def _unescaped(escape: re.Match[str]) -> str:
    high, low, code, letter = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    return chr(int(code, 16)) if code else _LETTERS.get(letter, letter)


def _canonical_number(number: str) -> str:
    parts = _NUMBER.fullmatch(number)
    assert parts is not None
    sign, whole, fraction, exponent_sign, exponent = parts.groups()
    power = int(exponent or 0) * (-1 if exponent_sign == "-" else 1) - len(fraction)
    digits = (whole + fraction).lstrip("0")
    power += len(digits) - len(digits := digits.rstrip("0"))
    if not digits:
        return "0"
    minus = "-" if sign == "-" else ""
    point = len(digits) + power
    if power >= 0 and point <= max(21, len(digits)):
        return minus + digits + "0" * power
    if power < 0 < point:
        return f"{minus}{digits[:point]}.{digits[point:]}"
    if power < 0 and -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{minus}{digits[0]}{rest}e{point - 1}"
