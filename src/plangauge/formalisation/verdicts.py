"""The result of a comparison: a verdict, the layer that decided it, and the first difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from plangauge.core.model import Action
from plangauge.core.text import Line, line, number, printable


class Layer(StrEnum):
    """What decided a comparison; `UNDECIDED` where the limits were reached first."""

    READING = "reading"
    """The candidate cannot be read, or not with the given domain."""
    OBJECTS = "objects"
    """The numbers of objects by type differ, or the names where these are fixed."""
    INITIAL = "initial state"
    """No renaming of the objects makes the initial states equal."""
    METRIC = "metric"
    """The metrics differ."""
    RENAMING = "renaming"
    """A renaming makes initial states and goals equal as they are written."""
    INVARIANTS = "invariants"
    """What one goal states beyond the other follows from invariants of the domain."""
    SEARCH = "search"
    """Every reachable state was visited."""
    WITNESS = "witness"
    """A reachable state tells the two apart."""
    SIGNATURE = "signature"
    """Predicates or parameters differ, so that no state can be compared."""
    SCHEMAS = "schemas"
    """All actions have equal schemas, so they behave alike on every problem."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two formalisations first differ.

    ``state`` lists the facts of a state that changes can distinguish, ``plan`` the actions that
    lead there from the initial state of the given problem number ``problem`` (from 0).
    ``given`` and ``candidate`` say what each of the two makes of it.
    """

    why: str
    state: tuple[str, ...] | None = None
    plan: tuple[Action, ...] = ()
    action: Action | None = None
    given: str | None = None
    candidate: str | None = None
    problem: int | None = None

    def as_row(self) -> dict[str, Any]:
        """Return the difference as plain values for JSON; what does not apply is None."""
        return {
            "why": self.why,
            "state": None if self.state is None else [*self.state],
            "action": None if self.action is None else str(self.action),
            "plan": None if self.state is None else [*map(str, self.plan)],
            "gold": self.given,
            "candidate": self.candidate,
            "problem": self.problem,
        }

    def lines(self) -> Iterator[Line]:
        """Yield the difference as lines for people."""
        yield line(f"first difference: {printable(self.why)}")
        if self.state is not None:
            where = "in the initial state" if not self.plan else "after"
            if self.problem:
                where = f"in problem {self.problem + 1}, {where}"
            yield line(f"  {where} {' '.join(map(str, self.plan))}".rstrip())
            yield line(f"  state:     {' '.join(self.state)}")
        if self.action is not None:
            yield line(f"  action:    {self.action}")
        if self.given is not None:
            yield line(f"  gold:      {printable(self.given)}", "green")
        if self.candidate is not None:
            yield line(f"  candidate: {printable(self.candidate)}", "red")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether a candidate is equivalent to what is given; None where that is undecided."""

    equivalent: bool | None
    decided_by: Layer
    difference: Difference | None = None
    measures: Mapping[str, float | None] = field(default_factory=dict)
    """Scores by name, all in [0, 1]; None where one is undefined or undecided."""
    remarks: tuple[str, ...] = ()

    def as_row(self) -> dict[str, Any]:
        """Return the comparison as plain values for JSON."""
        return {
            "equivalent": self.equivalent,
            "decided_by": str(self.decided_by),
            "difference": None if self.difference is None else self.difference.as_row(),
            "measures": dict(self.measures),
            "remarks": [*self.remarks],
        }

    def lines(self) -> Iterator[Line]:
        """Yield the comparison as lines for people."""
        words = {True: ("equivalent", "bold green"), False: ("not equivalent", "bold red")}
        text, style = words.get(self.equivalent, ("undecided", "bold yellow"))  # type: ignore[arg-type]
        yield (*line(text, style), *line(f"  (decided by: {self.decided_by})", "dim"))
        if self.difference is not None:
            yield from self.difference.lines()
        if self.measures:
            yield line()
        width = max(map(len, self.measures), default=0)
        for name, value in self.measures.items():
            yield line(f"{name:<{width}}  {number(value)}")
        for remark in self.remarks:
            yield line(f"note: {printable(remark)}", "dim")


def undecided(remarks: Iterable[str], measures: Iterable[str]) -> Comparison:
    """Return that nothing is decided, because a candidate uses what cannot be compared."""
    return Comparison(None, Layer.UNDECIDED, None, dict.fromkeys(measures), tuple(remarks))


def f1(given: frozenset[Any] | set[Any], candidate: frozenset[Any] | set[Any]) -> float:
    """Return the F1 of two sets: 1 where both are empty, 0 where only one is.

    >>> f1({1, 2}, {2, 3}), f1(set(), set())
    (0.5, 1.0)
    """
    size = len(given) + len(candidate)
    return 2 * len(given & candidate) / size if size else 1.0
