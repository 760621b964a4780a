"""Records as columns: what every table and figure is made of, some 30 bytes for each record."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from plangauge.reports.names import without_version

PARTS = ("model", "task", "domain")
"""What records can be grouped by; those of different scores always are apart."""


_COLUMNS = ("problems", "scores", "right", "read", "doubted", "sizes", "questions", "readings")


class Key(NamedTuple):
    """What the records of a group have in common; ``score`` names what was measured."""

    model: str
    task: str
    domain: str
    score: str


@dataclass(slots=True)
class Group:
    """Columns with a place for each record, and counts."""

    problems: array[int] = field(default_factory=lambda: array("q"))
    """The number of the problem, the same in all groups."""
    scores: array[float] = field(default_factory=lambda: array("d"))
    """NaN where the score is not defined."""
    right: array[int] = field(default_factory=lambda: array("b"))
    """Whether the answer is right, 1 or 0; -1 where that is not defined."""
    read: array[int] = field(default_factory=lambda: array("b"))
    """1 where there is a response and an answer could be read from it, else 0."""
    doubted: array[int] = field(default_factory=lambda: array("b"))
    """1 where the reading is uncertain, else 0."""
    sizes: array[float] = field(default_factory=lambda: array("d"))
    """NaN where it is not known; empty where no size was asked for."""
    questions: array[int] = field(default_factory=lambda: array("q"))
    """The number of the question in `Scores.questions`; empty where they were not asked for."""
    readings: array[int] = field(default_factory=lambda: array("q"))
    """The same for answers that are read as the same, -1 for unread ones; empty like these."""
    outcomes: Counter[str] = field(default_factory=Counter)
    """What became of the responses, each counted once."""
    steps: Counter[int] = field(default_factory=Counter)
    """Index of the step at which a plan failed → how often."""

    def __len__(self) -> int:
        return len(self.problems)

    def extend(self, other: Group) -> None:
        """Add the records of another group."""
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(other, name))
        self.outcomes.update(other.outcomes)
        self.steps.update(other.steps)


class Asked(NamedTuple):
    """A question that was asked: its sample, and the problem that it is about."""

    sample: str
    problem: str
    domain: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Which records are looked at; where nothing is named, all.

    A task can be named without its version, and a model with its run: *model @ run*.
    """

    models: Sequence[str] = ()
    tasks: Sequence[str] = ()
    domains: Sequence[str] = ()
    score: str = ""
    """One of the ``scores``, instead of the primary one of each task."""
    certain: bool = False
    """Leave out what was read with doubt."""


@dataclass
class Scores:
    """The records of some runs in groups, in the order in which they are shown."""

    groups: dict[Key, Group]
    remarks: list[str]
    """What one must know before comparing them."""
    questions: list[Asked] = field(default_factory=list)
    """The questions by their numbers, where they were asked for."""

    def names(self, part: str) -> list[str]:
        """Return the models, tasks, domains or scores that there are, in order."""
        return list(dict.fromkeys(getattr(key, part) for key in self.groups))

    def pooled(self, by: Sequence[str]) -> Iterator[tuple[Key, Group]]:
        """Yield the records that agree in some parts of their keys, and in the score.

        The other parts are empty.
        """
        found: dict[Key, Group] = {}
        for key, group in self.groups.items():
            kept = (*by, "score")
            common = Key(*(getattr(key, part) if part in kept else "" for part in Key._fields))
            found.setdefault(common, Group()).extend(group)
        yield from found.items()

    def unequal(self) -> list[str]:
        """Return a remark on the tasks of which not all models were asked the same questions.

        Needs the questions by their numbers.
        """
        asked: dict[str, dict[str, set[int]]] = {}
        for key, group in self.groups.items():
            asked.setdefault(key.task, {}).setdefault(key.model, set()).update(group.questions)
        tasks = [
            without_version(task)
            for task, models in asked.items()
            if len({frozenset(questions) for questions in models.values()}) > 1
        ]
        if not tasks:
            return []
        told = f"not all models were asked the same questions of {', '.join(dict.fromkeys(tasks))}"
        return [f"{told}, so that their means differ by these, too: see plangauge compare-runs"]
