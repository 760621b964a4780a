"""A cache of scorers for the questions of a suite."""

from __future__ import annotations

from functools import lru_cache
from weakref import WeakValueDictionary

from plangauge.scoring.goal_progress import GoalProgressScorer, Planning
from plangauge.scoring.records import Response, Scorer
from plangauge.suites import Sample, Suite
from plangauge.worlds.cache import CACHE

_RECENT = 8192
_SHORT = 1000
"""So many verdicts are remembered, of responses of at most so many characters: below 64 MB."""


class Prepared:
    """Scorers by sample id; their problems keep them alive while the cache has room."""

    def __init__(self, suite: Suite, planning: Planning | None = None) -> None:
        self.suite = suite
        self._planning = planning
        self._scorers: WeakValueDictionary[str, Scorer] = WeakValueDictionary()
        self._recent = lru_cache(_RECENT)(self._verdict)  # samples of a prompt are often alike

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

    def line(self, response: Response) -> tuple[str, bytes]:
        """Return the status of a response, and its line of ``records.jsonl``."""
        short = len(response.text or "") <= _SHORT
        verdict_of = self._recent if short else self._verdict
        verdict = verdict_of(response.sample, response.text, response.stop_reason)
        return self[response.sample].line(response, verdict)

    def _verdict(self, sample: str, text: str | None, stop_reason: str | None) -> tuple[str, bytes]:
        return self[sample].verdict(Response(sample, text, stop_reason=stop_reason))

    def _prepare(self, sample: Sample) -> Scorer:
        if self._planning is not None and GoalProgressScorer.suits(sample):
            return GoalProgressScorer(sample, self._planning)
        return Scorer(sample)
