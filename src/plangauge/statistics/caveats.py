"""What is refused, and what is said beside a number that its assumptions do not quite carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plangauge.core.errors import Error

Numbers: TypeAlias = "Sequence[float] | NDArray[Any]"

FEW = 20
"""With fewer problems than these, intervals and tests are not to be relied on."""


_LARGEST = 1e100
"""Squares of larger values, and sums of these, are not numbers any more."""

_MOST_SKEWED = 0.2
"""The most that skewness may be for each root of the number of problems."""


class StatisticsError(Error, ValueError):
    """Something cannot be estimated or tested from what was given; the message says why."""


@dataclass(frozen=True, slots=True)
class Caveat:
    """What must be known about a result; ``kind`` is for machines, ``text`` for people."""

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def few(clusters: int) -> tuple[Caveat, ...]:
    """Return the caveat that there are too few problems, if so.

    >>> few(20), str(few(7)[0])
    ((), '7 problems only: below 20, intervals and tests are rough')
    """
    if clusters >= FEW:
        return ()
    noun = "problem" if clusters == 1 else "problems"
    text = f"{clusters} {noun} only: below {FEW}, intervals and tests are rough"
    return (Caveat("few problems", text),)


def unequal(counts: NDArray[Any]) -> tuple[Caveat, ...]:
    """Return a caveat if most answers are about a few problems.

    >>> import numpy as np
    >>> unequal(np.full(40, 3)), str(unequal(np.array([20] * 5 + [1] * 20))[0])
    ((), 'problems have from 1 to 20 answers: 25 tell as much as 7 with equally many')
    """
    clusters, equal = len(counts), effective(counts)
    if not (equal < FEW <= clusters or 2 * equal < clusters):
        return ()
    why = f"problems have from {int(counts.min())} to {int(counts.max())} answers"
    text = f"{why}: {clusters} tell as much as {equal:.0f} with equally many"
    return (Caveat("unequal samples", text),)


def skewed(deviations: NDArray[Any]) -> tuple[Caveat, ...]:
    """Return a caveat if a few problems account for most of the variance.

    Where the skewness of what the problems deviate from their mean is above a fifth of the root of
    their number, the mean of so many is not nearly normal (Cochran 1977: n > 25 G1²). Below `FEW`
    problems that cannot be told, and another caveat stands there.

    >>> import numpy as np
    >>> str(skewed(np.array([-0.95] * 3 + [0.05] * 57))[0])
    'very skewed: a few problems cause most of the spread; intervals and tests are rough'
    """
    spread = float(np.sqrt((deviations**2).mean()))
    if len(deviations) < FEW or not spread:
        return ()
    skewness = abs(float(((deviations / spread) ** 3).mean()))
    if skewness <= _MOST_SKEWED * sqrt(len(deviations)):
        return ()
    why = "a few problems cause most of the spread; intervals and tests are rough"
    return (Caveat("skewed", f"very skewed: {why}"),)


def effective(counts: NDArray[Any]) -> float:
    """Return the effective number of problems: (Σ n)² / Σ n².

    >>> import numpy as np
    >>> effective(np.array([3, 3, 3])), effective(np.array([1, 1, 18]))
    (3.0, 1.226...)
    """
    whole = counts.astype(int)
    return float(int(whole.sum()) ** 2 / int((whole**2).sum()))


def finite(values: Numbers, what: str = "values") -> NDArray[Any]:
    """Return values as an array of floats.

    Raises `StatisticsError` where there are none, or one is undefined.
    """
    if not len(values):
        raise StatisticsError(f"there are no {what}")
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError):
        raise StatisticsError(f"{what} must be numbers") from None
    if array.ndim != 1:
        raise StatisticsError(f"{what} must be a column, not a table")
    if not np.isfinite(array).all():
        missing = int((~np.isfinite(array)).sum())
        why = f"{missing} of {len(array)} {what} are undefined"
        raise StatisticsError(f"{why}: leave them out first, and say so")
    if abs(array).max() > _LARGEST:
        raise StatisticsError(f"{what} beyond {_LARGEST:g} are too large to be added up")
    return array


def times_of(values: Numbers, counts: NDArray[Any] | None) -> NDArray[Any]:
    """Return how often each value is there: the ``counts``, or once without them."""
    return np.ones(len(values), int) if counts is None else counts


def same_length(one: Numbers, other: Numbers, what: str) -> None:
    """Raise `StatisticsError` where two columns do not have the same number of rows."""
    if len(one) != len(other):
        raise StatisticsError(f"{len(other)} {what} for {len(one)} values")


def require_binary(values: Numbers, what: str = "answers") -> NDArray[Any]:
    """Return what is right (1) or not (0) as floats; anything else is a `StatisticsError`."""
    array = finite(values, what)
    if not ((array == 0) | (array == 1)).all():
        raise StatisticsError(f"{what} must be either right (1) or not (0)")
    return array


def names_of(clusters: Numbers, values: Numbers, what: str = "clusters") -> NDArray[Any]:
    """Return the names of the problems that values are about, as numbers or texts.

    Raises `StatisticsError` where there are not as many, one is missing, or some are numbers and
    some texts.
    """
    same_length(values, clusters, what)
    try:
        found = np.asarray(clusters)
    except ValueError:  # not even as long as each other
        found = np.asarray(None)
    undefined = found.dtype.kind == "f" and not np.isfinite(found).all()
    mixed = found is not clusters and found.dtype.kind == "U"  # of a list, where numbers were too
    mixed = mixed and not all(isinstance(name, str) for name in clusters)
    if found.ndim != 1 or found.dtype.kind not in "biufU" or undefined or mixed:
        raise StatisticsError(f"{what} must be numbers or texts, one for each value")
    return found


def draws(resamples: int, seed: int) -> None:
    """Raise `StatisticsError` for an invalid number of resamples or an invalid seed."""
    if resamples < 1 or resamples != int(resamples):
        raise StatisticsError(f"{resamples} cannot be drawn")
    if seed < 0 or seed != int(seed):
        raise StatisticsError(f"a seed must be a whole number of at least 0, not {seed}")


def chance(value: float, what: str) -> None:
    """Raise `StatisticsError` for a level, a power or an alpha that is not between 0 and 1."""
    if not 0 < value < 1:
        raise StatisticsError(f"{what} must be between 0 and 1, not {value}")
