"""The score that a published benchmark itself gives to an answer, beside ours.

A sample states in ``meta["as_published"]["by"]`` which benchmark it comes from; its records then
have a further score ``as_published``. Benchmarks add their scorers to `AS_PUBLISHED`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from plangauge.core.registry import Registry
from plangauge.suites import Sample
from plangauge.tasks import Question

PublishedScore: TypeAlias = Callable[[str], float | None]
"""Returns the published score of a response; None where it is undecided."""

AS_PUBLISHED: Registry[Callable[[Sample, Question[Any]], PublishedScore]] = Registry(
    "published scorer", "plangauge.benchmarks"
)


def published_score(sample: Sample, question: Question[Any]) -> PublishedScore | None:
    """Return how the benchmark of a sample scores responses; None where it comes from none.

    Raises `UnknownName` for an unknown benchmark, and `ProblemError` for malformed metadata.
    """
    of = sample.meta.get("as_published")
    if not isinstance(of, Mapping):
        return None
    return AS_PUBLISHED[str(of.get("by"))](sample, question)
