"""What reading an answer comes to: one result type for plans, sets and turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from plangauge.core.model import Action, Plan
from plangauge.core.text import Explainable, Line, counted, line, shortened, wrapped

MOST_RIVALS = 3


class Status(StrEnum):
    """What became of the search for an answer in a text."""

    OK = "ok"
    UNCERTAIN = "uncertain"
    """An answer was read, and a careful person could read the text otherwise; see ``doubts``."""
    EXPLICITLY_EMPTY = "explicitly empty"
    """The text says that there is nothing to do, or nothing in the set."""
    NO_ANSWER = "no answer"
    TRUNCATED = "truncated"
    """The text ends inside reasoning, a term or a bracket; the value is what came before."""


class Label(StrEnum):
    """What a text says of a term that it names."""

    ASSERTED = "asserted"
    DENIED = "denied"
    DRAFT = "draft"
    """Part of a version that the text rejects or replaces."""
    ALTERNATIVE = "alternative"
    """A possibility: what could be done, is only asked, or holds under a condition."""
    EXAMPLE = "example"
    STATE = "state"
    """A state that the text describes, or a fact in a plan."""
    DONE = "done"
    LATER = "later"
    REMARK = "remark"
    """An explanation, a precondition, a check of what was said before."""
    UNREAD = "unread"
    """Words that name an action or a fact of the domain, and were not understood."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the original text that names terms which are not part of the answer, and why."""

    start: int
    end: int
    label: Label


class Said(StrEnum):
    """What a turn was read as."""

    ACTIONS = "actions"
    """One action or several, to be executed in the current state."""
    PLAN = "plan"
    """A whole plan, executed from the initial state."""
    LOOK_AROUND = "look_around"
    FINISHED = "finished"
    THOUGHT = "thought"
    """Nothing but thinking aloud, which is no action and no mistake."""
    AMBIGUOUS = "ambiguous"
    """A sentence that several actions fit equally well; none is executed."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Effects:
    """The facts that an action makes true and false, as ``(name arg …)``, each once."""

    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnReading:
    """What a turn says.

    ``lines`` are the lines the actions stand in, where each has one of its own; ``readings`` what
    an ambiguous turn can mean; ``look`` whether it also asks to look around; ``several`` whether
    nothing is done because it tells more than one action.
    """

    said: Said
    actions: tuple[Action, ...] = ()
    lines: tuple[str, ...] = ()
    readings: tuple[Action, ...] = ()
    look: bool = False
    several: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """What an answer says of a plan: whether it is valid, and if not, where and why it fails.

    ``step`` counts from 1; it and ``action`` are None where the answer names none. ``unmet`` are
    conditions as ``(name arg …)`` or ``(not (name arg …))``, each once.
    """

    valid: bool
    step: int | None = None
    action: str | None = None
    unmet: tuple[str, ...] = ()

    def as_row(self) -> dict[str, list[str]]:
        """Return the answer in the form of the truth: lists of texts, those without entries too.

        >>> Verification(False, 2, "(stack a b)", ("(clear b)",)).as_row()
        {'verdict': ['invalid'], 'step': ['2'], 'action': ['(stack a b)'], 'unmet': ['(clear b)']}
        """
        return {
            "verdict": ["valid" if self.valid else "invalid"],
            "step": [] if self.step is None else [str(self.step)],
            "action": [] if self.action is None else [self.action],
            "unmet": list(self.unmet),
        }


Terms: TypeAlias = tuple[str, ...]
"""The terms of a set as ``(name arg …)``, each once, in the order of the text."""
Value: TypeAlias = Plan | Terms | Effects | TurnReading | Verification | float | bool | str | None


@dataclass(frozen=True, slots=True)
class Reading(Explainable):
    """What was read in a text, how surely, from where, and what else it could mean.

    ``value`` is None where there is no answer. ``used`` are the parts of the original text that it
    was taken from, in order; ``others`` the parts that name terms and were left out, with what the
    text says of them. ``doubts`` are the reasons for the status *uncertain*, and ``rivals`` up to
    three other readings, the likeliest first. ``notation`` is the one that read it, and ``how``
    says in a few words how the answer was found. ``repeated`` counts the terms of a set that were
    given again; ``unknown`` are those that nothing in the problem can be.

    >>> reading = Reading(Plan.of(Action("lift", ("a",))), used=((4, 12),))
    >>> reading.as_row()["read"], reading.start, reading.certain
    (['(lift a)'], 4, True)
    """

    value: Value
    status: Status = Status.OK
    notation: str = "prose"
    how: str = "whole text"
    used: tuple[tuple[int, int], ...] = ()
    others: tuple[Span, ...] = ()
    doubts: tuple[str, ...] = ()
    rivals: tuple[Value, ...] = ()
    skipped: tuple[str, ...] = ()
    repeated: int = 0
    unknown: frozenset[str] = frozenset()

    def lines(self) -> Iterator[Line]:
        """Return the explanation of what was read, which is also its text."""
        style = "green" if self.certain else "yellow" if self.answered else "red"
        yield from value_lines(self.status.value, self.value, f"bold {style}")
        yield from how_lines(self)
        yield from doubt_lines(self)

    @property
    def plan(self) -> Plan | None:
        """The plan; None where there is none, or the answer is something else."""
        return self.value if isinstance(self.value, Plan) else None

    @property
    def terms(self) -> frozenset[str]:
        """The set that was read; empty where there is none."""
        return frozenset(self.value) if isinstance(self.value, tuple) else frozenset()

    @property
    def effects(self) -> Effects:
        """The two sets that were read; empty where there are none."""
        return self.value if isinstance(self.value, Effects) else Effects()

    @property
    def turn(self) -> TurnReading:
        """What a turn says; unreadable where the text was not read as one."""
        value = self.value
        return value if isinstance(value, TurnReading) else TurnReading(Said.UNREADABLE)

    @property
    def answered(self) -> bool:
        """Whether there is an answer, be it that nothing is to be done or in the set."""
        return self.value is not None

    @property
    def certain(self) -> bool:
        """Whether the answer was read without doubt."""
        return self.status in (Status.OK, Status.EXPLICITLY_EMPTY)

    @property
    def start(self) -> int:
        """Where the answer begins in the original text."""
        return self.used[0][0] if self.used else 0

    @property
    def end(self) -> int:
        """Where the answer ends in the original text."""
        return self.used[-1][1] if self.used else 0

    def as_row(self) -> dict[str, Any]:
        """Return the reading as plain values, ready for JSON."""
        return {
            "status": self.status.value,
            "read": listed(self.value),
            "how": self.how,
            "used": [list(span) for span in self.used],
            "doubts": list(self.doubts),
        }


def listed(value: Value) -> Any:
    """Return what was read as plain values: terms in a list, two lists, or a turn.

    >>> listed(Effects(("(p)",)))
    {'positive': ['(p)'], 'negative': []}
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Plan():
            return [str(action) for action in value.actions]
        case Effects():
            return {"positive": list(value.positive), "negative": list(value.negative)}
        case Verification():
            return value.as_row()
        case TurnReading():
            actions = [str(action) for action in value.actions]
            return {"said": value.said.value, "actions": actions}
        case _:
            return list(value)


