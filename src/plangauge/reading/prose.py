"""A model's free text, as a notation: numbered lines when written, anything when read."""

from __future__ import annotations

from plangauge.errors import ParseError, RenderError
from plangauge.model import Plan
from plangauge.reading.notations.base import NOTATIONS, Notation
from plangauge.reading.plans import find_plan
from plangauge.reading.vocabulary import ANYTHING, Vocabulary


def read(text: str) -> Plan:
    """Return the plan in a text, read without a vocabulary; raise `ParseError` for none.

    >>> str(read("The plan is: stack(a, b), noop()"))
    '(stack a b), (noop)'
    """
    return read_informed(text, ANYTHING)[0]


def read_informed(text: str, vocabulary: Vocabulary) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan in a text, and nothing skipped; raise `ParseError` for none."""
    reading = find_plan(text, vocabulary)
    if reading.plan is None:
        raise ParseError(reading.status.value, text, reading.start)
    return reading.plan, reading.skipped


def write(plan: Plan) -> str:
    """Return numbered lines; the empty plan in words.

    >>> write(read("stack(a, b)"))
    '1. (stack a b)'
    """
    if any(len(step) != 1 for step in plan):
        raise RenderError("numbered lines cannot express concurrent actions")
    lines = [f"{n}. {action}" for n, action in enumerate(plan.actions, 1)]
    text = "\n".join(lines) or "The plan is empty."
    if find_plan(text, ANYTHING).plan != plan:  # names can look like anything
        raise RenderError("numbered lines cannot express the names of this plan")
    return text


NOTATIONS.add(
    "prose", Notation("prose", "a model's free text", read, write, informed=read_informed)
)
