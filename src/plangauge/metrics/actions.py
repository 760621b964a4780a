"""Metrics of two plans as sets or multisets of actions: neither order nor grouping matters."""

from __future__ import annotations

from plangauge.metrics.base import ratio
from plangauge.metrics.compare import Comparison, plan_metric

_SETS = ("distinct_shared", "distinct_candidate", "distinct_reference")
_MULTISETS = ("actions_shared", "actions_candidate", "actions_reference")


@plan_metric(symmetric=True, empty=1.0, counts="set", reads=_SETS)
def jaccard(pair: Comparison) -> float:
    """Different actions in both plans over different actions in either, in [0, 1]; both empty 1.

    GAICo's PlanningJaccard; the similarity of Srivastava et al. 2007 and of diversescore.

    >>> jaccard(["a", "b", "c"], ["b", "c", "d"])
    0.5
    """
    return ratio(pair.distinct_shared, _union(pair), empty=1.0)


@plan_metric(symmetric=True, empty=0.0, counts="set", better="lower", reads=_SETS)
def action_distance(pair: Comparison) -> float:
    """1 - `jaccard`, in [0, 1]; both empty 0. A true metric; 0 does not mean a valid plan.

    The action distance of Nguyen et al. 2012. Coman and Muñoz-Avila 2011 use 1 - F1 instead, and
    Fox et al. 2006 the number of different actions.

    >>> action_distance(["a", "b"], ["b"])
    0.5
    """
    return 1.0 - ratio(pair.distinct_shared, _union(pair), empty=1.0)


@plan_metric(symmetric=True, empty=0.0, counts="set", better="lower", reads=_SETS)
def uniqueness(pair: Comparison) -> float:
    """0 where the actions of one plan contain those of the other, else 1; both empty 0.

    Roberts, Howe and Ray 2014, as a distance. A single empty plan gets 1, as in diversescore,
    though the empty set is contained in every set.

    >>> uniqueness(["a", "b"], ["b"]), uniqueness(["a", "b"], ["b", "c"])
    (0.0, 1.0)
    """
    one, other, shared = pair.distinct_candidate, pair.distinct_reference, pair.distinct_shared
    return 1.0 * ((shared < one) & (shared < other) | ((one == 0) != (other == 0)))


@plan_metric(symmetric=False, empty=1.0, counts="multiset", reads=_MULTISETS)
def precision(pair: Comparison) -> float:
    """Share of the candidate's actions that are in the reference, in [0, 1]; both empty 1.

    Each action counts as often as the plan with fewer of it has it, as in Azure's task
    navigation; Vertex AI does not say. An empty candidate has no precision; it gets 0.

    >>> precision(["a", "a", "b"], ["a", "b"]) == 2 / 3
    True
    """
    empty = 1.0 * (pair.actions_reference == 0)
    return ratio(pair.actions_shared, pair.actions_candidate, empty)


@plan_metric(symmetric=False, empty=1.0, counts="multiset", reads=_MULTISETS)
def recall(pair: Comparison) -> float:
    """Share of the reference's actions that are in the candidate, in [0, 1]; both empty 1.

    Each action counts as often as the plan with fewer of it has it. An empty reference has no
    recall; other plans get 0.

    >>> recall(["a", "b"], ["a", "a", "b", "c"])
    0.5
    """
    empty = 1.0 * (pair.actions_candidate == 0)
    return ratio(pair.actions_shared, pair.actions_reference, empty)


@plan_metric(symmetric=True, empty=1.0, counts="multiset", reads=_MULTISETS)
def f1(pair: Comparison) -> float:
    """Twice the shared actions over all actions of both, in [0, 1]; both empty 1, one empty 0.

    The harmonic mean of `precision` and `recall`; Dice's coefficient of multisets. Ragas gives
    two empty plans 0.

    >>> f1(["a", "b", "c"], ["a"])
    0.5
    """
    total = pair.actions_candidate + pair.actions_reference
    return ratio(2 * pair.actions_shared, total, empty=1.0)


@plan_metric(symmetric=False, empty=1.0, counts="multiset", reads=_MULTISETS)
def any_order_match(pair: Comparison) -> float:
    """Whether the candidate contains every action of the reference, others allowed: 1 or 0.

    ADK ANY_ORDER: as often as the reference has it. An empty reference is always contained.

    >>> any_order_match(["b", "x", "a"], ["a", "b"]), any_order_match(["a"], ["a", "a"])
    (1.0, 0.0)
    """
    return 1.0 * (pair.actions_shared == pair.actions_reference)


@plan_metric(symmetric=False, empty=1.0, counts="multiset", reads=_MULTISETS)
def superset_match(pair: Comparison) -> float:
    """Whether the candidate's actions are a superset of the reference's: 1 or 0.

    agentevals' name for `any_order_match` with exact arguments.

    >>> superset_match(["a", "b"], ["a"]), superset_match(["a"], ["a", "b"])
    (1.0, 0.0)
    """
    return 1.0 * (pair.actions_shared == pair.actions_reference)


@plan_metric(symmetric=False, empty=1.0, counts="multiset", reads=_MULTISETS)
def subset_match(pair: Comparison) -> float:
    """Whether the candidate's actions are a subset of the reference's: 1 or 0.

    agentevals ``subset``: no action too many. An empty candidate is always contained.

    >>> subset_match(["a"], ["a", "b"]), subset_match(["a", "b"], ["a"])
    (1.0, 0.0)
    """
    return 1.0 * (pair.actions_shared == pair.actions_candidate)


@plan_metric(symmetric=True, empty=1.0, counts="multiset", reads=_MULTISETS)
def unordered_match(pair: Comparison) -> float:
    """Whether both plans have the same actions, each equally often, in any order: 1 or 0.

    agentevals ``unordered``: subset and superset. Both empty 1.

    >>> unordered_match(["a", "b"], ["b", "a"])
    1.0
    """
    shared = pair.actions_shared
    return 1.0 * ((pair.actions_candidate == shared) & (shared == pair.actions_reference))


def _union(pair: Comparison) -> int:
    return pair.distinct_candidate + pair.distinct_reference - pair.distinct_shared
