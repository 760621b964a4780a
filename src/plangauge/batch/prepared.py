"""The questions of a suite, made ready to score responses, as many as there is room for."""

from __future__ import annotations

from weakref import WeakValueDictionary

from plangauge.batch.nearness import NearnessScorer, Planning
from plangauge.records import Scorer
from plangauge.suites import Sample, Suite
from plangauge.worlds.base import Problem

_ROOM = 16_000_000
"""How many characters the problems and true answers of the kept samples may have.

What is kept takes some ten times as much memory as these texts.
"""


class Prepared:
    """Scorers by the id of their sample; those that were used last are kept.

    There are two halves: what is used goes to the new one, and when that is full, it becomes the
    old one, whose place it takes. So nothing is written down when a kept scorer is used again.
    """

    def __init__(self, suite: Suite, planning: Planning | None = None, room: int = _ROOM) -> None:
        self.suite = suite
        self._planning = planning
        self._room = room // 2
        self._new: dict[str, Scorer] = {}
        self._old: dict[str, Scorer] = {}
        self._size = 0
        self._problems: WeakValueDictionary[str, Problem[int]] = WeakValueDictionary()

    def __contains__(self, ident: str) -> bool:
        return ident in self.suite.numbers

    def __getitem__(self, ident: str) -> Scorer:
        """Return what scores responses to a sample; raises `UnknownName` where there is none."""
        scorer = self._new.get(ident)
        return scorer if scorer is not None else self._fetch(ident)

    def _fetch(self, ident: str) -> Scorer:
        scorer = self._old.pop(ident, None) or self._prepare(self.suite[ident])
        if self._size > self._room:
            self._old, self._new, self._size = self._new, {}, 0
        self._new[ident] = scorer
        self._size += scorer.size
        return scorer

    def _prepare(self, sample: Sample) -> Scorer:
        problem = self._problems.get(sample.problem)
        if self._planning is not None and NearnessScorer.suits(sample):
            scorer: Scorer = NearnessScorer(sample, problem, self._planning)
        else:
            scorer = Scorer(sample, problem)
        self._problems[sample.problem] = scorer.question.problem
        return scorer
