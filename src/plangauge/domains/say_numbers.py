"""Comparisons, updates and durations in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from plangauge.core.errors import Unsupported
from plangauge.domains.say import joined
from plangauge.pddl.domain import Domain, Durative
from plangauge.pddl.features import DURATIONS, NUMBERS, PREFERENCES, refusal
from plangauge.pddl.formulas import Literal
from plangauge.pddl.quantities import (
    COMPARED,
    DURATION,
    Comparison,
    Expression,
    FunctionTerm,
    Operation,
    Quantities,
    Update,
    written,
)

_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
_UPDATED = {
    "assign": "becomes", "increase": "increases by", "decrease": "decreases by",
    "scale-up": "is multiplied by", "scale-down": "is divided by",
}  # fmt: skip


def expression(made: Expression, said: Mapping[str, str]) -> str:
    """Return an expression in words, with the names of its variables.

    >>> level = FunctionTerm("level", ("?x",))
    >>> expression(Operation("+", (level, 1)), {"?x": "A"})
    '(the "level" of A plus 1)'
    """
    if isinstance(made, FunctionTerm):
        of = f" of {joined([said.get(t, t) for t in made.terms])}" if made.terms else ""
        return f'the "{made.function}"{of}'
    if not isinstance(made, Operation):
        return "its duration" if made == DURATION else written(made)
    parts = [expression(part, said) for part in made.parts]
    sign = _SIGNS[made.sign]
    return f"({f' {sign} '.join(parts)})" if len(parts) > 1 else f"({sign} {parts[0]})"


def comparison(made: Comparison, said: Mapping[str, str]) -> str:
    """Return a comparison in words.

    >>> comparison(Comparison(">=", FunctionTerm("fuel"), 2), {})
    'the "fuel" is at least 2'
    """
    left, right = (expression(side, said) for side in (made.left, made.right))
    return f"{left} is {COMPARED[made.sign]} {right}"


def update(made: Update, said: Mapping[str, str]) -> str:
    """Return an update in words.

    >>> update(Update("decrease", FunctionTerm("fuel"), 2), {})
    'the "fuel" decreases by 2'
    """
    target, value = (expression(each, said) for each in (made.target, made.value))
    return f"{target} {_UPDATED[made.kind]} {value}"


def updates(
    quantities: Quantities, literals: Iterable[Literal], said: Mapping[str, str]
) -> Iterator[str]:
    """Yield the updates among some effects in words."""
    for each in literals:
        if made := quantities.updates.get(each.predicate):
            yield update(made, said)


def durations(durative: Durative, said: Mapping[str, str]) -> Iterator[str]:
    """Yield how long an action takes, in words."""
    for made in (*durative.durations, *durative.durations_at_end):
        value = expression(made.right, said)
        yield f"this takes {value if made.sign == '=' else f'{COMPARED[made.sign]} {value}'}"


def require_verbalizable(domain: Domain, *, as_published: bool) -> None:
    """Raise `Unsupported` for a domain with parts that have no sentences."""
    sayable = () if as_published else (NUMBERS, DURATIONS, PREFERENCES)
    others = tuple(feature for feature in domain.features if feature not in sayable)
    if others:
        raise Unsupported(refusal("describing domains", others), file=domain.file)
