"""The list of responses in a page, as columns to sort and filter by."""

from __future__ import annotations

from collections import defaultdict
from math import isfinite
from typing import Any

from plangauge.records import Record
from plangauge.reports.collect import SIZES
from plangauge.reports.outcomes import outcome
from plangauge.reports.page.chosen import mark_of
from plangauge.reports.page.details import Teller, Told

_LONGEST_MESSAGE = 300


class Names:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __getitem__(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))


class Index:
    """Columns of samples, and of the responses to them."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller
        self.names: dict[str, Names] = defaultdict(Names)
        self.samples: dict[str, list[Any]] = defaultdict(list)
        self.responses: dict[str, list[Any]] = defaultdict(list)
        self.problems: dict[tuple[str, str], int] = {}
        self.places: dict[int, int] = defaultdict(int)

    def add(self, told: Told, chunk: int) -> int:
        """Add a sample, which is the next one in a chunk; return the number of its problem."""
        first = told.entries[0].record
        number = self.problems.setdefault((told.key[0], first.problem), len(self.problems))
        sample = len(self.samples["id"])
        system = self.teller.system(told.key[0])
        row = {
            "id": first.sample,
            "suite": self.names["suites"][mark_of(told.key[0])],
            "system": self.names["systems"][system],
            "problem": self.names["problems"][first.problem],
            "about": number,
            "task": self.names["tasks"][first.task],
            "domain": self.names["domains"][first.domain],
            "chunk": chunk,
            "place": self.places[chunk],
        }
        self.places[chunk] += 1
        for name, value in (row | _sizes(first)).items():
            self.samples[name].append(value)
        for place, entry in enumerate(told.entries):
            self._add(sample, place, entry.model, entry.record, entry.nth)
        return number

    def _add(self, sample: int, place: int, model: str, record: Record, nth: int) -> None:
        step, message = record.notes.get("step"), record.notes.get("message")
        value = self.teller.value(record)
        row = {
            "sample": sample,
            "place": place,
            "model": self.names["models"][model],
            "epoch": record.epoch,
            "nth": nth,
            "score": None if value is None else round(value, 6),
            "primary": self.names["scores"][self.teller.score or record.primary],
            "outcome": self.names["outcomes"][outcome(record)],
            "status": self.names["statuses"][record.status],
            "step": step if isinstance(step, int) else None,
            "message": self.names["messages"][
                message[:_LONGEST_MESSAGE] if isinstance(message, str) else ""
            ],
        }
        for name, cell in row.items():
            self.responses[name].append(cell)

    def as_row(self) -> dict[str, Any]:
        """Return the columns; numbers stand for what ``names`` lists."""
        return {
            "names": {name: [*of.numbers] for name, of in self.names.items()},
            "sizes": [*SIZES],
            "samples": dict(self.samples),
            "responses": dict(self.responses),
        }


def _sizes(record: Record) -> dict[str, float | None]:
    """Return the sizes of a problem and of a question, as far as the record has them."""
    found = {name: record.meta.get(key) for name, key in SIZES.items()}
    return {
        name: value if isinstance(value, int | float) and isfinite(value) else None
        for name, value in found.items()
    }
