"""What is said of an answer that is an action sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from plangauge.model import Fault, Plan

SKIPPED = frozenset((Fault.ADDITIONAL_STEP,))
"""A step that has only such faults is passed over, and execution goes on."""

LONGEST_NAME = 80
"""So much is shown, in characters, of a name that a model made up."""


@dataclass(frozen=True)
class Sequenced:
    """How an answer was read, its scores, and at which step its execution stopped, if it did."""

    read: Sequence[str]
    scores: Mapping[str, float | None]
    fault: Fault | None = None
    step: int | None = None
    message: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


class Judge(Protocol):
    """Reads, executes and scores the answers to one problem."""

    def judge(self, text: str) -> Sequenced:
        """Return what becomes of an answer; never raises."""
        ...

    def why_not(self, plan: Plan) -> str | None:
        """Return why a plan is no success; None for one that is."""
        ...

    def write(self, plan: Plan) -> str:
        """Return a plan in the form that prompts ask for."""
        ...


def encodable(text: str) -> str:
    """Return a text that can be written to a file: what a model names may hold half characters."""
    return text.encode("utf-8", "backslashreplace").decode()
