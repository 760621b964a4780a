"""What a reward consists of, and what each part weighs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from math import fsum, isfinite
from typing import Any, TypeAlias

from plangauge.errors import ProblemError
from plangauge.metrics.base import ratio
from plangauge.model import Plan
from plangauge.reading.notations.actions import read_action
from plangauge.reading.plans import ANOTHER_PLAN
from plangauge.records import Response, Scorer
from plangauge.simulate import simulate
from plangauge.suites import Sample
from plangauge.tasks import TASKS
from plangauge.tasks.acting import Acting
from plangauge.tasks.plans import PlanTask

Parts: TypeAlias = Mapping[str, "float | None"]
"""Values in [0, 1] by name; None where a part is not defined for the question."""

SCORE = "score"
"""The part of questions about sets and single answers: their primary score."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of a plan weighs; they sum to 1, and validity weighs something.

    A valid plan has the first four parts in full and an invalid one nothing of the last three, so
    the worst valid plan earns more than the best invalid one, by the weight of validity at least.
    By default that is 0.8 and more for the one, at most 0.3 for the other: enough for invalid plans
    to differ while a model finds no valid one, and little beside a valid one. Of other
    answers `SCORE` weighs what is left beside ``readable`` and ``length``.

    Raises `ProblemError` for weights that do not sum to 1, are negative, or 0 for validity.

    >>> Weights(validity=0.6, optimality=0.1, length=0.0).of(SCORE)
    0.95
    >>> Weights().total({"readable": 1.0, SCORE: 0.5, "length": 0.5})
    0.525
    """

    readable: float = 0.05
    executable_prefix: float = 0.1
    goal_progress: float = 0.15
    validity: float = 0.5
    optimality: float = 0.15
    length: float = 0.05

    def __post_init__(self) -> None:
        values = astuple(self)
        if not all(isfinite(value) and value >= 0 for value in values):
            raise ProblemError(f"the weights {values} are not all numbers from 0 on")
        if abs(fsum(values) - 1) > 1e-9:
            raise ProblemError(f"the weights {values} sum to {fsum(values):g}, not to 1")
        if not self.validity:
            raise ProblemError("validity must weigh something")

    def of(self, part: str) -> float:
        """Return the weight of a part."""
        if part == SCORE:  # all that is for plans alone
            return fsum(getattr(self, name) for name in _OF_PLANS_ALONE)
        return float(getattr(self, part))

    def total(self, parts: Parts) -> float:
        """Return the weighted sum of the parts of an answer, in [0, 1].

        What cannot be known without a reference plan is not held against a valid plan: the weight
        of a part that is not defined goes to validity.
        """
        rest = parts.get("validity") or 0.0
        told = [self.of(name) * (rest if value is None else value) for name, value in parts.items()]
        return min(1.0, fsum(told))


PLAN_PARTS = tuple(field.name for field in fields(Weights))
"""The parts of an answer that is a plan."""

_OF_PLANS_ALONE = ("executable_prefix", "goal_progress", "validity", "optimality")

ALL_PARTS = (*PLAN_PARTS, SCORE)
"""The parts of any answer."""


_GOALS = ("goal_fraction", "goal_share", "total_goal")
"""What tasks call how much of the goal holds in the end."""


class Shaping:
    """Turns the scores of answers to a question into parts."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.scorer = Scorer(sample)
        self._task = TASKS[sample.task]
        truth = sample.truth
        self._length = len(truth) if isinstance(truth, list) else None

    def record(self, text: str | None) -> dict[str, Any]:
        """Return the record of a completion, as ``plangauge score`` writes it."""
        return self.scorer.row(Response(self.sample.id, text))

    def parts(self, text: str | None) -> dict[str, float | None]:
        """Return the parts of a completion.

        One that gives several plans and does not say which it means earns what an invalid one does.
        """
        row = self.record(text)
        readable = float(row["fault"] != "parsing")
        if not self._task.of_plans:
            return {"readable": readable} | _of_others(row)
        valid = "valid" if isinstance(self._task, PlanTask) else self._task.binary
        hedged = ANOTHER_PLAN in row["notes"].get("doubts", ())
        if row["scores"][valid] and not hedged:
            return self._of_valid(row)
        values = (readable, self._prefix(row), self._progress(row), 0.0)
        known = 0.0 if self._length is not None else None
        return dict(zip(PLAN_PARTS, (*values, known, known), strict=True))

    def _of_valid(self, row: Mapping[str, Any]) -> dict[str, float | None]:
        steps, least = len(row["read"]), self._length
        length = None if least is None else min(1.0, ratio(least, steps, empty=1.0))
        shortest = None if length is None else float(length == 1)
        optimal = row["scores"].get("optimal", shortest)
        return dict(zip(PLAN_PARTS, (1.0, 1.0, 1.0, 1.0, optimal, length), strict=True))

    def _prefix(self, row: Mapping[str, Any]) -> float:
        """Return the steps that lead somewhere new, over those that there are or should be."""
        read, step = row["read"] or [], row["notes"].get("step")
        if isinstance(self._task, Acting):
            fresh = row["notes"].get("executed", 0) - row["notes"].get("repeated_states", 0)
            return min(1.0, ratio(fresh, max(len(read), self._length or 0), empty=0.0))
        executed = len(read) if step is None and row["fault"] is None else step or 0
        if isinstance(self._task, PlanTask):
            executed = self._fresh(read[:executed])
        return min(1.0, ratio(executed, max(len(read), self._length or 0), empty=0.0))

    def _fresh(self, executed: list[str]) -> int:
        """Return how many states actions lead to that were not there before.

        So going back and forth earns nothing. More than the reference takes are not counted.
        """
        world, state = self.scorer.question.problem.world, self.scorer.question.problem.initial
        seen = {state}
        for action in map(read_action, executed):
            after = None if action is None else world.successor(state, action)
            if after is None:  # actions of one step, which can be executed only together
                break
            seen.add(state := after)
            if len(seen) - 1 == self._length:
                break
        return len(seen) - 1

    def _progress(self, row: Mapping[str, Any]) -> float:
        """Return how much of what is missing from the goal at first is there in the end."""
        score = next(row["scores"][name] for name in _GOALS if name in row["scores"])
        reached, before = score or 0.0, self._before
        return max(0.0, ratio(reached - before, 1 - before, empty=0.0))

    @cached_property
    def _before(self) -> float:
        """How much of the goal holds from the start."""
        if not isinstance(self._task, PlanTask | Acting):
            return 0.0
        return simulate(self.scorer.question.problem, Plan()).progress.share


def _of_others(row: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the score, and as ``length`` the same times the share of terms given only once."""
    score = row["score"]
    notes, read = row["notes"], row["read"] or []
    again = sum(n for name, n in notes.items() if name.startswith("repeated"))
    lists = read.values() if isinstance(read, dict) else [read]
    given = sum(map(len, lists))
    once = ratio(given, given + again, empty=1.0)
    return {SCORE: score, "length": None if score is None else score * once}