def value_lines(name: str, value: Value, style: str) -> Iterator[Line]:
    """Yield a summary of what was read below a name, and a line for each term."""
    summary, terms = _described(value)
    yield line(f"{name}: {summary}", style)
    for term in terms:
        yield line(f"  {term}")


def how_lines(reading: Reading) -> Iterator[Line]:
    """Yield how an answer was read."""
    text = f"read as {reading.notation} ({reading.how})"
    if reading.status is not Status.OK:
        text += f", {reading.status.value}"
    if reading.skipped:
        text += f"; {counted(len(reading.skipped), 'line')} without an action, "
        text += f"such as {reading.skipped[0]!r}"
    yield from wrapped(shortened(text, 200), "dim")


def doubt_lines(reading: Reading) -> Iterator[Line]:
    """Yield why a reading is uncertain."""
    for doubt in reading.doubts:
        yield from wrapped(f"in doubt: {shortened(doubt, 200)}", "yellow")


def step_text(step: Iterable[Action], length: int = 92) -> str:
    """Return a step as text of limited length, with concurrent actions in braces."""
    actions = [shortened(str(action), length) for action in sorted(step)]
    return shortened(actions[0] if len(actions) == 1 else f"{{{', '.join(actions)}}}", length)


def _described(value: Value) -> tuple[str, list[str]]:
    """Return a summary of what was read, and its terms line by line."""
    match value:
        case None:
            return "nothing that could be read as an answer", []
        case Plan():
            steps = [f"{at:>3} {step_text(step)}" for at, step in enumerate(value.steps, 1)]
            return f"a plan of {counted(len(value), 'step')}", steps
        case Effects():
            true, false = value.positive, value.negative
            lines = [f"+ {shortened(term)}" for term in true]
            lines += [f"− {shortened(term)}" for term in false]
            return f"{len(true):,} true afterwards, {len(false):,} false", lines
        case Verification():
            where = "" if value.step is None else f", step {value.step}"
            where += "" if value.action is None else f": {value.action}"
            terms = [f"unmet: {term}" for term in value.unmet]
            return f"the plan is {'valid' if value.valid else 'invalid'}{where}", terms
        case TurnReading():
            summary = value.said.value.replace("_", " ")
            if value.actions:
                of = "a plan of " if value.said is Said.PLAN else ""
                look = " and a look around" if value.look else ""
                summary = f"{of}{counted(len(value.actions), 'action')}{look}"
            return summary, [shortened(str(each)) for each in (*value.actions, *value.readings)]
        case bool() | int() | float() | str():
            return f"the value {shortened(str(value))}", []
        case _:
            return f"a set of {counted(len(value), 'term')}", [shortened(term) for term in value]


def apart(spans: Sequence[Span], taken: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Yield spans in order, without those that overlap one before or what was taken."""
    last, n = 0, 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while n < len(taken) and taken[n][1] <= span.start:
            n += 1
        free = n == len(taken) or span.end <= taken[n][0]
        if free and last <= span.start < span.end:
            yield span
            last = span.end


def merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that overlap taken together."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if out and start < out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return out
