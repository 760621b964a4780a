"""Transition modelling on both data sets: operators compared with the true ones, and planned with.

Counts are ``[right, wrong, missed]``, of names of predicates as published and of literals by
default. docs/eagent.md lists where the two differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from plangauge.core.model import Fault, Plan
from plangauge.households.eagent.logic_score import EMPTY, compare
from plangauge.households.eagent.operator_plans import Planning
from plangauge.households.eagent.outcome import Dataset, Entry, Outcome, Outcomes
from plangauge.households.eagent.resources import (
    BEHAVIOR,
    VIRTUALHOME,
    precision_recall_f1,
    read_prompts,
    read_resource,
    share,
)
from plangauge.households.eagent.transitions_read import (
    Literal,
    NoOperators,
    Operator,
    Operators,
    literals,
    read_operators,
    read_published,
)
from plangauge.households.fetch import read_member

CATEGORIES = (
    "object_states",
    "object_orientation",
    "object_affordance",
    "spatial_relations",
    "non-spatial_relations",
    "object_tools",
)
_PARTS = ("precond", "effect")
_KINDS = ("predicate_type_res", "action_type", "predicate_score")
_PROMPTS = {
    "virtualhome": f"{VIRTUALHOME}/evaluation/transition_modeling/prompts/helm_prompts.json",
    "behavior": f"{BEHAVIOR}/evaluation/transition_modeling/resources/prompts/helm_prompts.json",
}
_LONGEST_KNOWN = 2_000
_FILES = {
    "virtualhome": "helm_prompt.json",
    "behavior": "transition_modeling_prompts.json",
}

Counts = dict[str, list[int]]


@dataclass(frozen=True, eq=False)
class Task:
    """The operators that are asked for, and the problem that they are to solve."""

    asked: Operators
    """The true operators that are asked for."""
    categories: tuple[str, ...]
    """What the task belongs to in the summary."""
    category_of: Mapping[str, str]
    """Predicate → category."""
    gold: Operators
    """All true operators of the data set."""
    predicates: str
    """The domain without actions, open at the end."""
    root: Path
    file: str
    """The file of the problem."""
    prompt: str

    @cached_property
    def planning(self) -> Planning:
        """What plans for the problem."""
        text = read_member(self.root, self.file).decode("utf-8", "replace")
        return Planning(self.predicates, text, self.gold, self.asked)


def load(dataset: str, root: Path) -> dict[str, Task]:
    """Return the tasks by their identifiers; raises `ProblemError` where data is missing."""
    folder = f"{VIRTUALHOME}/resources/{dataset}"
    read = partial(read_resource, root)
    asked, categories = read(f"{folder}/id2action.json"), read(f"{folder}/id2category_2.json")
    category_of = read(f"{folder}/predicates_category.json")
    gold = {name: _gold(each) for name, each in read(f"{folder}/gold_action.json").items()}
    predicates = read_member(root, f"{folder}/{dataset}_pd.pddl").decode()
    prompts = read_prompts(root, _PROMPTS[dataset])
    names = read(f"{VIRTUALHOME}/resources/virtualhome/id2task.json")
    tasks = {}
    for identifier in read(f"{folder}/success_task.json"):
        group = f"{'_'.join(names[identifier].split())}/" if dataset == "virtualhome" else ""
        tasks[identifier] = Task(
            {name: gold[name] for name in asked[identifier]},
            tuple(categories[identifier]),
            category_of,
            gold,
            predicates,
            root,
            f"{folder}/problem_pddl/{group}{identifier}.pddl",
            prompts.get(identifier, ""),
        )
    return tasks


def _gold(row: Mapping[str, str]) -> Operator:
    return Operator(row["action_parameters"], row["action_preconditions"], row["action_effects"])


# --- evaluation ---------------------------------------------------------------------------------


def evaluate(task: Task, entry: Entry, as_published: bool = False) -> Outcome:
    """Return what becomes of a response: its operators compared, and a plan made with them."""
    operators = read(entry["llm_output"], as_published)
    if operators is None:
        return _malformed()
    tally = compared(task, operators, as_published)
    if as_published:
        solved = task.planning.published(operators)
        return _outcome(task, operators, tally, {"solves": float(solved)})
    plans = task.planning.judged(operators)
    return _outcome(task, operators, tally, plans.scores, plans.plan)


def read(text: str, as_published: bool = False) -> Operators | None:
    """Return the operators in a response; None where the original finds a format error."""
    if not as_published:
        return read_operators(text)
    try:
        return read_published(text)
    except NoOperators:
        return None


class Tally:
    """What is counted of a response, by category, action and predicate."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[tuple[str, int]]] = {
            f"{part}_{kind}": Counter() for part in _PARTS for kind in _KINDS
        }
        self.overall = [0, 0, 0]
        self.invented = 0
        self.read = 0

    def add(
        self, part: str, action: str, predicate: str, category: str, column: int, times: int = 1
    ) -> None:
        """Count a predicate as right (0), wrong (1) or missed (2)."""
        self.overall[column] += times
        for kind, name in zip(_KINDS, (category, action, predicate), strict=True):
            self.counts[f"{part}_{kind}"][name, column] += times

    def shown(self) -> dict[str, Any]:
        """Return the counts as the original has them, without those that are zero."""
        found: dict[str, Any] = {}
        for key, counts in self.counts.items():
            rows: Counts = {}
            for (name, column), number in counts.items():
                rows.setdefault(name, [0, 0, 0])[column] += number
            found[key] = rows
        return found


