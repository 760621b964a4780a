"""Lines of `coverage.py` with unfavourable data: most scores the same, or very skewed ones."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from coverage_case import RESAMPLES, Case, holds

from plangauge.statistics import (
    ALPHA,
    StatisticsError,
    components,
    contrast,
    correlate,
    correlation,
    logistic,
    mean,
    sign_flip,
)

MANY = 300_000
"""From so many the truth is counted where it is no formula."""


def nearly_all(rng: np.random.Generator, n: int) -> Any:
    """Draw scores that are 1 on 95% of the problems: mean 0.9725."""
    return np.where(rng.random(n) < 0.95, 1, rng.random(n) * 0.9)


def long_tailed(rng: np.random.Generator, n: int) -> Any:
    """Draw costs, some of which are far above the others."""
    return rng.lognormal(0, 1.2, n)


def squared(rng: np.random.Generator, n: int) -> Any:
    """Draw differences of 30 % of the problems, some of which are far above the others."""
    return rng.exponential(1, n) ** 2 * 0.05 * (rng.random(n) < 0.3)


def failing(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Draw scores of which one is better by 0.042, but 0 on 5 % of the problems: the same mean."""
    other = rng.uniform(0.6, 1, n)
    fails = rng.random(n) < 0.05
    return np.where(fails, 0, other + 0.05 * 0.8 / 0.95 + rng.normal(0, 0.03, n)), other


def both_mostly_right(rng: np.random.Generator, n: int, fail: float) -> list[Any]:
    """Draw what is right at two tasks, both of which the harder problems fail."""
    edge = {0.2: 0.8416, 0.1: 1.2816, 0.06: 1.5548}[fail] * 1.25**0.5
    hard = rng.normal(size=n)
    return [(hard + 0.5 * rng.normal(size=n) < edge).astype(float) for _ in range(2)]


@lru_cache(maxsize=9)
def true_correlation(fail: float) -> float:
    found = correlation(*both_mostly_right(np.random.default_rng(1), MANY, fail))
    assert found is not None
    return found


def mostly_right(rng: np.random.Generator, problems: int, chance: float, icc: float) -> Any:
    """Draw five right or wrong answers to each problem."""
    size = 1 / icc - 1
    chances = rng.beta(chance * size, (1 - chance) * size, problems)[:, None]
    return (rng.random((problems, 5)) < chances).astype(float)


def mostly_best(rng: np.random.Generator, problems: int) -> Any:
    """Draw five scores of each problem, 1 in nine of ten, else anything."""
    chances = rng.beta(1.8, 0.2, problems)[:, None]
    return np.where(rng.random((problems, 5)) < chances, 1, rng.random((problems, 5)))


@lru_cache(maxsize=1)
def true_share() -> float:
    values = mostly_best(np.random.default_rng(1), MANY)
    found = components(values.ravel(), np.repeat(np.arange(MANY), 5)).icc
    assert found is not None
    return found


def between(values: Any, truth: float) -> bool | None:
    return holds(components(values.ravel(), np.repeat(np.arange(len(values)), 5)), truth)


def seldom_wrong(rng: np.random.Generator, n: int) -> bool | None:
    """The log odds of right are 4 - 0.2 · size: about one in twelve is wrong."""
    sizes = rng.integers(2, 12, n)
    right = rng.random(n) < 1 / (1 + np.exp(0.2 * sizes - 4))
    try:
        return holds(logistic(right, {"size": sizes}, np.arange(n)).coefficients["size"], -0.2)
    except StatisticsError:  # all are right, or separated
        return None


def rough_cases() -> list[Case]:
    skewed, few, fine = "(skewed)", "(few)", "≥ 93 %"
    means = (("1 on 95%", nearly_all, 0.9725), ("lognormal", long_tailed, np.exp(0.72)))
    return [
        *(Case("mean", data, f"{n}", lambda rng, draw=draw, truth=truth, n=n:
               holds(mean(draw(rng, n)), truth), skewed)
          for data, draw, truth in means for n in (20, 60, 200)),
        *(Case("mean", "0 or 1, 95% are 1", f"{n}", lambda rng, n=n:
               holds(mean((rng.random(n) < 0.95).astype(float)), 0.95), skewed)
          for n in (60, 100, 200)),
        *(Case("contrast", "few large differences", f"{n}", lambda rng, n=n: holds(
               contrast(squared(rng, n), np.zeros(n), resamples=RESAMPLES), 0.03), skewed)
          for n in (20, 60, 200)),
        *(Case("contrast", "mostly better, 5% fail", f"{n}", lambda rng, n=n:
               holds(contrast(*failing(rng, n), resamples=RESAMPLES), 0), skewed)
          for n in (20, 60, 200)),
        *(Case("sign_flip", "rejects, mostly better, 5% fail", f"{n}", lambda rng, n=n:
               sign_flip(np.subtract(*failing(rng, n)), resamples=RESAMPLES) <= ALPHA, skewed)
          for n in (20, 60, 200)),
        *(Case("correlate", f"Spearman, 0 or 1, {fail:.0%} are 0", f"{n}", lambda rng, n=n, q=fail:
               holds(correlate(*both_mostly_right(rng, n, q)), true_correlation(q)), fine)
          for fail in (0.2, 0.1, 0.06) for n in (60, 150)),
        *(Case("components", f"ICC {icc}, {chance:.0%} right", f"{n} × 5", lambda rng, n=n,
               chance=chance, icc=icc: between(mostly_right(rng, n, chance, icc), icc),
               fine if chance == 0.5 else skewed)
          for chance, icc in ((0.5, 0.5), (0.9, 0.5), (0.95, 0.77)) for n in (20, 50, 100)),
        *(Case("components", "ICC, 1 on 90%", f"{n} × 5", lambda rng, n=n:
               between(mostly_best(rng, n), true_share()), skewed) for n in (20, 60, 150)),
        *(Case("logistic", "slope, one in twelve wrong", f"{n}", lambda rng, n=n:
               seldom_wrong(rng, n), few) for n in (60, 200)),
    ]  # fmt: skip
