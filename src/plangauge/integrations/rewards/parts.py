"""The parts of a reward, and their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from math import fsum, isfinite
from typing import Any, TypeAlias

from plangauge.core.errors import ProblemError
from plangauge.core.model import Plan
from plangauge.metrics.base import ratio
from plangauge.reading.plans import ANOTHER_PLAN
from plangauge.scoring.records import Response, Scorer
from plangauge.suites import Sample
from plangauge.tasks import TASKS
from plangauge.tasks.base import lists_in
from plangauge.worlds.execution import run_plan

Parts: TypeAlias = Mapping[str, "float | None"]
"""Values in [0, 1] by name; None for a part that is undefined for the question."""

SCORE = "score"
"""The part of questions about sets and single answers: their primary score."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the parts of a plan; they sum to 1, and that of validity is positive.

    A valid plan has the first four parts in full and an invalid one none of the last three, so the
    worst valid plan earns more than the best invalid one, at least by the weight of validity. By
    default that is at least 0.8 for the former, at most 0.3 for the latter: enough to rank invalid
    plans while a model finds no valid one, and little compared with a valid one. For other answers
    the weight of `SCORE` is 1 minus those of ``readable`` and ``length``.

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
            raise ProblemError(f"the weights {values} must all be numbers of at least 0")
        if abs(fsum(values) - 1) > 1e-9:
            raise ProblemError(f"the weights {values} sum to {fsum(values):g}, not to 1")
        if not self.validity:
            raise ProblemError("the weight of validity must be positive")

    def of(self, part: str) -> float:
        """Return the weight of a part."""
        if part == SCORE:  # the sum of the parts of plans alone
            return fsum(getattr(self, name) for name in _OF_PLANS_ALONE)
        return float(getattr(self, part))

    def total(self, parts: Parts) -> float:
        """Return the weighted sum of the parts of an answer, in [0, 1].

        The weight of a part that is undefined, for want of a reference plan, goes to validity, so
        that a valid plan loses nothing.
        """
        rest = parts.get("validity") or 0.0
        weighted = [
            self.of(name) * (rest if value is None else value) for name, value in parts.items()
        ]
        return min(1.0, fsum(weighted))


PLAN_PARTS = tuple(field.name for field in fields(Weights))
"""The parts of an answer that is a plan."""

_OF_PLANS_ALONE = ("executable_prefix", "goal_progress", "validity", "optimality")

ALL_PARTS = (*PLAN_PARTS, SCORE)
"""The parts of any answer."""


_MOST_KNOWN = 256
_LONGEST_KNOWN = 20_000
"""How many completions of a question are cached, and their maximum length.

Trainers call one function after another for the same batch.
"""

_GOALS = ("goal_fraction", "goal_share", "total_goal")
"""The scores of tasks for the share of the goal that holds in the end."""


