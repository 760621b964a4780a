"""What is refused, and what is said beside a number that its assumptions do not quite carry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from plangauge.errors import Error, MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "Sequence[float] | NDArray[Any]"

FEW = 20
"""With fewer problems than these, intervals and tests are not to be relied on."""


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


def finite(values: Numbers, what: str = "values") -> NDArray[Any]:
    """Return values as an array of floats.

    Raises `StatisticsError` where there are none, or one is undefined.
    """
    import numpy as np

    if not len(values):
        raise StatisticsError(f"there are no {what}")
    array = np.asarray(values, float)
    if not np.isfinite(array).all():
        missing = int((~np.isfinite(array)).sum())
        told = f"{missing} of {len(array)} {what} are undefined"
        raise StatisticsError(f"{told}: leave them out first, and say so")
    return array


def same_length(one: Numbers, other: Numbers, what: str) -> None:
    """Raise `StatisticsError` where two columns do not have the same number of rows."""
    if len(one) != len(other):
        raise StatisticsError(f"{len(other)} {what} for {len(one)} values")


@contextmanager
def scipy_needed() -> Iterator[None]:
    """Say how to install scipy where it is imported but not there."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "scipy":
            raise
        raise MissingExtra("scipy", "report") from None
