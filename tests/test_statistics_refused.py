"""What makes no sense is refused in a line, by every function: no traceback, no wrong number."""

from __future__ import annotations

import pytest

from plangauge.statistics import (
    StatisticsError,
    bonett_price,
    bootstrap,
    correlate,
    correlation,
    mcnemar,
    mean,
    passing,
    sign_flip,
    stratified,
    wilson,
)

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")

NONE = float("nan")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(1, float("inf")), "no proportion"),
        (lambda: mean(np.ones((3, 2))), "a column, not a table"),
        (lambda: mean([1e308] * 3), "too large"),
        (lambda: mean([0.0, 1.0], ["a", 1]), "clusters must be numbers or texts"),
        (lambda: mean([0.0, 1.0], [[1], [1, 2]]), "clusters must be numbers or texts"),
        (lambda: stratified([1, 2, 3, 4], [NONE, NONE, 1, 1]), "strata must be numbers or texts"),
        (lambda: stratified([1, 2], [None, "a"]), "strata must be numbers or texts"),
        (lambda: stratified([1, 2], [1, 1], weights="foo"), "'values' or 'strata', not 'foo'"),
        (lambda: correlate([1, 2, 3, 4], [1, 3, 2, 4], "foo"), "'pearson' or 'spearman'"),
        (lambda: correlation([1, 2, 3, NONE], [1, 2, 3, 4]), "undefined"),
        (lambda: bonett_price(1, 1, 9, level=2), "level must be between"),
        (lambda: mcnemar(1.5, 2), "1.5 pairs cannot be"),
        (lambda: passing(1.5, [1, 0], [1, 1]), "1.5 at a time"),
        (lambda: passing(1, [1], [[1]]), "questions must be numbers or texts"),
        (lambda: passing(1, [1, 0, 1, 0], [1, 1, 2, 2], [1, 2, 3, 3]), "1 is about two problems"),
        (lambda: sign_flip([1.0, 2.0], seed=-1), "a seed is a whole number"),
        (lambda: bootstrap([1.0, 2.0], resamples=1.5), "1.5 cannot be drawn"),
    ],
)
def test_it_is_refused(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()