class Shaping:
    """Turns the scores of answers to a question into parts."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample.id
        self.scorer = Scorer(sample)
        texts = sample.texts
        self._least = self.scorer.size + len(texts.domain) + len(texts.problem) + len(texts.words)
        self.size = self._least
        """The approximate size in memory, in bytes."""
        self._known: dict[str | None, Parts] = {}
        self._task = TASKS[sample.task]
        self.words = sample.words
        truth = sample.truth
        self._length = len(truth) if isinstance(truth, list) else None

    def record(self, text: str | None) -> dict[str, Any]:
        """Return the record of a completion, as ``plangauge score`` writes it."""
        return self.scorer.row(Response(self._sample, text))

    def parts(self, text: str | None) -> dict[str, float | None]:
        """Return the parts of a completion.

        One that gives several plans without committing to one earns what an invalid one does.
        """
        found = self._known.get(text)
        if found is None:
            found = self._parts(text)
            if text is not None and len(text) <= _LONGEST_KNOWN:
                self._remember(text, found)
        return dict(found)  # callers may change it

    def _remember(self, text: str, parts: Parts) -> None:
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
            self.size = self._least
        self._known[text] = parts
        self.size += len(text) + 500

    def _parts(self, text: str | None) -> Parts:
        row = self._outcome(text) if self._task.simulated else self.record(text)
        readable = float(row["fault"] != "parsing")
        if self._task.answer != "plan":
            return {"readable": readable} | _of_others(row)
        valid = "valid" if self._task.simulated else self._task.binary
        hedged = ANOTHER_PLAN in row["notes"].get("doubts", ())
        if row["scores"][valid] and not hedged:
            return self._of_valid(row)
        values = (readable, self._prefix(row), self._progress(row), 0.0)
        known = 0.0 if self._length is not None else None
        return dict(zip(PLAN_PARTS, (*values, known, known), strict=True))

    def _outcome(self, text: str | None) -> dict[str, Any]:
        """Return the fields of a record that the parts of a plan need."""
        question = self.scorer.question
        reading, run = self._task.run(question, text or "", self.words)
        notes: dict[str, Any] = {"doubts": reading.doubts, "step": None}
        if run is None:
            scores: dict[str, float | None] = {"valid": 0.0, "goal_fraction": 0.0}
            return {"fault": "parsing", "read": None, "scores": scores, "notes": notes}
        scores = {"valid": float(run.valid), "goal_fraction": run.progress.share}
        if run.valid and question.details:
            scores["optimal"] = float(run.cost <= question.details[0].cost)
        if not run.executable:
            notes["step"] = run.prefix
        notes["fresh"] = min(run.prefix, len({*run.states}) - 1)  # detours earn nothing
        read = [*map(str, run.listed)]
        return {"fault": None, "read": read, "scores": scores, "notes": notes}

    def _of_valid(self, row: Mapping[str, Any]) -> dict[str, float | None]:
        steps, least = len(row["read"]), self._length
        length = None if least is None else min(1.0, ratio(least, steps, empty=1.0))
        shortest = None if length is None else float(length == 1)
        optimal = row["scores"].get("optimal", shortest)
        return dict(zip(PLAN_PARTS, (1.0, 1.0, 1.0, 1.0, optimal, length), strict=True))

    def _prefix(self, row: Mapping[str, Any]) -> float:
        """Return the steps to new states, relative to the longer of the plan and the reference."""
        read, step = row["read"] or [], row["notes"].get("step")
        if self._task.in_turns:
            fresh = row["notes"].get("executed", 0) - row["notes"].get("repeated_states", 0)
            return min(1.0, ratio(fresh, max(len(read), self._length or 0), empty=0.0))
        executed = len(read) if step is None and row["fault"] is None else step or 0
        if self._task.simulated:
            fresh = row["notes"].get("fresh", 0)
            executed = fresh if self._length is None else min(fresh, self._length)
        return min(1.0, ratio(executed, max(len(read), self._length or 0), empty=0.0))

    def _progress(self, row: Mapping[str, Any]) -> float | None:
        """Return the share of the initially unsatisfied goal that holds in the end.

        None where the task has no score for the share of the goal.
        """
        shares = [row["scores"][name] for name in _GOALS if name in row["scores"]]
        if not shares:
            return None
        reached, before = shares[0] or 0.0, self._before
        return max(0.0, ratio(reached - before, 1 - before, empty=0.0))

    @cached_property
    def _before(self) -> float:
        """The share of the goal that holds initially."""
        if not (self._task.simulated or self._task.in_turns):
            return 0.0
        return run_plan(self.scorer.question.problem, Plan()).progress.share


def _of_others(row: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the score, and as ``length`` the score times the share of unrepeated terms."""
    score = row["score"]
    notes, read = row["notes"], row["read"]
    again = sum(n for name, n in notes.items() if name.startswith("repeated"))
    given = sum(map(len, lists_in(read).values()))
    once = ratio(given, given + again, empty=1.0)
    return {SCORE: score, "length": None if score is None else score * once}