def compared(task: Task, operators: Operators, as_published: bool = False) -> Tally:
    """Return how operators compare to those asked for; without planning."""
    tally = Tally()
    for name, operator in operators.items():
        tally.read += 1
        if name not in task.asked:
            tally.invented += 1
            if not as_published:
                _count_literals(task, name, operator, Operator("()", "()", "()"), tally)
        elif as_published:
            _count_names(task, name, operator, tally)
        else:
            _count_literals(task, name, operator, task.asked[name], tally)
    if not as_published:
        for name in task.asked:
            if name not in operators:
                _count_literals(task, name, Operator("()", "()", "()"), task.asked[name], tally)
    return tally


def _count_names(task: Task, name: str, operator: Operator, tally: Tally) -> None:
    gold = task.asked[name]
    for part, predicted, true in zip(_PARTS, operator[1:], gold[1:], strict=True):
        found = (_known if len(predicted) < _LONGEST_KNOWN else compare)(predicted, true)
        for column, names in enumerate((found.right, found.wrong, found.missed)):
            for predicate in sorted(names - {EMPTY}):
                if predicate in task.category_of:
                    tally.add(part, name, predicate, task.category_of[predicate], column)


def _count_literals(
    task: Task, name: str, operator: Operator, gold: Operator, tally: Tally
) -> None:
    for part, effect in zip(_PARTS, (False, True), strict=True):
        said, true = _literals(operator, effect), _literals(gold, effect)
        for column, found in enumerate((said & true, said - true, true - said)):
            for literal, times in found.items():
                category = task.category_of.get(literal[2], "unknown")
                tally.add(part, name, literal[2], category, column, times)


_known = lru_cache(maxsize=1024)(compare)


def _literals(operator: Operator, effect: bool) -> Counter[Literal]:
    """Return the literals of an operator; those of a usual one, which many answers share, once."""
    short = sum(map(len, operator)) < _LONGEST_KNOWN
    return (_known_literals if short else literals)(operator, effect)


_known_literals = lru_cache(maxsize=1024)(literals)


def _outcome(
    task: Task,
    operators: Operators,
    tally: Tally,
    plans: Mapping[str, float | None],
    plan: Plan | None = None,
) -> Outcome:
    solved = int(plans["solves"] == 1)
    result = {
        **tally.shown(),
        "success_by_task_type": {name: [solved, 1] for name in task.categories},
        "action_variate_control": {name: [0, 1] for name in task.asked},
        "format_wrong_num": 0,
        "hallucination_num": tally.invented,
        "total_predict_action_num": tally.read,
    }
    values = precision_recall_f1(*tally.overall)
    scores = dict(zip(("precision", "recall", "f1"), values, strict=True)) | dict(plans)
    none = not operators
    return Outcome(
        scores,
        {},
        {},
        fault=Fault.PARSING.value if none else None,
        message="there is no operator" if none else None,
        success=bool(solved),
        read=tuple(f"{name} {' '.join(each)}" for name, each in operators.items()),
        result=result,
        notes={"plan": None if plan is None else [*map(str, plan.actions)]},
    )


def _malformed() -> Outcome:
    """Return the outcome of what the original leaves out of its counts altogether."""
    scores: dict[str, float | None] = dict.fromkeys(("precision", "recall", "f1", "solves"), 0.0)
    message = "the output is no text, or its operators have no form"
    return Outcome(
        scores,
        {},
        {},
        fault=Fault.PARSING.value,
        message=message,
        result={"format_wrong_num": 1},
    )


# --- results ------------------------------------------------------------------------------------


class _Rates:
    """Precision, recall, F1 and success by category, in per cent."""

    def summary(self, outcomes: Outcomes) -> dict[str, Any]:
        """Return the rates of a model: for each category that its tasks have, and all together."""
        counts: dict[str, list[int]] = {name: [0, 0, 0] for name in (*CATEGORIES, "unknown")}
        success: dict[str, list[int]] = {}
        for _, outcome in outcomes:
            for part in _PARTS:
                for name, row in outcome.result.get(f"{part}_predicate_type_res", {}).items():
                    counts[name] = [a + b for a, b in zip(counts[name], row, strict=True)]
            for name, row in outcome.result.get("success_by_task_type", {}).items():
                old = success.get(name, [0, 0])
                success[name] = [a + b for a, b in zip(old, row, strict=True)]
        total = [sum(each) for each in zip(*counts.values(), strict=True)]
        whole = [sum(each) for each in zip(*success.values(), strict=True)] or [0, 0]
        rows = {name: (counts[name], success[name]) for name in CATEGORIES if name in success}
        return {name: _rates(*each) for name, each in {**rows, "overall": (total, whole)}.items()}


def _rates(counts: list[int], success: list[int]) -> dict[str, float]:
    values = (*precision_recall_f1(*counts), share(*success))
    names = ("precision", "recall", "f1", "planner_success_rate")
    return {name: round(100.0 * value, 4) for name, value in zip(names, values, strict=True)}


_RATES = _Rates()


def _prompts(tasks: Mapping[str, Task]) -> Iterator[tuple[str, str]]:
    return ((identifier, task.prompt) for identifier, task in tasks.items())


def _dataset(name: str) -> Dataset:
    loads: Callable[[Path], Mapping[str, Task]] = partial(load, name)
    return Dataset(
        name,
        _FILES[name],
        loads,
        _prompts,
        evaluate,
        _RATES,
        {"{}/summary.json": _RATES.summary},
        task="schema-v1",
        primary="f1",
        shown={
            f"{part} {rate}": (part, rate)
            for part in ("overall",)
            for rate in ("precision", "recall", "f1", "planner_success_rate")
        },
    )


DATASETS = {name: _dataset(name) for name in _PROMPTS}
"""Transition modelling by data set."""
