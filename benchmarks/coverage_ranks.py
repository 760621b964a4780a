"""Lines of `coverage.py` about leaderboards: whether the ranks of all models hold the true ones.

Problems are of one domain, or of two, in which each model is as able as it is there; hard problems
are hard for all. Domains weigh the same in the mean.
"""

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

Abilities = tuple[tuple[float, ...], ...]
"""How able each model is in each domain, in log odds at a problem of average difficulty."""


def scores_of(domains: list[np.ndarray], score: str) -> Scores:
    """Return the scores in each domain: a row for each model, a column for each problem."""
    groups: dict[Key, Group] = {}
    questions: list[AskedQuestion] = []
    for domain, values in enumerate(domains):
        count = values.shape[1]
        numbers, ones = len(questions) + np.arange(count), np.ones(count, np.int8)
        like: dict[str, Any] = {
            "counts": np.ones(count, np.int64), "problems": numbers, "questions": numbers,
            "right": np.full(count, -1), "read": ones, "doubted": 0 * ones,
            "readings": np.empty(0, np.int64), "sizes": {}, "secondary": {},
            "outcomes": Counter(), "steps": Counter(),
        }  # fmt: skip
        for model, own in enumerate(values):
            groups[Key(f"model {model}", "plan-v1", f"{domain}", score)] = Group(scores=own, **like)
        questions += [AskedQuestion(f"{n}", f"{n}", f"{domain}") for n in numbers]
    return Scores(groups, [], questions)


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


@lru_cache(maxsize=64)
def true_ranks(abilities: Abilities) -> list[tuple[int, int]]:
    """Return the first and the last rank of each model; equal ones share all of theirs.

    Models are ranked by their expected means, of which each domain's weighs the same.
    """
    hard = np.linspace(-8, 8, 2_001)
    density = np.exp(-(hard**2) / 2) / np.exp(-(hard**2) / 2).sum()
    expected = [(chance(own, hard) @ density).mean().round(9) for own in abilities]
    return [
        (1 + sum(other > own for other in expected), sum(other >= own for other in expected))
        for own in expected
    ]


def ranks_hold(
    rng: np.random.Generator, draw: Any, abilities: Abilities, problems: tuple[int, ...]
) -> bool:
    """Return whether the ranks of all models at once contain their true ones."""
    by_domain = zip(*abilities, strict=True)
    domains = [draw(rng, own, n) for own, n in zip(by_domain, problems, strict=True)]
    scores = scores_of(domains, "valid" if draw is plans else "iou")
    # Which lead would have been found decides no rank, and takes nine tenths of the time.
    with patch("plangauge.statistics.power.detectable_share", return_value=None):
        (found,) = leaderboard_of(scores, mean="domains", resamples=_RESAMPLES).rankings
    true = true_ranks(abilities)
    return all(
        row.rank_low <= true[at][0] and row.rank_high >= true[at][1]
        for row in found.rows
        for at in [int(row.model.removeprefix("model "))]
    )


def _alike(*abilities: float) -> Abilities:
    return tuple((own,) for own in abilities)


ABILITIES: dict[str, Abilities] = {
    "3 equal": _alike(0, 0, 0),
    "3, two equal": _alike(1, 0, 0),
    "3 apart": _alike(1, 0, -1),
    "6 equal": _alike(0, 0, 0, 0, 0, 0),
    "6, three pairs equal": _alike(1, 1, 0, 0, -1, -1),
    "6 apart": _alike(2, 1.2, 0.4, -0.4, -1.2, -2),
    "3, each best elsewhere": ((1, -1), (-1, 1), (0, 0)),
    "6, pairs trade places": ((2, 0), (0, 2), (1, -1), (-1, 1), (0, -2), (-2, 0)),
}
"""Of *each best elsewhere*, the first two have equal means, and the third one near theirs."""


SIZES = {
    1: ((30,), (60,), (200,)),
    2: ((15, 15), (20, 10), (30, 30), (45, 15), (100, 100), (150, 50)),
}
"""How many problems there are in each domain, by the number of domains."""


def rank_cases() -> list[Case]:
    return [
        Case("leaderboard", f"{data}, {draw.__name__}", " + ".join(map(str, sizes)),
             lambda rng, d=draw, own=own, n=sizes: ranks_hold(rng, d, own, n), "≥ 93%")
        for draw in (plans, graded)
        for data, own in ABILITIES.items()
        for sizes in SIZES[len(own[0])]
    ]  # fmt: skip
