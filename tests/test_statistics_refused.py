"""What makes no sense is refused in a line, by every function: no traceback, no wrong number."""

from __future__ import annotations

import pytest

from plangauge.statistics import (
    StatisticsError,
    bonett_price,
    bootstrap,
    components,
    correlate,
    correlation,
    isotonic,
    linear,
    logistic,
    mcnemar,
    mean,
    parity,
    pass_at_k,
    pass_hat_k,
    passing,
    share,
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
        (lambda: mean([None, 1.0]), "1 of 2 values are undefined"),
        (lambda: mean(["a", "b"]), "values must be numbers"),
        (lambda: mean([1, 2, 3], [None, 1, 1]), "clusters must be numbers or texts"),
        (lambda: mean([1, 2, 3], [float("nan"), 1, 1]), "clusters must be numbers or texts"),
        (lambda: mean([1, 2], [(1, 2), (1, 3)]), "clusters must be numbers or texts"),
        (lambda: mean([1, 2, 3], level=2), "level must be between 0 and 1, not 2"),
        (lambda: share([float("nan"), 1]), "1 of 2 answers are undefined"),
        (lambda: share([0.5, 0.2]), "either right"),
        (lambda: wilson(1, 2, level=1.5), "level must be between 0 and 1"),
        (lambda: pass_at_k(3, 1, 4), "3 answers cannot tell what 4 would show"),
        (lambda: pass_at_k(3, 4, 1), "4 right of 3"),
        (lambda: pass_hat_k(3, 1, 0), "0 at a time"),
        (lambda: passing(1, [], []), "there are no answers"),
        (lambda: passing(1, [1, float("nan")], [1, 2]), "undefined"),
        (lambda: passing(1, [0.5, 0.5], [1, 2]), "either right"),
        (lambda: passing(1, [1], [1], [None]), "clusters must be"),
        (lambda: components([1.0, 2.0, 3.0], [1, 1, 2], level=1), "level must be between"),
        (lambda: passing(1, [1], [1, 2]), "2 questions for 1 values"),
        (lambda: components([1.0, 2.0], [1, 2]), "no problem has two answers"),
        (lambda: components([1.0, 2.0], [1, 1]), "there is one problem only"),
        (lambda: components([], []), "there are no values"),
        (lambda: logistic([1, 1], {"size": [1, 2]}), "some that are right"),
        (lambda: logistic([], {"size": []}), "there are no values"),
        (lambda: logistic([1, 0, 1, 0], {"size": [2, 2, 2, 2]}), "size is always the same"),
        (lambda: linear([1, 2, 3], {"size": [1, 2]}), "2 values of size for 3 values"),
        (lambda: linear([1, 2], {"size": [1, 2]}), "too few for 2 coefficients"),
        (lambda: linear([1, 2, 4], {"size": [1, 2, 3]}, [1, 1, 1]), "1 problem is too few"),
        (lambda: linear([1, 2, 4, 3], {"a": [1, 2, 3, 5], "b": [2, 4, 6, 10]}), "each other"),
        (lambda: logistic([1, 0.5, 0], {"size": [1, 2, 3]}), "either right"),
        (lambda: linear([1, 2, 4], {"size": [1, 2, 3]}, level=0), "level must be between"),
        (lambda: isotonic([], []), "there are no values"),
        (lambda: isotonic([1, 2], [1, float("nan")]), "undefined"),
        (lambda: parity([1, 3, 5], [1, 0, 1]), "odd lengths, even lengths"),
        (lambda: parity([1, 2.5], [1, 0]), "odd lengths, even lengths"),
        (lambda: correlate([], []), "there are no values"),
        (lambda: correlate([1, 2], [1, float("nan")]), "undefined"),
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
        (lambda: sign_flip([1.0, 2.0], seed=-1), "a seed must be a whole number"),
        (lambda: bootstrap([1.0, 2.0], resamples=1.5), "1.5 cannot be drawn"),
    ],
)
def test_it_is_refused(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()
