"""Lines of `coverage.py` about leaderboards: whether the ranks of all models hold the true ones."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import numpy as np
from coverage_case import Case

from plangauge.reports.leaderboard import leaderboard_of
from plangauge.reports.scores import AskedQuestion, Group, Key, Scores

_RESAMPLES = 999


def scores_of(values: np.ndarray, score: str) -> Scores:
    """Return the scores of models, a row for each, at as many questions as there are columns."""
    count = values.shape[1]
    numbers, ones, none = np.arange(count), np.ones(count, np.int8), np.empty(0, np.int64)
    like: dict[str, Any] = {
        "counts": np.ones(count, np.int64), "problems": numbers, "questions": numbers,
        "right": np.full(count, -1), "read": ones, "doubted": 0 * ones, "readings": none,
        "sizes": {}, "secondary": {},
        "outcomes": Counter(), "steps": Counter(),
    }  # fmt: skip
    groups = {
        Key(f"model {place}", "plan-v1", "d", score): Group(scores=own, **like)
        for place, own in enumerate(values)
    }
    return Scores(groups, [], [AskedQuestion(f"{n}", f"{n}", "d") for n in range(count)])


def plans(rng: np.random.Generator, abilities: tuple[float, ...], problems: int) -> np.ndarray:
    """Draw which plans of each model are valid; hard problems are hard for all."""
    hard = rng.normal(0, 1, problems)
    return (rng.random((len(abilities), problems)) < chance(abilities, hard)).astype(float)


def graded(rng: np.random.Generator, abilities: tuple[float, ...], problems: int) -> np.ndarray:
    """Draw twentieths with the chances of `plans`."""
    hard = rng.normal(0, 1, problems)
    return rng.binomial(20, rng.beta(2 * (own := chance(abilities, hard)), 2 * (1 - own))) / 20


def chance(abilities: tuple[float, ...], hard: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(hard - np.array(abilities)[:, None]))


@lru_cache(maxsize=16)
def true_ranks(abilities: tuple[float, ...]) -> list[tuple[int, int]]:
    """Return the first and the last rank of each model; equal ones share all of theirs."""
    means = np.array(abilities)
    return [(1 + int((means > own).sum()), len(means) - int((means < own).sum())) for own in means]


def ranks_hold(
    rng: np.random.Generator, draw: object, abilities: tuple[float, ...], problems: int
) -> bool:
    """Return whether the ranks of all models at once contain their true ones."""
    scores = scores_of(draw(rng, abilities, problems), "valid" if draw is plans else "iou")
    # Which lead would have been found decides no rank, and takes nine tenths of the time.
    with patch("plangauge.statistics.power.detectable_share", return_value=None):
        (found,) = leaderboard_of(scores, resamples=_RESAMPLES).rankings
    true = true_ranks(abilities)
    return all(
        row.rank_low <= true[at][0] and row.rank_high >= true[at][1]
        for row in found.rows
        for at in [int(row.model.removeprefix("model "))]
    )


ABILITIES = {
    "5 equal models": (0.0,) * 5,
    "10 equal models": (0.0,) * 10,
    "5 models, two pairs equal": (1.0, 0.0, 0.0, -1.0, -1.0),
    "5 models, evenly apart": (1.6, 0.8, 0.0, -0.8, -1.6),
}


def rank_cases() -> list[Case]:
    return [
        Case("leaderboard", f"{data}, {draw.__name__}", f"{problems}",
             lambda rng, a=ABILITIES[data], d=draw, n=problems: ranks_hold(rng, d, a, n), "≥ 93 %")
        for draw in (plans, graded)
        for data in ABILITIES
        for problems in (30, 100, 300)
        if problems == 30 or data == "5 models, two pairs equal"
    ]  # fmt: skip
