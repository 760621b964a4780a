"""The planning metrics of GAICo under their own names, with the same ``calculate``.

By default they do what GAICo documents: commas inside parentheses belong to the action. With
``as_published=True`` they give the scores that GAICo 0.4.0 gives, to the last bit: it splits there.

In both modes these defects of GAICo are corrected:

* A missing reference (None, NaN, nothing in the container) is a ``ValueError``; GAICo compares the
  output with itself and returns 1.0. A blank text as the only reference is missing for GAICo too,
  so it is with ``as_published``; by default it is the empty plan, as documented.
* A missing output scores 0.0; GAICo reads it as the action ``None`` or ``nan``.
* Lists of actions in place of texts are plans; GAICo compares what ``repr`` makes of them.
* Any index of a Series will do, and an array of one score stays an array.
* ``bytes`` and sets of several texts, which have no order, are a ``TypeError``.
* ``seed=`` is ignored, as all arguments are that these metrics have no use for.

By default an output whose brackets do not match scores 0.0, like anything unreadable in plangauge;
a reference of that kind is a `ParseError`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, TypeAlias

from plangauge.core.model import Action, Plan
from plangauge.metrics.batch import in_same_container, is_array, is_missing, is_series, score_rows

Given: TypeAlias = Any
"""One text, or a list, array, Series, … of texts; what comes out is of the kind that went in."""


class _PlanningMetric:
    """The common base of the metrics."""

    _metric: ClassVar[str]

    def __init__(self, *, as_published: bool = False, **_: object) -> None:
        self._as_published = as_published

    def calculate(self, generated: Given, reference: Given, **_: object) -> Given:
        """Return the score of a text, or the scores of many, each in [0, 1].

        One text and one reference give a float; an array gives an array, a Series a Series with
        its index, everything else a list. One side of length 1 serves all items of the other.
        """
        if generated is None:
            raise ValueError("generated is missing")
        outputs, one_output = _items(generated)
        references, one_reference = _items(reference)
        self._require(reference, references)
        if len(outputs) == 1:
            outputs *= len(references)
        elif len(references) == 1 and outputs:
            references *= len(outputs)
        if len(outputs) != len(references):
            raise ValueError(f"{len(outputs)} outputs, but {len(references)} references")
        notation = "gaico" if self._as_published else "braces"
        plans, wanted = list(map(_plan, outputs)), list(map(_plan, references))
        if self._as_published:
            plans, wanted = list(map(_as_text, plans)), list(map(_as_text, wanted))
        scores = score_rows(plans, wanted, [self._metric], notation=notation)[self._metric]
        if one_output and one_reference:
            return scores[0]
        return in_same_container(_container(generated, len(scores)), scores)

    def _require(self, reference: Given, references: list[Any]) -> None:
        """Raise ``ValueError`` where a reference is missing."""
        blank = isinstance(reference, str) and not reference.strip()
        if is_missing(reference) or not references or (blank and self._as_published):
            raise ValueError("reference is missing")
        for row, item in enumerate(references):
            if is_missing(item):
                raise ValueError(f"reference {row} is missing")


class PlanningLCS(_PlanningMetric):
    """Longest common subsequence over the longer plan; see `plangauge.metrics.sequences.lcs`.

    >>> plan = "pickup(A), stack(A,B), {noop1, noop2}, pickup(C)"
    >>> reference = "pickup(A), stack(A,B), pickup(C)"
    >>> [PlanningLCS(as_published=old).calculate(plan, reference) for old in (False, True)]
    [0.75, 0.8]
    """

    _metric = "lcs"


class ActionSequenceDiff(PlanningLCS):
    """The name that PlanningLCS had before GAICo's first release with it.

    >>> ActionSequenceDiff().calculate(["a, b", "c"], "a")
    [0.5, 0.0]
    """


class PlanningJaccard(_PlanningMetric):
    """Different actions in both plans over those in either; `plangauge.metrics.actions.jaccard`.

    >>> plan, reference = "pickup(A), {stack(A,B), noop}", "pickup(A), stack(A,B), drop(B)"
    >>> PlanningJaccard().calculate(plan, reference)
    0.5
    """

    _metric = "jaccard"


def _items(given: Given) -> tuple[list[Any], bool]:
    """Return the items, and whether a single one was given instead of a collection."""
    if isinstance(given, (bytes, bytearray)):
        raise TypeError("bytes are no text; decode them first")
    if isinstance(given, (list, tuple)) or is_series(given):
        return list(given), False
    if is_array(given):
        return (list(given), False) if given.ndim else ([given.item()], True)
    items = _loose_items(given)
    return items, len(items) == 1


def _loose_items(given: Given) -> list[Any]:
    if _is_frame(given):
        return list(given.to_numpy())
    if isinstance(given, Mapping):
        return list(given.values())
    if isinstance(given, AbstractSet) and len(given) > 1:
        raise TypeError("a set of plans has no order")
    iterable = isinstance(given, Iterable) and not isinstance(given, (str, Plan))
    return list(given) if iterable else [given]


def _plan(item: Given) -> Plan | str | None:
    """Return a plan or its text; None for a missing one."""
    if isinstance(item, (str, Plan)):
        return item
    if is_missing(item):
        return None
    if isinstance(item, (list, tuple)) or is_array(item):
        return ", ".join(map(_element, item))
    return str(item)


def _as_text(item: Plan | str | None) -> str | None:
    """Return a plan as a text for GAICo to split, everything else as it is."""
    if not isinstance(item, Plan):
        return item
    return ", ".join(_element(next(iter(step)) if len(step) == 1 else step) for step in item)


def _element(element: Given) -> str:
    if isinstance(element, Action):
        return f"{element.name}({','.join(element.args)})" if element.args else element.name
    if isinstance(element, AbstractSet):
        return "{" + ", ".join(sorted(map(_element, element))) + "}"
    return str(element)


def _container(generated: Given, size: int) -> Given:
    """Return the container that determines the type of the scores."""
    if _is_frame(generated):
        return generated.to_numpy()
    if is_series(generated) and len(generated) != size:
        return None  # one label cannot serve several scores
    return generated


def _is_frame(given: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)
