"""Several tests at once: the more there are, the more easily one of them seems to show something.

scipy adjusts for the rate of false discoveries only; this is for that of any error at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from plangauge.statistics.caveats import StatisticsError


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted for being looked at together (Holm 1979), in the same order.

    Who calls a difference shown where the adjusted value is at most 0.05 is wrong about any of
    them in at most 5 % of all families, however the tests depend on each other. None is no test,
    and counts for none. Raises `StatisticsError` for what is no probability.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    for value in values:
        if value is not None and not 0 <= value <= 1:
            raise StatisticsError(f"{value} is no p-value")
    tested = sorted((value, place) for place, value in enumerate(values) if value is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (value, place) in enumerate(tested):
        highest = max(highest, min(1.0, value * (len(tested) - rank)))
        adjusted[place] = highest
    return adjusted
