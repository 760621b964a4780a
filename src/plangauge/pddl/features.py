"""What domains and problems use beyond classical PDDL, by name, and refusing it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from plangauge.core.errors import Unsupported
from plangauge.pddl.preferences import Constraint, Preference

NUMBERS = "numbers"
DURATIONS = "durative actions"
TIMED = "timed literals"
CONSTRAINTS = "trajectory constraints"
PREFERENCES = "preferences"
METRICS = "metrics other than total-cost"

WITH_NUMBERS = frozenset((NUMBERS,))
WITH_TIME = frozenset((NUMBERS, DURATIONS, TIMED))
"""What tasks take beyond classical problems: `Task.takes`."""

OF_SCHEDULES = frozenset((DURATIONS, TIMED, CONSTRAINTS))
"""What makes the validity of a plan depend on more than its actions and the last state."""


class _Declared(Protocol):
    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def file(self) -> str | None: ...


def require_classical(declared: _Declared, what: str) -> None:
    """Raise `Unsupported` for a domain or problem that is not classical; ``what`` is refused.

    >>> from plangauge.pddl.domain import read_domain
    >>> require_classical(read_domain("(define (domain d) (:action a :effect (and)))"), "drawing")
    """
    if declared.features:
        raise Unsupported(refusal(what, declared.features), file=declared.file)


def constraint_features(constraints: Iterable[Constraint | Preference]) -> tuple[bool, bool]:
    """Return whether there are constraints among these, and whether there are preferences."""
    soft = [isinstance(each, Preference) for each in constraints]
    return not all(soft), any(soft)


def refusal(what: str, features: tuple[str, ...]) -> str:
    """Return in a sentence that something is not supported together with some features.

    >>> refusal("planning", (NUMBERS, DURATIONS, TIMED))
    'planning is not supported with numbers, durative actions and timed literals'
    """
    *front, last = features
    return f"{what} is not supported with {', '.join(front)}{' and ' if front else ''}{last}"
