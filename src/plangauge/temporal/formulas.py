"""Formulas, and how they are read.

From the loosest to the tightest: ``A then B``, ``A or B``, ``A and B``, ``not A``, ``forall x. A``,
``exists x. A``, ``forn 2. x. A``, and atoms such as ``ON(lamp.7)`` or ``GRAB(x)``, which are about
the state, or about the action that is done in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from plangauge.errors import ParseError
from plangauge.model import Action, Fact

_DEEPEST = 100
_TOKEN = re.compile(r"[A-Za-z_][\w-]*(?:\.\w[\w-]*)*|\d+|[(),.]")
_KEYWORDS = frozenset(("then", "or", "and", "not", "forall", "exists", "forn"))


@dataclass(frozen=True)
class Atom:
    """A fact, or an action; its arguments are objects, or variables bound further out."""

    about: Fact | Action

    @property
    def momentary(self) -> bool:
        """Whether one moment is enough to tell if it holds."""
        return True


@dataclass(frozen=True)
class _Compound:
    parts: tuple[Formula, ...]

    @cached_property
    def momentary(self) -> bool:
        """Whether one moment is enough to tell if it holds."""
        return all(part.momentary for part in self.parts)


class And(_Compound):
    """Every part holds."""


class Or(_Compound):
    """Some part holds."""


class Then(_Compound):
    """The parts hold one after the other."""

    momentary = False


@dataclass(frozen=True)
class _Around:
    body: Formula

    @property
    def momentary(self) -> bool:
        """Whether one moment is enough to tell if it holds."""
        return self.body.momentary


@dataclass(frozen=True)
class Not(_Around):
    """The body does not hold."""


@dataclass(frozen=True)
class ForAll(_Around):
    """The body holds for every object."""

    variable: str


@dataclass(frozen=True)
class Exists(_Around):
    """The body holds for some object."""

    variable: str


@dataclass(frozen=True)
class ForN(_Around):
    """The body holds for exactly so many objects."""

    variable: str
    number: int


Formula: TypeAlias = Atom | And | Or | Then | Not | ForAll | Exists | ForN


def _same(name: str) -> str:
    return name


def parse_formula(
    text: str,
    actions: Container[str],
    spell: Callable[[str], str] = _same,
    spell_object: Callable[[str], str] = _same,
) -> Formula:
    """Return the formula of a text.

    ``actions`` tells which names, spelt as the world does, are actions; all others are predicates.
    ``spell`` and ``spell_object`` translate names of the text to names of the world. Raises
    `ParseError` with the place where the text is no formula, or nested deeper than 100.

    >>> parse_formula("exists x. (GRAB(x) then NEAR(me, cat.1))", {"grab"}, str.lower).variable
    'x'
    >>> parse_formula("ON(a) and", set())
    Traceback (most recent call last):
    ...
    plangauge.errors.ParseError: expected an atom, 'not', a quantifier or '(', at line 1, column 10
    """
    return _Reader(text, actions, spell, spell_object).whole()


class _Reader:
    def __init__(
        self,
        text: str,
        actions: Container[str],
        spell: Callable[[str], str],
        spell_object: Callable[[str], str],
    ) -> None:
        self.text, self.actions = text, actions
        self.spell, self.spell_object = spell, spell_object
        self.position = 0
        self.depth = 0
        self.variables: list[str] = []
        self.next = ""
        self.advance()

    def whole(self) -> Formula:
        found = self.chain()
        if self.next:
            raise self.error(f"expected 'then', 'or', 'and' or the end, not {self.next!r}")
        return found

    def chain(self) -> Formula:
        parts = self.several("then", self.either)
        return parts[0] if len(parts) == 1 else Then(parts)

    def either(self) -> Formula:
        parts = self.several("or", self.both)
        return parts[0] if len(parts) == 1 else Or(parts)

    def both(self) -> Formula:
        parts = self.several("and", self.single)
        return parts[0] if len(parts) == 1 else And(parts)

    def several(self, word: str, part: Callable[[], Formula]) -> tuple[Formula, ...]:
        parts = [part()]
        while self.next == word:
            self.advance()
            parts.append(part())
        return tuple(parts)

    def single(self) -> Formula:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error(f"nested deeper than {_DEEPEST}")
        found = self.inner()
        self.depth -= 1
        return found

    def inner(self) -> Formula:
        if self.next == "not":
            self.advance()
            return Not(self.single())
        if self.next in ("forall", "exists", "forn"):
            return self.quantified(self.advance())
        if self.next == "(":
            self.advance()
            found = self.chain()
            self.expect(")")
            return found
        if not self.next or not (self.next[0].isalpha() or self.next[0] == "_"):
            raise self.error("expected an atom, 'not', a quantifier or '('")
        return self.atom()

    def quantified(self, word: str) -> Formula:
        number = 0
        if word == "forn":
            if not self.next.isdecimal() or len(self.next) > 6:
                raise self.error("expected how many")
            number = int(self.advance())
            self.expect(".")
        if not self.next.isidentifier() or self.next in _KEYWORDS:
            raise self.error("expected a variable")
        variable = self.advance()
        self.expect(".")
        self.variables.append(variable)
        body = self.single()
        self.variables.pop()
        if word == "forn":
            return ForN(body, variable, number)
        return ForAll(body, variable) if word == "forall" else Exists(body, variable)

    def atom(self) -> Formula:
        if self.next in _KEYWORDS:
            raise self.error(f"expected an atom, not {self.next!r}")
        name = self.spell(self.advance())
        self.expect("(")
        args: list[str] = []
        while self.next != ")":
            if args:
                self.expect(",")
            if not self.next or self.next in "(),.":
                raise self.error("expected an object or a variable")
            arg = self.advance()
            args.append(arg if arg in self.variables else self.spell_object(arg))
        self.advance()
        kind = Action if name in self.actions else Fact
        return Atom(kind(name, tuple(args)))

    def expect(self, token: str) -> None:
        if self.next != token:
            raise self.error(f"expected {token!r}")
        self.advance()

    def advance(self) -> str:
        """Go to the next token; return the one before."""
        before = self.next
        self.position += len(before)
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1
        if self.position == len(self.text):
            self.next = ""
            return before
        found = _TOKEN.match(self.text, self.position)
        if found is None:
            raise self.error(f"unexpected {self.text[self.position]!r}")
        self.next = found.group()
        return before

    def error(self, message: str) -> ParseError:
        return ParseError(message, self.text, self.position)
