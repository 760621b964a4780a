"""From the text of an answer to what it says: plans, sets of terms, turns.

A text goes through `text` (plain signs, with a map back), `segments` (lines, items, rows), `items`
and `statements` (the terms of a segment: `terms` as written, `said` as said, by the `clauses` and
the slots of the `vocabulary`, with `labels` for what the text says of them), and `blocks` to the
choice in `plans`, `sets` and `turns`. All return a `Reading`, and none raises.

Texts that are nothing but a plan are read by the `notations`; see there how to add one. The
answers of households have notations of their own in `households`.
"""

from plangauge.reading import prose  # noqa: F401 - it registers its notation
from plangauge.reading.notations import NOTATIONS, Notation, recognise, render
from plangauge.reading.plans import find_plan
from plangauge.reading.reader import parse_plan, read_plan
from plangauge.reading.result import Effects, Label, Reading, Said, Span, Status, TurnReading
from plangauge.reading.sets import find_set
from plangauge.reading.strict import read_strictly, read_two_strictly, strict_terms
from plangauge.reading.turns import find_turn
from plangauge.reading.vocabulary import Vocabulary, vocabulary_of

__all__ = [
    "NOTATIONS",
    "Effects",
    "Label",
    "Notation",
    "Reading",
    "Said",
    "Span",
    "Status",
    "TurnReading",
    "Vocabulary",
    "find_plan",
    "find_set",
    "find_turn",
    "parse_plan",
    "read_plan",
    "read_strictly",
    "read_two_strictly",
    "recognise",
    "render",
    "strict_terms",
    "vocabulary_of",
]
