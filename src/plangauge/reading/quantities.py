"""Values of function terms in sets of facts: ``(= (fuel van) 3)``, ``fuel(van) = 3``, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from plangauge.pddl.quantities import exact, simple, text_of_number
from plangauge.reading.names import folded
from plangauge.reading.result import Effects, Reading
from plangauge.reading.sets import find_set
from plangauge.reading.vocabulary import Vocabulary
from plangauge.worlds.numbers import VALUE

_Statement: TypeAlias = tuple[int, int, list[str], bool]
"""Where values are stated, their terms, and whether in a sentence."""

_CODES = tuple(f"\ua000-{chr(0xA001 + n)}" for n in range(200))
"""Names of the facts that stand for values: letters that no answer is written in."""

_NUMBER = r"[+-]?(?:\d{1,60}+(?:\.\d{1,60}+)?+(?:/\d{1,60}+)?+|\.\d{1,60}+)(?![\w/]|\.\d)"
_IS = (
    r"[\"'`*\s]{0,4}"
    r"(?:==?|:|\||→|->|\b(?:is|are|equals|becomes|remains|stays)(?: now| still| at| exactly)?\b"
    r"|\b(?:in|de)creases(?: from [\d./-]{1,60})? to\b)[\"'`*\s]{0,4}"
    r"(?:[\d.+*/()\s-]{1,60}(?:=|→|->)\s?){0,3}"  # what it is computed from, or was before
)
_WORD = r"[^\W_]\w*+(?:[-.]\w++)*+"
_PHRASE = r"[^\n.,;:()=\"|]{1,60}?"
_BETWEEN = re.compile(r"\s*,\s*(?:and |to )?| and | to |\s+")
_MEMBER = re.compile(rf"\"([^\"\n]{{1,60}})\"\s*:\s*\"?({_NUMBER})\"?")
_KEY = re.compile(r'"[^"]*"\s*:')
_CLOSED = re.compile(r"\s?\)")


def find_facts(original: str, vocabulary: Vocabulary, kind: str) -> Reading:
    """Return what `find_set` does, with the values of function terms among the facts.

    A value is the term ``(= (function object …) number)``. Numbers are exact, and written in one
    way: as decimals where they are such, else as fractions.

    >>> words = Vocabulary({}, ["van"], predicates={"loaded": 1, "fuel =": ("", "number")})
    >>> for text in "[(loaded van), (= (fuel van) 2.50)]", "The fuel of the van is now 5/2.":
    ...     find_facts(text, words, "state").value
    ('(loaded van)', '(= (fuel van) 2.5)')
    ('(= (fuel van) 2.5)',)
    """
    if kind == "actions" or not any(name.endswith(VALUE) for name in vocabulary.predicates):
        return find_set(original, vocabulary, kind)
    return vocabulary.once(_Values, _Values, vocabulary).read(original, kind)


class _Values:
    """Reads a text in which one fact without arguments stands for each statement of a value."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        given = vocabulary.predicates
        self.functions: dict[str, int] = {}
        for name, types in given.items():
            if name.endswith(VALUE) and not isinstance(types, int):
                self.functions[name.removesuffix(VALUE)] = len(types) - 1
        self.names = {folded(name): name for name in self.functions}
        plain = {name: types for name, types in given.items() if not name.endswith(VALUE)}
        self.vocabulary = vocabulary.with_facts({**plain, **dict.fromkeys(_CODES, 0)})
        longest = sorted(self.functions, key=len, reverse=True)
        either = "|".join("[-_ ]?".join(map(re.escape, re.split("[-_]", n))) for n in longest)
        self.nested = re.compile(rf"\"({either})\"\s*:\s*\{{([^{{}}]{{0,9999}})\}}", re.IGNORECASE)
        self.written = re.compile(
            rf"(\(\s?=\s?\(?\s?|\(\s?|(?<!\w)(?P<owner>{_WORD})'s )?(?<![\w-])({either})(?![\w-])"
            rf"(?:\s?\((?P<call>[^()\n]{{0,200}})\)| of ({_PHRASE})|((?:\s{_WORD}){{0,9}}?)\s?\)?)"
            rf"(?:({_IS}|\s)({_NUMBER})|(?(call)|(?!)))",
            re.IGNORECASE,
        )
        self.said = [*_templates(vocabulary.fact_templates)]

    def read(self, original: str, kind: str) -> Reading:
        """Return the reading of a text, with the terms that the facts stand for."""
        codes: dict[str, str] = {}
        parts: list[str] = []
        at = 0
        ends: dict[int, int] = {}
        for start, end, terms, said in sorted(self._statements(original)):
            if start < at or len({*codes, *terms}) > len(_CODES):
                continue
            for term in terms:
                codes.setdefault(term, _CODES[len(codes)])
            is_key = start > 0 and _KEY.match(original, start - 1, end) is not None
            made = [codes[term] if said else f"({codes[term]})" for term in terms]
            text = '":true, "'.join(made) + '":true' if is_key else made[0]
            parts += original[at:start], text.ljust(end - start)
            at = ends[start] = end
        reading = find_set("".join((*parts, original[at:])), self.vocabulary, kind)
        terms_of = {f"({code})": term for term, code in codes.items()}

        def decoded(terms: Sequence[str]) -> tuple[str, ...]:
            return tuple(terms_of.get(term, term) for term in terms)

        value = reading.value
        if isinstance(value, Effects):
            value = Effects(decoded(value.positive), decoded(value.negative))
            used = {*value.positive, *value.negative}
        elif isinstance(value, tuple):
            value = decoded(value)
            used = {*value}
        else:
            return reading
        unknown = {term for term in used & codes.keys() if not self._exists(term)}
        spans = ((start, max(end, ends.get(start, 0))) for start, end in reading.used)
        return replace(reading, value=value, used=tuple(spans), unknown=reading.unknown | unknown)

    def _statements(self, text: str) -> Iterator[_Statement]:
        for found in self.nested.finditer(text):
            members = _MEMBER.findall(found[2])
            terms = [self._term(found[1], [key], number) for key, number in members]
            if terms and all(terms):
                yield found.start() + 1, found.end(), terms, False
        for name, pattern in self.said:
            for found in pattern.finditer(text):
                *args, number = found.groups()
                if term := self._term(name, args, number):
                    yield *found.span(), [term], True
        for found in self.written.finditer(text):
            if statement := self._statement(text, found):
                yield statement

    def _statement(self, text: str, found: re.Match[str]) -> _Statement | None:
        opened, owner, name, call, of, bare, link, number = found.groups()
        args = _BETWEEN.split((call or of or bare or "").strip())
        args = [arg for arg in args if arg.lower() not in ("", "the")]
        term_only = call is not None or (opened is not None and owner is None)
        if owner is not None:
            args.insert(0, owner)
        elif number is None:  # fuel(van, 3)
            if len(args) < 2 or not re.fullmatch(_NUMBER, args[-1]):
                return None
            number = args.pop()
        elif not (link.strip() or term_only):
            return None
        end = found.end()
        for _ in range(text.count("(", found.start(), end) - text.count(")", found.start(), end)):
            closed = _CLOSED.match(text, end)
            if closed is None:
                return None
            end = closed.end()
        term = self._term(name, args, number, known=not term_only)
        said = not term_only and re.search("[a-z]", link) is not None
        return (found.start(), end, [term], said) if term else None

    def _term(self, name: str, args: Sequence[str], number: str, *, known: bool = True) -> str:
        """Return the term of a value; empty where it would not be one with ``known`` objects."""
        function = self.names[folded(name)]
        plain = [arg.strip().lower().removeprefix("the ") for arg in args]
        objects = [self.vocabulary.called(arg) or ("" if known else arg) for arg in plain]
        whole, _, divisor = number.removeprefix("+").partition("/")
        value, by = exact(whole), exact(divisor or "1")
        wrong = "" in objects or (known and len(objects) != self.functions[function])
        if wrong or value is None or not by:
            return ""
        text = text_of_number(simple(Fraction(value) / by))
        return f"(= ({' '.join((function, *objects))}) {text})"

    def _exists(self, term: str) -> bool:
        """Return whether the function of a term exists for its objects."""
        function, *objects = term[4:].partition(")")[0].split()
        known = all(map(self.vocabulary.object, objects))
        return known and self.functions[function] == len(objects)


def _templates(templates: Mapping[str, str]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield functions of which something is said in words, each with a pattern for that."""
    for name, template in templates.items():
        parts = re.split(r"(\{\d+\})", template)
        places = parts[1::2]
        if not name.endswith(VALUE) or places != [f"{{{n}}}" for n in range(len(places))]:
            continue
        said = [re.escape(part).replace(r"\ ", r"\s") for part in parts[::2]]
        said = [re.sub(r"\\sis\\s$", lambda _: rf"(?:{_IS}|\\s)", part) for part in said]
        groups = [f"({_PHRASE})"] * (len(places) - 1) + [f"({_NUMBER})", ""]
        pattern = "".join(map("".join, zip(said, groups, strict=True))).removeprefix(r"the\s")
        yield name.removesuffix(VALUE), re.compile(rf"\b(?:the\s)?{pattern}", re.IGNORECASE)
