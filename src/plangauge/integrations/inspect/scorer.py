"""The scorer: what a record says, in the form in which Inspect keeps scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    Value,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from plangauge import statistics
from plangauge.integrations.packed import unpack
from plangauge.records import Record, Response, score
from plangauge.reports.outcomes import RIGHT, UNCERTAIN, UNREADABLE, is_right, outcome
from plangauge.suites import Sample
from plangauge.tasks import TASKS
from plangauge.tasks.acting import NAME as ACTING
from plangauge.tasks.base import Listed, written

PACKED = "sample"
"""Where the metadata of a sample has what `packed.pack` returns."""

NAMES = "scores"
"""Where the metadata of a sample has the names of all scores of its eval, in their order."""

_SHOWN = 20
_LONGEST = 200
"""So many terms, and so much of each, stand in an explanation; the metadata has all."""


def _by(part: str) -> Metric:
    def grouped(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[SampleScore]] = {}
        for each in scores:
            groups.setdefault(str(_about(each)[part]), []).append(each)
        told: dict[str, float] = {}
        for name, members in sorted(groups.items()) if len(groups) > 1 else ():
            values = [each.score.as_float() for each in members]
            found = statistics.mean(values, _numbered(_about(each)["problem"] for each in members))
            assert found is not None
            error = found.standard_error
            told |= {name: found.value, f"{name}_stderr": nan if error is None else error}
        return dict(told)

    return grouped


def _numbered(names: Iterable[str]) -> list[int]:
    """Return a number for each name, the same for the same name."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]


def _about(each: SampleScore) -> Mapping[str, Any]:
    return each.sample_metadata or {}


@metric
def by_domain() -> Metric:
    """Return the metric that says the mean, and its standard error, of each domain.

    There is nothing to say where there is only one. What cannot be estimated is NaN.
    """
    return _by("domain")


@metric
def by_task() -> Metric:
    """Return the metric that says the mean, and its standard error, of each task.

    There is nothing to say where there is only one. What cannot be estimated is NaN.
    """
    return _by("task")


@scorer(metrics={"*": [mean(), stderr(cluster="problem"), by_domain(), by_task()]})
def record() -> Scorer:
    """Return the scorer of all tasks; it needs nothing but the metadata of a sample.

    A value has the scores of the record by their names, as ``plangauge score`` gives them; one
    that is not defined is NaN, which Inspect counts as unscored. ``right`` is 1 for a right answer,
    ``unreadable`` for a response without an answer, ``uncertain`` for one that could be read
    otherwise. Scores that only other samples of the same eval
    have are NaN too, and so are all where there is no response, as an error or a limit came before.
    """

    async def scored(state: TaskState, target: Target) -> Score:
        del target
        sample = unpack(state.metadata[PACKED])
        names = state.metadata.get(NAMES, ())
        found = as_score(sample, score(sample, response_of(sample.id, state.output)), names)
        if state.output.empty and isinstance(found.value, dict):
            found.value = dict.fromkeys(found.value, nan)
        return found

    return scored


def response_of(sample: str, output: ModelOutput, model: str = "", epoch: int = 1) -> Response:
    """Return the response that an output holds, as it is kept in a log.

    It is missing where the model gave none at all. A half of a surrogate pair, which a log cannot
    hold, is the escape that stands there instead.
    """
    if output.empty:
        return Response(sample, None, model, epoch)
    text = output.completion.encode("utf-8", "backslashreplace").decode()
    return Response(sample, text, model, epoch, output.stop_reason)


def as_score(sample: Sample, judged: Record, names: Sequence[str] = ()) -> Score:
    """Return a record as Inspect's score; its metadata keeps what is undefined as null."""
    right, said = is_right(judged), outcome(judged)
    values = dict.fromkeys([*names, RIGHT, UNREADABLE, UNCERTAIN]) | dict(judged.scores)
    values |= {RIGHT: right, UNREADABLE: said == UNREADABLE}
    values[UNCERTAIN] = judged.status == UNCERTAIN
    silent = judged.status == "missing" or (not judged.read and said == UNREADABLE)
    wrong = differences(judged.read, sample)
    return Score(
        value={name: nan if value is None else float(value) for name, value in values.items()},
        answer=None if silent else shown(sample, judged.read),
        explanation=_explained(judged, said, wrong),
        reason=_reason(judged, said),
        metadata={
            "outcome": said,
            "status": judged.status,
            "fault": judged.fault,
            "primary": judged.primary,
            "scores": dict(judged.scores),
            "read": judged.read,
            **wrong,
            "notes": dict(judged.notes),
        },
    )


def shown(sample: Sample, answer: Listed) -> str:
    """Return an answer in the form that prompts ask for; of an episode, the actions alone."""
    if sample.task == ACTING:
        return written(answer)
    return TASKS[sample.task].written(sample.question(), answer)


def differences(read: Listed, sample: Sample) -> dict[str, list[str]]:
    """Return which terms of a set are ``missing`` and which ``extra``; nothing for plans."""
    if TASKS[sample.task].of_plans:
        return {}
    pairs = [(_terms(read, sign), set(true)) for sign, true in _signed(sample.truth).items()]
    return {
        "missing": sorted(term for given, true in pairs for term in true - given),
        "extra": sorted(term for given, true in pairs for term in given - true),
    }


def _signed(truth: Listed) -> Mapping[str, list[str]]:
    return truth if isinstance(truth, dict) else {"": truth or []}


def _terms(read: Listed, sign: str) -> set[str]:
    return set((read.get(sign) if isinstance(read, dict) else read) or [])


def _reason(judged: Record, said: str) -> str | None:
    """Return why a score is not an ordinary one, in the words that Inspect has for it."""
    if judged.status == "missing":
        return "no_response"
    return "invalid_response_format" if said == UNREADABLE else None


def _explained(judged: Record, said: str, wrong: Mapping[str, list[str]]) -> str:
    """Return what is right or wrong with an answer in words."""
    notes = judged.notes
    lines = [said if judged.status == "ok" else f"{said} ({judged.status})"]
    if notes.get("message"):
        step = notes.get("step")
        where = "" if step is None else f"step {step + 1}: "
        lines.append(f"{where}{notes['message']}")
    lines += [f"{kind}: {_some(terms)}" for kind, terms in wrong.items() if terms]
    if missed := notes.get("goal_missed"):
        lines.append(f"goal missed: {_some(missed)}")
    lines += [f"in doubt: {doubt}" for doubt in notes.get("doubts") or ()]
    return "\n".join(lines)


def _some(terms: Sequence[str]) -> str:
    """Return some terms as text.

    >>> _some(["(p)"] * 21)[-19:]
    '(p), (p) and 1 more'
    """
    cut = (term if len(term) <= _LONGEST else f"{term[:_LONGEST]}…" for term in terms[:_SHOWN])
    shown = ", ".join(cut)
    more = len(terms) - _SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown
