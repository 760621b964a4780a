"""What becomes of BEHAVIOR responses: what is counted, records, and the summary of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from plangauge.bddl.problem import BINARY, UNARY
from plangauge.model import Fault
from plangauge.parse.base import Status
from plangauge.records import Record

Result: TypeAlias = dict[str, Any]

_KINDS = ("edge", "node")
_RELATIONS = frozenset(BINARY) - {"touching"}
_STATES = frozenset(UNARY)
_ERRORS = {
    "wrong_order": "ErrorType.WRONG_TEMPORAL_ORDER",
    "missing_step": "ErrorType.MISSING_STEP",
    "affordance": "ErrorType.AFFORDANCE_ERROR",
    "additional_step": "ErrorType.ADDITIONAL_STEP",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a response; plain values, to be sent between processes.

    ``result`` is EAI's ``llm_rst``. With ``counted`` False EAI's own evaluation ends in an
    exception, so that the task is missing from its results. ``fault`` is the first that is no
    additional step, None for an executable plan; ``faults`` are all, with step, action, message and
    unmet conditions.
    """

    result: Mapping[str, Any]
    counted: bool = True
    fault: str | None = None
    message: str | None = None
    read: tuple[str, ...] = ()
    """The actions that were read."""
    faults: tuple[Mapping[str, Any], ...] = ()
    missed: tuple[str, ...] = field(default=())
    """The conditions of the goal that are not met, as prompts show them."""


def record_of(identifier: str, model: str, outcome: Outcome) -> Record:
    """Return the record of a response; a task that is not counted has no scores."""
    scores = _scores(outcome.result)
    if not outcome.counted:
        scores = dict.fromkeys(scores)
    return Record(
        sample=identifier,
        problem=identifier,
        domain="behavior",
        task="action-sequencing",
        model=model,
        epoch=1,
        status=(Status.NO_ANSWER if outcome.fault == Fault.PARSING else Status.OK).value,
        stop_reason=None,
        primary="success",
        score=scores["success"],
        scores=scores,
        fault=outcome.fault,
        read=list(outcome.read),
        notes={
            "counted": outcome.counted,
            "message": outcome.message,
            "faults": list(outcome.faults),
            "goal_missed": list(outcome.missed),
        },
    )


def _scores(result: Mapping[str, Any]) -> dict[str, float | None]:
    goal = result["goal_rst"]

    def share(kind: str) -> float | None:
        total = goal[f"tot_{kind}predicates"]
        return goal[f"satisfied_{kind}predicates"] / total if total else None

    return {
        "success": float(goal["all_goal_satisfied_graph"] is True),
        "executable": float(result["error_type"]["execution_success"]),
        "state_goal": share("node_"),
        "relation_goal": share("edge_"),
        "total_goal": share(""),
    }


@dataclass(frozen=True)
class Counts:
    """The conditions of a goal: which predicates each mentions."""

    mentioned: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, words: Iterable[Sequence[str]]) -> Counts:
        """Return the counts of the conditions that these lists of words are."""
        known = _RELATIONS | _STATES
        return cls(tuple(tuple(dict.fromkeys(w for w in each if w in known)) for each in words))

    def partial(self, satisfied: Sequence[bool]) -> dict[str, float]:
        """Return the numbers of conditions, and of those that are satisfied, by kind.

        A condition about relations counts as an edge, one about unary states as a node, one about
        both as half of either.

        >>> counts = Counts.of([["inside", "a", "b"], ["and", "open", "b", "ontop", "c", "b"]])
        >>> found = counts.partial([True, False])
        >>> found["tot_edge_predicates"], found["satisfied_edge_predicates"]
        (1.5, 1.0)
        """
        edges, nodes, pure = (
            [0.0, 0.0],
            [0.0, 0.0],
            {"edge": [0, 0], "node": [0, 0], "mixed": [0, 0]},
        )
        for mentioned, is_met in zip(self.mentioned, satisfied, strict=True):
            edge = not _RELATIONS.isdisjoint(mentioned)
            node = not _STATES.isdisjoint(mentioned)
            kind = "mixed" if edge and node else "edge" if edge else "node" if node else ""
            share = 0.5 if kind == "mixed" else 1.0
            for index in range(1 + is_met) if kind else ():
                edges[index] += share * edge
                nodes[index] += share * node
                pure[kind][index] += 1
        found: dict[str, float] = {}
        for index, prefix in enumerate(("tot", "satisfied")):
            found[f"{prefix}_predicates"] = edges[index] + nodes[index]
            found[f"{prefix}_edge_predicates"] = edges[index]
            found[f"{prefix}_node_predicates"] = nodes[index]
        for index, prefix in enumerate(("", "satisfied_")):
            for kind in _KINDS:
                found[f"{prefix}pure_{kind}_predicates"] = pure[kind][index]
            found[f"{prefix}mixed_predicates"] = pure["mixed"][index]
        return found

    def by_predicate(self, satisfied: Sequence[bool]) -> dict[str, dict[str, float]]:
        """Return for each predicate how many conditions mention it, and how many of them are met.

        >>> Counts.of([["open", "a"], ["not", "open", "b"]]).by_predicate([True, False])
        {'open': {'total': 2, 'satisfied': 1, 'satisfied_rate': 0.5}}
        """
        found: dict[str, list[bool]] = {}
        for mentioned, is_met in zip(self.mentioned, satisfied, strict=True):
            for predicate in mentioned:
                found.setdefault(predicate, []).append(is_met)
        return {
            predicate: {
                "total": len(met),
                "satisfied": sum(met),
                "satisfied_rate": sum(met) / len(met),
            }
            for predicate, met in found.items()
        }


def summary_of(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return EAI's summary of the results of a model, rounded to 4 digits.

    Rates are over the results that are there; goals are counted over all of them together. What
    would be divided by 0 is 0.
    """
    goals = [result["goal_rst"] for result in results]
    errors = [result["error_type"] for result in results]
    number = len(results)

    def share(kind: str) -> float:
        met = sum(goal[f"satisfied_{kind}predicates"] for goal in goals)
        return _rate(met, sum(goal[f"tot_{kind}predicates"] for goal in goals))

    def with_error(key: str) -> float:
        return _rate(sum(error.get(key) is not None for error in errors), number)

    return {
        "goal_evaluation": {
            "task_success_rate": _rate(
                sum(goal["all_goal_satisfied_graph"] is True for goal in goals), number
            ),
            "state_goal": share("node_"),
            "relation_goal": share("edge_"),
            "action_goal": 0,
            "total_goal": share(""),
        },
        "trajectory_evaluation": {
            "execution_success_rate": _rate(
                sum(error["execution_success"] for error in errors), number
            ),
            "grammar_error": {
                "parsing": with_error("parsing"),
                "hallucination": with_error("hallucination"),
                "predicate_argument_number": with_error("arguments"),
            },
            "runtime_error": {name: with_error(key) for name, key in _ERRORS.items()},
        },
    }


def _rate(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
