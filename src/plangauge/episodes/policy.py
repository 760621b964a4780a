"""The rules of an episode, as a few named options, and the six approaches of AutoPlanBench."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from plangauge.core.errors import ProblemError, did_you_mean

FEEDBACK = ("full", "success", "next", "pddl")
LANGUAGES = ("words", "pddl")
SEVERAL = ("all", "first", "refuse")
_CHOICES = {
    "language": LANGUAGES,
    "on_success": FEEDBACK,
    "on_failure": FEEDBACK,
    "several": SEVERAL,
}
_FLAGS = ("incremental", "thoughts", "subgoals", "show_state", "not_finished_feedback")
_LEAST = {"step_limit": 1, "failure_limit": 0, "goal_limit": 0, "attempts": 1}
_NEVER_NONE = ("attempts",)
_MOST = 10_000
_LONGEST_SHOWN = 80
_WITHOUT_REFERENCE = 100


@dataclass(frozen=True, slots=True)
class Policy:
    """How an episode is played. Raises `ProblemError` for a value that an option cannot have.

    >>> Policy(step_limit=5).limit(reference=4), Policy().limit(reference=4), Policy().limit(None)
    (5, 8, 100)
    """

    incremental: bool = True
    """Step by step; else whole plans."""
    thoughts: bool = False
    """Whether a turn may consist of thoughts only. In any turn, thoughts are skipped."""
    language: str = "words"
    """The language of the observations: *words* or *pddl*. Turns may be in either."""
    on_success: str = "full"
    """The observation after an executed action: *full* (in the language of the episode), *success*
    (that it was done), *next* (only to continue), *pddl* (a fixed sentence)."""
    on_failure: str = "full"
    """The observation after one that failed; only *full* gives the reason."""
    subgoals: bool = False
    """Whether the progress towards the goal is reported after each executed action."""
    show_state: bool = False
    """Whether each observation ends with the state."""
    not_finished_feedback: bool = True
    """Whether a run continues after a wrong claim of the goal; else it ends there."""
    step_limit: int | None = None
    """The most turns of a run step by step; None: see `limit`."""
    failure_limit: int | None = 10
    """The most turns in a row without an executed action; the next ends the run. None: no limit.
    Thoughts do not count."""
    goal_limit: int | None = 1
    """The most turns that end where the goal holds without claiming it; the next ends the run.
    None: no limit. Thoughts do not count."""
    attempts: int = 1
    """How many whole plans may be tried."""
    several: str = "all"
    """Several actions in one turn: *all* are tried in order until one fails, only the *first* is,
    or *refuse*: none is."""

    def __post_init__(self) -> None:
        for name in _FLAGS:
            value = getattr(self, name)
            if type(value) is not bool:
                raise ProblemError(f"{name} must be true or false, not {_shown(value)}")
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                wanted = ", ".join(choices)
                raise ProblemError(f"{name} must be one of {wanted}, not {_shown(value)}")
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is None and name not in _NEVER_NONE:
                continue
            if type(value) is not int or not least <= value <= _MOST:
                wanted = f"a number from {least} to {_MOST}"
                raise ProblemError(f"{name} must be {wanted}, not {_shown(value)}")

    def limit(self, reference: int | None) -> int:
        """Return the most turns: the limit that is set, else twice the length of the reference.

        Without a reference there are 100. At least one turn is allowed, to claim that the goal
        holds, and at most ten thousand.
        """
        if self.step_limit is not None:
            return self.step_limit
        return _WITHOUT_REFERENCE if reference is None else min(max(1, 2 * reference), _MOST)

    def as_row(self) -> dict[str, Any]:
        """Return the options as plain values, for JSON."""
        return {name: getattr(self, name) for name in _NAMES}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Policy:
        """Return the policy with these options, the others being the default.

        Raises `ProblemError` for an unknown option, or a value that it cannot have.

        >>> Policy.from_row(Policy(thoughts=True).as_row()) == Policy(thoughts=True)
        True
        """
        for name in row:
            if name not in _NAMES:
                hint = did_you_mean(str(name), _NAMES)
                raise ProblemError(f"there is no option {str(name)[:80]!r}{hint}")
        return cls(**row)


def _shown(value: object) -> str:
    return repr(value)[:_LONGEST_SHOWN]


_NAMES = tuple(part.name for part in fields(Policy))

APPROACHES: Mapping[str, Policy] = MappingProxyType({
    "act": Policy(),
    "react": Policy(thoughts=True),
    "act_pddl": Policy(language="pddl"),
    "basic": Policy(incremental=False),
    "cot": Policy(incremental=False, thoughts=True),
    "basic_pddl": Policy(incremental=False, language="pddl"),
})  # fmt: skip
"""Name in AutoPlanBench → policy."""
