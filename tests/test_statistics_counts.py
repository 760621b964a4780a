"""Rows with counts tell the same as every row as often as it is there."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plangauge.statistics import (
    StatisticsError,
    components,
    consistency,
    isotonic,
    linear,
    logistic,
    parity,
    passing,
    stratified,
)

ROW = st.tuples(
    st.integers(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 6),
    st.integers(1, 9), st.integers(1, 4),
)  # fmt: skip
"""Right, score, question, size, and how often."""

STATISTICS = {
    "pass@2": lambda r: passing(2, r.right, r.question, r.problem, **r.counts),
    "pass^2": lambda r: passing(2, r.right, r.question, r.problem, every=True, **r.counts),
    "consistency": lambda r: consistency(r.score.tolist(), r.question, r.problem, **r.counts),
    "components": lambda r: components(r.score, r.question, **r.counts),
    "stratified": lambda r: stratified(r.score, r.problem % 2, r.problem, **r.counts),
    "linear": lambda r: linear(r.score, {"size": r.size}, r.problem, **r.counts),
    "logistic": lambda r: logistic(r.right, {"size": r.size}, r.problem, **r.counts),
    "isotonic": lambda r: isotonic(r.size, r.score, r.problem, **r.counts),
    "parity": lambda r: parity(r.size, r.score, r.problem, **r.counts),
}  # fmt: skip


class Rows:
    def __init__(self, columns, counts):
        self.right, self.score, self.question, self.size = (column.copy() for column in columns)
        self.problem = self.question // 2
        self.counts = {} if counts is None else {"counts": counts}


def outcome(statistic, rows):
    try:
        return asdict(statistic(rows)), None
    except StatisticsError as error:
        return None, str(error)


def assert_close(one, other):
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = [*one.values()], [*other.values()]
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for each, its in zip(one, other, strict=True):
            assert_close(each, its)
    else:
        assert one == (pytest.approx(other, rel=1e-5, abs=1e-7) if type(one) is float else other)


@pytest.mark.parametrize("name", STATISTICS)
@given(rows=st.lists(ROW, min_size=1, max_size=30))
def test_counts_stand_for_rows(name, rows):
    *columns, counts = map(np.array, zip(*rows, strict=True))
    compact = outcome(STATISTICS[name], Rows(columns, counts))
    every = outcome(STATISTICS[name], Rows([np.repeat(c, counts) for c in columns], None))
    for found, _ in (compact, every):  # within rounding of where it becomes undecided
        assume(found is None or not {"one problem", "no spread"} & kinds_of(found))
    assert_close(compact, every)


def kinds_of(found):
    """Return the kinds of the caveats of a statistic."""
    nested = [caveat["kind"] for caveat in found.get("caveats", ())]
    return {*nested}
