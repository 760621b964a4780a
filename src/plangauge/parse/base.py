"""What a notation is, and reading and writing plans in any of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from plangauge.errors import ParseError
from plangauge.model import Action, Plan
from plangauge.parse.brackets import has_words
from plangauge.parse.vocabulary import Vocabulary
from plangauge.registry import Registry

__all__ = [
    "NOTATIONS",
    "Notation",
    "Reading",
    "Recognised",
    "Status",
    "Vocabulary",
    "parse_plan",
    "read_plan",
    "recognise",
    "render",
]


_NAME = re.compile(r"[^\W\d][\w.:@-]*+")


class Status(StrEnum):
    """What became of the search for a plan in a text."""

    OK = "ok"
    UNCERTAIN = "uncertain"
    """A plan was read, and a careful person could read the text otherwise."""
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
    a vocabulary. ``informed`` is a ``read`` that makes use of a vocabulary and also says what it
    skipped.
    """

    name: str
    summary: str
    read: Callable[[str], Plan]
    write: Callable[[Plan], str]
    claim: Callable[[str], int] = _claims_nothing
    search: Callable[[str, Vocabulary | None], Reading] | None = None
    literal: bool = False
    informed: Callable[[str, Vocabulary], tuple[Plan, tuple[str, ...]]] | None = None


@dataclass(frozen=True, slots=True)
class Recognised:
    """A text that is nothing but a plan; not ``sure`` where the vocabulary speaks against it."""

    notation: str
    plan: Plan
    skipped: tuple[str, ...] = ()
    sure: bool = True


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
        plan = _plan_file(text, vocabulary)
        if plan is not None:
            status = Status.OK if plan.steps else Status.EXPLICITLY_EMPTY
            return Reading(plan, "pddl", status, 0, len(text))
        found = recognise(text, vocabulary)
        if found is not None and found.sure:
            return _whole(text, found)
        prose = _read_in("prose", text, vocabulary)
        if found is None or (prose.plan and vocabulary and vocabulary.knows_any(prose.plan)):
            return prose
        return _whole(text, found)
    return _read_in(notation, text, vocabulary)


def render(plan: Plan, notation: str = "pddl") -> str:
    """Return the plan in a notation; raise `RenderError` where that cannot express it.

    ``parse_plan(render(plan, n), n) == plan`` for every plan that the notation n can express.

    >>> print(render(parse_plan("pick-up(a), stack(a, b)")))
    (pick-up a)
    (stack a b)
    """
    return NOTATIONS[notation].write(plan)


def recognise(text: str, vocabulary: Vocabulary | None = None) -> Recognised | None:
    """Return the plan of a text that is nothing but a plan, else None.

    Of the notations that claim the text, the surest that can read it is taken; with a vocabulary,
    one that makes sense of it rather than one that finds only names that nobody knows.

    >>> recognise('["(pick-up a)"]').notation, recognise("Let me see.")
    ('json', None)
    """
    claims = [
        (-certainty, name)
        for name, notation in NOTATIONS.items()
        if (certainty := notation.claim(text)) > 0
    ]
    doubtful: Recognised | None = None
    for _, name in sorted(claims):
        try:
            found = _read_as(name, text, vocabulary)
        except ParseError:
            continue
        if found.sure:
            return found
        if _may_be_meant(found.plan, text):
            doubtful = doubtful or found
    return doubtful


def _plan_file(text: str, vocabulary: Vocabulary | None) -> Plan | None:
    """Return the plan of a plan file: by far the most frequent text, which need not be claimed."""
    if text.startswith("(") or not text or text.isspace():
        try:
            plan = NOTATIONS["pddl"].read(text)
        except ParseError:
            return None
        if _is_in_words(plan, vocabulary):
            return None
        if len(plan) != 1:  # a single group may also be a remark like "(empty plan)"
            return _without_commas(plan, vocabulary) if vocabulary and "," in text else plan
    return None


def _read_as(name: str, text: str, vocabulary: Vocabulary | None) -> Recognised:
    """Read a text in a notation and judge the plan; raise `ParseError` where it is in another."""
    notation = NOTATIONS[name]
    if vocabulary is None:
        return Recognised(name, notation.read(text))
    if notation.literal:
        plan = _without_commas(notation.read(text), vocabulary)
        names = {action.name for step in set(plan) for action in step}
        # several code fences may be a plan and the state that it leads to
        sure = text.count("```") < 3 or vocabulary.actions.keys() >= names
        return Recognised(name, plan, sure=sure and not _is_in_words(plan, vocabulary))
    if notation.informed is not None:
        plan, skipped = notation.informed(text, vocabulary)
    else:
        plan, skipped = vocabulary.spell_plan(notation.read(text)), ()
    return Recognised(name, plan, skipped, _makes_sense(plan, vocabulary))


def _is_in_words(plan: Plan, vocabulary: Vocabulary | None) -> bool:
    """Tell whether actions are sentences in parentheses: ``(put down the red block)``."""
    return (
        vocabulary is not None
        and vocabulary.sentences is not None
        and any(
            has_words(action.args, vocabulary) and not vocabulary.is_known(action)
            for step in set(plan)
            for action in step
        )
    )


def _makes_sense(plan: Plan, vocabulary: Vocabulary) -> bool:
    """Tell whether some action is known, and nothing else looks like text in a wrong notation."""
    actions = {action for step in set(plan) for action in step}
    return not plan.steps or (
        any(action.name in vocabulary.actions for action in actions)
        and all(
            action.name in vocabulary.actions or len(action.name.split()) < 2 for action in actions
        )
        and not any(
            arg[:1] in ("'", '"', "`") or arg[-1:] == "'"
            for action in actions
            for arg in action.args
        )
    )


def _may_be_meant(plan: Plan, text: str) -> bool:
    """Tell unknown actions from words between commas, or whatever else is in the wrong notation."""
    bracketed = "(" in text or text.lstrip()[:1] in ("[", "{")
    return bracketed and all(_NAME.fullmatch(action.name) for action in plan.actions)


def _without_commas(plan: Plan, vocabulary: Vocabulary) -> Plan:
    """Return the plan of ``(stack a, b)`` without commas, where all actions are written with them.

    A comma in a file that has none otherwise stays: it is a slip, which makes the object unknown.
    """
    if any("," in thing for thing in vocabulary.objects):
        return plan
    spelled: dict[Action, Action] = {}
    for action in {action for step in set(plan) for action in step}:
        parts = [part.strip() for part in " ".join(action.args).split(",")]
        spelled[action] = Action(action.name, tuple(parts) if action.args else ())
        if any(len(part.split()) != 1 for part in parts if action.args):
            return plan
    return Plan.from_steps([spelled[action] for action in step] for step in plan)


def _read_in(notation: str, text: str, vocabulary: Vocabulary | None) -> Reading:
    chosen = NOTATIONS[notation]
    if chosen.search is not None:
        return chosen.search(text, vocabulary)
    if chosen.informed is not None and vocabulary is not None:
        plan, skipped = chosen.informed(text, vocabulary)
        return _whole(text, Recognised(notation, plan, skipped))
    return _whole(text, Recognised(notation, chosen.read(text)))


def _whole(text: str, found: Recognised) -> Reading:
    status = Status.OK if found.plan.steps else Status.EXPLICITLY_EMPTY
    return Reading(found.plan, found.notation, status, 0, len(text), found.skipped)
