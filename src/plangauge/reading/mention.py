"""A mention: one action or fact that a text names, where, how, and what the text says of it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from plangauge.core.model import Action
from plangauge.reading.operators import Operator
from plangauge.reading.result import Label
from plangauge.reading.vocabulary import Vocabulary

LEFT_OUT = "\x00"
"""An argument that the text leaves out."""
PRONOUN = "\x00it"
"""An argument that a pronoun stands for."""
NOT_TAKEN = "an object that is not taken by "
"""The guess where more objects are said than an operator takes."""
_MOST_ANTECEDENTS = 4


class Style(StrEnum):
    """How a term is written."""

    TERM = "term"
    """With brackets: ``(stack a b)``, ``stack(a, b)``."""
    BARE = "bare"
    """A name with nothing but objects behind it: ``stack a b``."""
    SAID = "said"
    """In words: "stack a on top of b"."""
    VALUE = "value"
    """As a value of JSON, YAML or XML, or a tool call."""


class Mention(NamedTuple):
    """An action or a fact in a text, at ``start`` to ``end``.

    ``named`` tells whether the operator exists, ``known`` whether the arguments fit it as well.
    ``guess`` says what had to be guessed, if anything; ``cue`` is the word that gave the label.
    """

    action: Action
    start: int
    end: int
    style: Style
    known: bool
    named: bool = True
    negated: bool = False
    label: Label = Label.ASSERTED
    guess: str = ""
    cue: str = ""
    verb: str = ""
    rivals: tuple[Action, ...] = ()
    """Other actions that the same words fit about as well."""

    @property
    def is_open(self) -> bool:
        """Whether arguments are left out or given by a pronoun."""
        return any(arg[:1] == LEFT_OUT for arg in self.action.args)

    def moved(self, by: int) -> Mention:
        """Return the mention at another place."""
        return Mention(self.action, self.start + by, self.end + by, *self[3:])


class Line(NamedTuple):
    """The mentions of a line, and how they stand in it: *brackets*, *term*, *words* or *row*.

    ``others`` are mentions that are not asserted. ``left`` are words that name an action and stand
    in no mention, ``differs`` tells whether what is written and what is said are not the same.
    """

    mentions: tuple[Mention, ...] = ()
    form: str = ""
    others: tuple[Mention, ...] = ()
    left: tuple[str, ...] = ()

    def moved(self, by: int) -> Line:
        """Return the line with all mentions at another place."""
        if not by or not (self.mentions or self.others):
            return self
        mentions = tuple([m.moved(by) for m in self.mentions])
        return Line(mentions, self.form, tuple([m.moved(by) for m in self.others]), self.left)


def resolved(mention: Mention, past: Sequence[Mention], vocabulary: Vocabulary) -> Mention:
    """Return an open mention with its arguments taken from those before it, where they fit.

    What a pronoun stands for is the last object of the right type; so is what is left out, which
    is a guess.

    >>> words = Vocabulary({"lift": 1, "drop": 1}, "ab")
    >>> lift = Mention(Action("lift", ("a",)), 0, 6, Style.SAID, known=True)
    >>> it = Mention(Action("drop", (PRONOUN,)), 8, 15, Style.SAID, known=False)
    >>> str(resolved(it, [lift], words).action)
    '(drop a)'
    """
    operator = vocabulary.operators.get(mention.action.name)
    if operator is None or not mention.is_open:
        return mention
    args = list(mention.action.args)
    guess = mention.guess
    own = args[: len(operator.types)]
    pronouns = [n for n, arg in enumerate(own) if arg == PRONOUN]
    others = [n for n, arg in enumerate(own) if arg == LEFT_OUT]
    if guess.startswith(NOT_TAKEN):
        others = []  # something wrong is said in their place
    for place in (*pronouns, *others):
        prep = next((s.prep for s in operator.frames[0].slots if s.index == place), "")
        found = None
        if args[place] == PRONOUN or not _is_target(operator, args, place, prep):
            found = _antecedent(operator.types[place], args, past, vocabulary, prep)
        if args[place] == LEFT_OUT:
            found = _only_possible(operator, args, place, vocabulary) or found
        if found is None:
            guess = guess or ("the object meant by a pronoun" if args[place] == PRONOUN else "")
            continue
        if args[place] == LEFT_OUT:
            guess = guess or f"{found} is left out"
        args[place] = found
    action = Action(mention.action.name, tuple(arg for arg in args if arg[:1] != LEFT_OUT))
    known = vocabulary.fits(action)
    return mention._replace(action=action, guess=guess, known=known)


def _is_target(operator: Operator, args: Sequence[str], place: int, prep: str) -> bool:
    """Tell the place of "stack a": what was named before is no more likely than anything else."""
    given = [n for n, arg in enumerate(args) if arg[:1] != LEFT_OUT]
    alike = any(operator.types[n] == operator.types[place] for n in given)
    return alike and prep in ("on", "to", "in", "from")


def with_topic(mention: Mention, topics: Sequence[str], vocabulary: Vocabulary) -> Mention:
    """Return a mention that lacks an object with that of its topic: "Maya: walk on"."""
    operator = vocabulary.operators.get(mention.action.name)
    args = mention.action.args
    lacks = operator and (LEFT_OUT in args or len(args) == len(operator.types) - 1)
    for text in topics if lacks else ():
        for unit in vocabulary.names.units(text):
            if unit.obj and (found := inserted(mention, unit.obj, vocabulary)):
                return found
    return mention


def inserted(mention: Mention, thing: str, vocabulary: Vocabulary) -> Mention | None:
    """Return a mention that lacks one argument with an object in its place; None if none fits.

    >>> words = Vocabulary({"go": ("robot", "place")}, {"r": "robot", "a": "place"},
    ...     is_a=lambda thing, kind: {"r": "robot", "a": "place"}[thing] == kind)
    >>> go = Mention(Action("go", ("a",)), 0, 4, Style.BARE, known=False)
    >>> str(inserted(go, "r", words).action)
    '(go r a)'
    """
    operator = vocabulary.operators.get(mention.action.name)
    if operator is None or thing in mention.action.args:
        return None
    args = mention.action.args
    places = [n for n, arg in enumerate(args) if arg == LEFT_OUT]
    if places:
        for n in places:
            if vocabulary.can_fill(thing, operator, n):
                filled = Action(operator.name, (*args[:n], thing, *args[n + 1 :]))
                return mention._replace(action=filled, known=vocabulary.fits(filled))
        return None
    if len(args) != len(operator.types) - 1:
        return None
    for n in range(len(operator.types)):
        filled = Action(operator.name, (*args[:n], thing, *args[n:]))
        if vocabulary.fits(filled):
            return mention._replace(action=filled, known=True)
    return None


def _only_possible(
    operator: Operator, args: Sequence[str], place: int, vocabulary: Vocabulary
) -> str | None:
    """Return the only object that a slot can have with the other arguments: the city of a place."""
    if sum(arg[:1] == LEFT_OUT for arg in args) != 1 or len(args) < 2:
        return None
    found: list[str] = [
        thing
        for thing in vocabulary.objects
        if vocabulary.can_fill(thing, operator, place)
        and vocabulary.possible(Action(operator.name, (*args[:place], thing, *args[place + 1 :])))
    ][:2]
    return found[0] if len(found) == 1 else None


def _antecedent(
    kind: str, taken: Sequence[str], past: Sequence[Mention], vocabulary: Vocabulary, prep: str = ""
) -> str | None:
    """Return the object of a type that was named last: direct objects, or where something went."""
    for mention in reversed(past[-_MOST_ANTECEDENTS:]):
        operator = vocabulary.operators.get(mention.action.name)
        args = mention.action.args
        order = [*range(len(args))]
        if operator is not None and operator.frames:
            preps = {slot.index: slot.prep for slot in operator.frames[0].slots}
            if prep:
                order.sort(key=lambda n: (preps.get(n, "") == "from", preps.get(n, "") != "to", -n))
            else:
                order.sort(key=lambda n: preps.get(n, "") == "from")
        for n in order:
            thing: str = args[n]
            if thing not in taken and thing in vocabulary.objects and vocabulary.suits(thing, kind):
                return thing
    return None
