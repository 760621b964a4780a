"""A cache of scorers for the questions of a suite."""

from __future__ import annotations

from weakref import WeakValueDictionary

from plangauge.scoring.goal_progress import GoalProgressScorer, Planning
from plangauge.scoring.records import Scorer
from plangauge.suites import Sample, Suite
from plangauge.worlds.cache import CACHE


class Prepared:
    """Scorers by sample id; their problems keep them alive while the cache has room."""

    def __init__(self, suite: Suite, planning: Planning | None = None) -> None:
        self.suite = suite
        self._planning = planning
        self._scorers: WeakValueDictionary[str, Scorer] = WeakValueDictionary()

    def __contains__(self, ident: str) -> bool:
        return ident in self.suite.numbers

    def __getitem__(self, ident: str) -> Scorer:
        """Return the scorer of a sample; raises `UnknownName` where there is none."""
        scorer = self._scorers.get(ident)
        if scorer is None:
            scorer = self._scorers[ident] = self._prepare(self.suite[ident])
        problem = scorer.question.problem
        problem.prepared[scorer] = scorer
        CACHE.use(problem)
        return scorer

    def _prepare(self, sample: Sample) -> Scorer:
        if self._planning is not None and GoalProgressScorer.suits(sample):
            return GoalProgressScorer(sample, self._planning)
        return Scorer(sample)
