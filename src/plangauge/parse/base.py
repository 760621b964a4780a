"""What a notation is, and reading and writing plans in any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from plangauge.errors import ParseError
from plangauge.model import Plan
from plangauge.parse.vocabulary import Vocabulary
from plangauge.registry import Registry

__all__ = [
    "NOTATIONS",
    "Notation",
    "Reading",
    "Status",
    "Vocabulary",
    "parse_plan",
    "read_plan",
    "recognise",
    "render",
]


class Status(StrEnum):
    """What became of the search for a plan in a text."""

    OK = "ok"
    EXPLICITLY_EMPTY = "explicitly empty"
    """The text says that there is nothing to do."""
    NO_ANSWER = "no answer"
    """There is no plan in the text."""
    TRUNCATED = "truncated"
    """The text ends inside reasoning, an action or a bracket; the plan is what came before."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, and from where.

    ``plan`` is None where there is none; ``notation`` is the one that read it. The answer is
    ``text[start:end]``. ``skipped`` are lines of the answer that are no actions (at most 20, each
    cut to 200 characters), and ``how`` says in a few words how the answer was found.
    """

    plan: Plan | None
    notation: str
    status: Status = Status.OK
    start: int = 0
    end: int = 0
    skipped: tuple[str, ...] = ()
    how: str = "whole text"


def _claims_nothing(text: str) -> int:  # noqa: ARG001
    return 0


@dataclass(frozen=True, slots=True)
class Notation:
    """A way of writing plans.

    ``read`` raises nothing but `ParseError`, and ``write`` raises `RenderError` exactly for the
    plans that ``read`` would not give back. ``claim`` says how much a text looks like this
    notation, from 0 (not at all) to 9, at a glance; ``auto`` tries the highest claims first. Given
    a vocabulary, it restores the spelling of known names, except in ``literal`` notations.
    ``search``, for notations that look for a plan in a longer text, never raises and makes use of
    a vocabulary.
    """

    name: str
    summary: str
    read: Callable[[str], Plan]
    write: Callable[[Plan], str]
    claim: Callable[[str], int] = _claims_nothing
    search: Callable[[str, Vocabulary | None], Reading] | None = None
    literal: bool = False


NOTATIONS: Registry[Notation] = Registry("notation", "plangauge.parse")


def parse_plan(text: str, notation: str = "auto", vocabulary: Vocabulary | None = None) -> Plan:
    r"""Return the plan that a text holds; raise `ParseError` where there is none.

    ``auto`` finds out the notation and falls back on reading the text as prose. A vocabulary, the
    names of a problem's actions and objects, helps to read prose. A blank text is the empty plan,
    except in JSON and as prose.

    >>> parse_plan("(pick-up a)\n(stack a b)") == parse_plan("pick-up(a), stack(a, b)")
    True
    >>> parse_plan("I do not know.")
    Traceback (most recent call last):
        ...
    plangauge.errors.ParseError: no answer, at line 1, column 1
    """
    if notation != "auto":
        chosen = NOTATIONS[notation]
        if chosen.search is None:
            return chosen.read(text)
    reading = read_plan(text, notation, vocabulary)
    if reading.plan is None:
        raise ParseError(reading.status.value, text, reading.start)
    return reading.plan


def read_plan(text: str, notation: str = "auto", vocabulary: Vocabulary | None = None) -> Reading:
    r"""Return the plan that a text holds with where and how it was found.

    Raises `ParseError` for a text that is not in the asked notation; ``auto`` and ``prose`` never
    raise, but return a reading without a plan.

    >>> reading = read_plan("Sure! My plan:\n1. (pick-up a)\n2. (stack a b)\nDone.")
    >>> reading.notation, reading.status.value, len(reading.plan), reading.how
    ('prose', 'ok', 2, 'marker, numbered lines')
    """
    if notation == "auto":
        found = _recognise(text)
        if found is not None:
            name, plan = found
            if vocabulary is not None and not NOTATIONS[name].literal:
                plan = vocabulary.spell_plan(plan)
            return _whole(text, name, plan)
        notation = "prose"
    chosen = NOTATIONS[notation]
    if chosen.search is not None:
        return chosen.search(text, vocabulary)
    return _whole(text, notation, chosen.read(text))


def render(plan: Plan, notation: str = "pddl") -> str:
    """Return the plan in a notation; raise `RenderError` where that cannot express it.

    ``parse_plan(render(plan, n), n) == plan`` for every plan that the notation n can express.

    >>> print(render(parse_plan("pick-up(a), stack(a, b)")))
    (pick-up a)
    (stack a b)
    """
    return NOTATIONS[notation].write(plan)


def recognise(text: str) -> tuple[str, Plan] | None:
    """Return the notation and the plan of a text that is nothing but a plan, else None.

    Of the notations that claim the text, the surest that can read it is taken.

    >>> recognise('["(pick-up a)"]')[0], recognise("Let me see.")
    ('json', None)
    """
    claims = [
        (-certainty, name)
        for name, notation in NOTATIONS.items()
        if (certainty := notation.claim(text)) > 0
    ]
    for _, name in sorted(claims):
        try:
            return name, NOTATIONS[name].read(text)
        except ParseError:
            continue
    return None


def _recognise(text: str) -> tuple[str, Plan] | None:
    # Plan files are by far the most frequent text, so they do not wait for everybody's claim.
    if text.startswith("(") or not text or text.isspace():
        try:
            plan = NOTATIONS["pddl"].read(text)
        except ParseError:
            return recognise(text)
        if len(plan) != 1:  # a single group may also be a remark like "(empty plan)"
            return "pddl", plan
    return recognise(text)


def _whole(text: str, notation: str, plan: Plan) -> Reading:
    status = Status.OK if plan.steps else Status.EXPLICITLY_EMPTY
    return Reading(plan, notation, status, 0, len(text))
