"""Metrics of two plans as sequences of steps; a step of several actions matches only its equal."""

from __future__ import annotations

from plangauge.metrics.base import ratio
from plangauge.metrics.compare import Comparison, plan_metric

_LENGTHS = ("n_candidate", "n_reference")
_LCS = ("lcs", *_LENGTHS)


@plan_metric(symmetric=True, empty=1.0, counts="sequence")
def exact_match(pair: Comparison) -> float:
    """Whether both plans have the same steps in the same order: 1 or 0; both empty 1.

    Vertex AI ``trajectory_exact_match``.

    >>> exact_match(["a", "b"], ["a", "b"])
    1.0
    """
    return float(pair.equal)


@plan_metric(symmetric=True, empty=1.0, counts="sequence", reads=_LCS)
def lcs(pair: Comparison) -> float:
    """Longest common subsequence over the longer plan, in [0, 1]; both empty 1, one empty 0.

    The normaliser of GAICo's PlanningLCS and of Puig et al. 2018; 1 - lcs is a true metric
    (Bakkelund 2009). Others divide by the reference (`lcs_recall`) or the mean length (`lcs_f1`).

    >>> lcs(["a", "x", "b", "c"], ["a", "b", "c"])
    0.75
    """
    return ratio(pair.lcs, pair.n_longer, empty=1.0)


@plan_metric(symmetric=False, empty=1.0, counts="sequence", reads=_LCS)
def lcs_precision(pair: Comparison) -> float:
    """Longest common subsequence over the candidate, in [0, 1]; both empty 1, one empty 0.

    ROUGE-L precision (Lin 2004) on steps. An empty candidate has no precision; it gets 0.

    >>> lcs_precision(["a", "x"], ["a", "b", "c"])
    0.5
    """
    return ratio(pair.lcs, pair.n_candidate, empty=1.0 * (pair.n_reference == 0))


@plan_metric(symmetric=False, empty=1.0, counts="sequence", reads=_LCS)
def lcs_recall(pair: Comparison) -> float:
    """Longest common subsequence over the reference, in [0, 1]; both empty 1, one empty 0.

    ROUGE-L recall (Lin 2004) on steps. An empty reference has no recall; other plans get 0.

    >>> lcs_recall(["a", "x"], ["a", "b"])
    0.5
    """
    return ratio(pair.lcs, pair.n_reference, empty=1.0 * (pair.n_candidate == 0))


@plan_metric(symmetric=True, empty=1.0, counts="sequence", reads=_LCS)
def lcs_f1(pair: Comparison) -> float:
    """Twice the longest common subsequence over both lengths, in [0, 1]; both empty 1.

    ROUGE-L with beta = 1 (Lin 2004); what rapidfuzz calls the normalised Indel similarity.

    >>> lcs_f1(["a", "b", "c"], ["a"])
    0.5
    """
    return ratio(2 * pair.lcs, pair.n_candidate + pair.n_reference, empty=1.0)


@plan_metric(
    symmetric=True, empty=0.0, counts="sequence", better="lower", reads=("levenshtein", *_LENGTHS)
)
def levenshtein(pair: Comparison) -> float:
    """Edits (insert, delete or replace a step) over the longer plan, in [0, 1]; both empty 0.

    So normalised it is no true metric; Yujian and Bo 2007 give one. The count itself is
    ``compare(candidate, reference).levenshtein``.

    >>> levenshtein(["a", "b", "c"], ["a", "c", "b"]) == 2 / 3
    True
    """
    return ratio(pair.levenshtein, pair.n_longer, empty=0.0)


@plan_metric(symmetric=True, empty=0.0, counts="sequence", better="lower", reads=("osa", *_LENGTHS))
def osa(pair: Comparison) -> float:
    """As `levenshtein`, but swapping two neighbours is one edit, over the longer plan, in [0, 1].

    Optimal string alignment: no step is edited twice, so it can exceed the unrestricted distance
    of Damerau and Levenshtein, which many papers name while computing this one. Both empty 0.

    >>> osa(["a", "b", "c"], ["a", "c", "b"]) == 1 / 3
    True
    """
    return ratio(pair.osa, pair.n_longer, empty=0.0)


@plan_metric(symmetric=True, empty=None, counts="sequence", bounds=(-1.0, 1.0))
def kendall_tau(pair: Comparison) -> float | None:
    """Agreement in the order of the shared steps, in [-1, 1]; None where fewer than 2 are shared.

    1 - 4 * inversions / (k * (k - 1)) for k shared steps (Lapata 2006, for sentences). The i-th
    occurrence of a step is matched with the i-th, so that there are no ties.

    >>> kendall_tau(["a", "x", "b"], ["b", "a"])
    -1.0
    >>> kendall_tau(["a"], ["a"]) is None
    True
    """
    shared = len(pair.paired)
    return None if shared < 2 else 1 - 4 * pair.inversions / (shared * (shared - 1))


@plan_metric(symmetric=False, empty=1.0, counts="sequence", reads=_LCS)
def in_order_match(pair: Comparison) -> float:
    """Whether the candidate contains the reference in order, other steps allowed: 1 or 0.

    Vertex AI ``trajectory_in_order_match``, ADK IN_ORDER. An empty reference is always contained.

    >>> in_order_match(["a", "x", "b"], ["a", "b"])
    1.0
    """
    return 1.0 * (pair.lcs == pair.n_reference)


@plan_metric(symmetric=True, empty=1.0, counts="sequence")
def common_prefix(pair: Comparison) -> float:
    """Length before the first difference, over the longer plan, in [0, 1]; both empty 1.

    No published normaliser: the longer plan is chosen, so that only equal plans get 1.

    >>> common_prefix(["a", "b", "c", "d"], ["a", "b", "x"])
    0.5
    """
    return ratio(pair.common_prefix, pair.n_longer, empty=1.0)


@plan_metric(
    symmetric=False,
    empty=1.0,
    counts="sequence",
    better="lower",
    bounds=(0.0, float("inf")),
    same=1.0,
)
def length_ratio(pair: Comparison) -> float | None:
    """Length of the candidate over that of the reference, at least 0; both empty 1.

    AutoPlanBench's length factor (Stein et al. 2023), there averaged over solved problems only.
    None where only the reference is empty. It has no worst value, so that an unreadable response
    gets None.

    >>> length_ratio(["a", "b", "c"], ["a", "c"])
    1.5
    """
    if pair.n_reference == 0 and pair.n_candidate > 0:
        return None
    return ratio(pair.n_candidate, pair.n_reference, empty=1.0)
