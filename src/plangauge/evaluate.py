"""From the text of an answer to a verdict: read the plan, execute it, measure it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from plangauge.domains.words import Words
from plangauge.errors import ParseError
from plangauge.metrics import METRICS
from plangauge.model import Fault, Plan
from plangauge.reading import Reading, Status, read_plan, vocabulary_of
from plangauge.simulate import Diagnosis, Trajectory, simulate
from plangauge.worlds.base import Problem, S, positional

TEXT_METRICS = ("exact_match", "lcs", "jaccard", "f1", "levenshtein")
RUN_METRICS = ("state_distance", "causal_link_distance", "cost_ratio")
"""What is measured against a reference plan unless other metrics are asked for."""


@dataclass(frozen=True)
class Verdict(Generic[S]):
    """How much of an answer is right, where it first goes wrong, and why.

    ``trajectory`` is None where no plan could be read: then nothing is executable, reached or
    satisfied, and the fault is *parsing*. ``metrics`` compares with a reference; an undefined
    metric is None.
    """

    problem: Problem[S]
    reading: Reading
    trajectory: Trajectory[S] | None
    metrics: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        """Whether a plan could be read."""
        return self.trajectory is not None

    @property
    def executable(self) -> bool:
        """Whether every step of the plan could be executed."""
        return self.trajectory is not None and self.trajectory.executable

    @property
    def goal_reached(self) -> bool:
        """Whether the goal holds where the plan ends, or where its execution had to stop."""
        return self.trajectory is not None and self.trajectory.progress.reached

    @property
    def valid(self) -> bool:
        """Whether the plan can be executed and reaches the goal."""
        return self.trajectory is not None and self.trajectory.valid

    @property
    def goal_fraction(self) -> float:
        """Satisfied goal conditions over all of them, where the execution ends; in [0, 1]."""
        return self.trajectory.progress.share if self.trajectory is not None else 0.0

    @property
    def first_fault(self) -> Diagnosis | None:
        """The earliest fault of the plan; None where there is none, or no plan."""
        return self.trajectory.first_fault if self.trajectory is not None else None

    @property
    def fault(self) -> Fault | None:
        """The kind of the earliest fault; None for an executable plan."""
        if self.trajectory is None:
            return Fault.PARSING
        return self.first_fault.fault if self.first_fault else None

    def _message(self) -> str | None:
        if self.trajectory is None:
            return f"{self.reading.status.value}: {self.reading.how}"
        return self.first_fault.message if self.first_fault else None

    def as_row(self) -> dict[str, Any]:
        """Return the verdict as plain values, ready for JSON; undefined is None."""
        run, first = self.trajectory, self.first_fault
        return {
            "readable": self.readable,
            "reading": self.reading.status.value,
            "doubts": [*self.reading.doubts],
            "notation": self.reading.notation,
            "executable": self.executable,
            "goal_reached": self.goal_reached,
            "valid": self.valid,
            "fault": self.fault.value if self.fault else None,
            "step": first.step if first else None,
            "action": str(first.action) if first else None,
            "message": self._message(),
            "unmet": [str(unmet.condition) for unmet in first.unmet] if first else [],
            "goal_fraction": self.goal_fraction,
            "goal_missed": [str(c) for c in run.progress.unsatisfied] if run else None,
            "length": len(run.plan) if run else None,
            "executed": run.prefix if run else None,
            "cost": run.cost if run and run.executable else None,
            "metrics": dict(self.metrics),
        }


def validate(
    problem: Problem[S],
    answer: str,
    *,
    notation: str = "auto",
    words: Words | None = None,
    reference: str | None = None,
    metrics: Iterable[str] = (*TEXT_METRICS, *RUN_METRICS),
) -> Verdict[S]:
    """Return the verdict on an answer, whatever it is: a plan file or a model's free text.

    ``words`` are those that the answer may be written in, beside the names of the problem.
    ``reference`` is a plan to compare with; without it there are no metrics. Against it, an
    unreadable answer gets the worst value of each metric. Raises `ParseError` where the reference
    cannot be read, and `UnknownName` for unknown metrics or notations.
    """
    reading = read_answer(problem, answer, notation, words)
    run = None
    if reading.plan is not None:
        run = simulate(problem, positional(problem.world, reading.plan))
    if reference is None:
        return Verdict(problem, reading, run)
    compared = simulate(problem, read_reference(problem, reference))
    values = {name: _measure(name, run, compared) for name in metrics}
    return Verdict(problem, reading, run, values)


def read_answer(
    problem: Problem[S], text: str, notation: str = "auto", words: Words | None = None
) -> Reading:
    """Return how an answer was read; never raises `ParseError`: what is unreadable has no plan."""
    try:
        return read_plan(text, notation, vocabulary_of(problem, words))
    except ParseError as error:
        return Reading(None, Status.NO_ANSWER, notation, how=error.reason)


def read_reference(problem: Problem[S], text: str) -> Plan:
    """Return the plan of a reference in any notation; raises `ParseError` where there is none.

    A blank text is no reference: `[]` says that the empty plan is meant.
    """
    reading = read_plan(text, "auto", vocabulary_of(problem))
    if reading.plan is None or not text.strip():
        raise ParseError("the reference is not a plan", text, reading.start)
    return positional(problem.world, reading.plan)


def _measure(name: str, run: Trajectory[S] | None, reference: Trajectory[S]) -> float | None:
    metric = METRICS[name]
    if run is None:
        return metric.worst
    if metric.on == "plans":
        return metric(run.plan, reference.plan)
    return metric(run, reference) if metric.on == "runs" else metric(run)
