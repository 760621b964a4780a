"""Acting step by step, or in whole plans that may be corrected: text in, observations out.

`Episode` plays by the rules of a `Policy`; each `Turn` is what happened, the `Result` what it comes
to. There is no model in here. Only `transcript` reads and writes files.
"""

from plangauge.episodes.episode import Episode
from plangauge.episodes.outcome import Mistake, Outcome, Result, result_of
from plangauge.episodes.policy import APPROACHES, Policy
from plangauge.episodes.reading import read_turn
from plangauge.episodes.turns import Act, Turn
from plangauge.reading import Said

__all__ = [
    "APPROACHES",
    "Act",
    "Episode",
    "Mistake",
    "Outcome",
    "Policy",
    "Result",
    "Said",
    "Turn",
    "read_turn",
    "result_of",
]
