"""The names of the scores of questions, for frameworks that need them in advance."""

from __future__ import annotations

from collections.abc import Iterable

from plangauge.scoring.records import Response, score
from plangauge.suites import Sample


def score_names(samples: Iterable[Sample]) -> list[str]:
    """Return the names of all scores that these samples have, each once.

    They depend only on the task and the kind of world.
    """
    kinds = dict[tuple[str, str], Sample]()
    for sample in samples:
        kinds.setdefault((sample.task, sample.domain), sample)
    silent = (score(sample, Response(sample.id, None)) for sample in kinds.values())
    return [*dict.fromkeys(name for record in silent for name in record.scores)]
