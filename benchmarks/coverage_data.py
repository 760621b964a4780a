"""What `coverage.py` draws; scores are twentieths, as shares of small sets are."""

from __future__ import annotations

from typing import Any

import numpy as np


def even(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw scores around a half, which vary much."""
    return rng.binomial(20, rng.beta(0.8, 0.8, count)) / 20


def rare(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw scores of which seven in ten are 0: mean 0.15, skewed."""
    return np.where(rng.random(count) < 0.3, rng.binomial(20, 0.5, count) / 20, 0.0)


def clustered(rng: np.random.Generator, problems: int, answers: int) -> tuple[Any, Any]:
    """Draw scores that depend on the problem, with mean 0.5."""
    chances = np.repeat(rng.beta(1.6, 1.6, problems), answers)
    return rng.binomial(20, chances) / 20, np.repeat(np.arange(problems), answers)


def lopsided(rng: np.random.Generator, problems: int) -> tuple[Any, Any]:
    """Draw scores with mean 0, half of whose variance is the problem's.

    One problem in five has 20 answers, the others have one.
    """
    about = np.repeat(np.arange(problems), rng.choice([1, 1, 1, 1, 20], problems))
    return rng.normal(0, 1, problems)[about] + rng.normal(0, 1, len(about)), about


def pairs(rng: np.random.Generator, problems: int, gain: float = 0.0) -> tuple[Any, Any]:
    """Draw scores of two models that find the same problems hard; one is better by the gain."""
    hard = rng.beta(1, 1, problems)
    return tuple(np.clip(rng.normal(hard * 0.5 + 0.2 + g, 0.1), 0, 1) for g in (gain, 0.0))


def differing(rng: np.random.Generator, n: int, ahead: float, behind: float) -> tuple[int, int]:
    """Draw how many of n pairs differ, so many for the one and so many for the other model."""
    found = rng.multinomial(n, [ahead, behind, 1 - ahead - behind])
    return int(found[0]), int(found[1])


def epochs(rng: np.random.Generator, problems: int, answers: int) -> tuple[Any, Any]:
    """Draw what is right of several answers; the chance varies evenly between problems."""
    chances = np.repeat(rng.random(problems), answers)
    return (rng.random(len(chances)) < chances).astype(float), np.repeat(
        np.arange(problems), answers
    )


def by_size(rng: np.random.Generator, problems: int, answers: int = 1) -> tuple[Any, Any, Any]:
    """Draw lengths and the problem's own effect, which answers share."""
    sizes = np.repeat(rng.integers(2, 12, problems), answers).astype(float)
    return sizes, np.repeat(rng.normal(0, 1, problems), answers), np.repeat(
        np.arange(problems), answers
    )  # fmt: skip


def two_tasks(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Draw scores of two tasks, with many ties, that depend on how hard a problem is."""
    easy = rng.beta(0.8, 0.8, n)
    return rng.binomial(20, easy) / 20, rng.binomial(3, easy) / 3
