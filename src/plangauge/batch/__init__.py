"""Judging many answers: a row of JSON in, a row of JSON out, in the same order.

`stream` reads and writes rows and shares the work among processes, `files` finds what the rows
name; `validate`, `score` and `read` say what is done with a row.
"""

from plangauge.batch.files import Options
from plangauge.batch.read import ReadTally, read_rows
from plangauge.batch.score import ScoreTally, score_rows
from plangauge.batch.stream import encode_row
from plangauge.batch.validate import Tally, validate_rows

__all__ = [
    "Options",
    "ReadTally",
    "ScoreTally",
    "Tally",
    "encode_row",
    "read_rows",
    "score_rows",
    "validate_rows",
]
