"""Planning with operators that a model wrote, and executing the plans where the true ones hold."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from plangauge.core.errors import Error
from plangauge.core.model import Action, Plan
from plangauge.households.eagent.transitions_read import Operator, Operators
from plangauge.reachability.problems import ground_with_goal
from plangauge.reachability.serial import some_plan
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import read_problem
from plangauge.worlds.simulate import simulate

_COMMENT = re.compile(r";[^\n]*")
_TYPE = re.compile(r"\s-\s+[\w-]+")
_PREDICATES = re.compile(r"\(\s*:predicates\b")


@dataclass(frozen=True)
class Plans:
    """How planning with operators went.

    The scores are in [0, 1]: ``solves``, whether a plan was found that reaches the goal with the
    true operators; ``executable_prefix``, how much of it they can execute (None for no plan);
    ``gold_executable``, whether a true plan can be executed with the operators (None where no true
    plan is known).
    """

    scores: Mapping[str, float | None]
    plan: Plan | None


class Planning:
    """A problem, to be solved with operators; ``predicates`` is its domain without actions.

    Types of predicates are ignored, as by Fast Downward, with which the original plans: some of its
    own problems do not keep to them.
    """

    def __init__(self, predicates: str, problem: str, gold: Operators, asked: Operators) -> None:
        self._predicates, self._text = _untyped(predicates), problem
        self._gold, self._asked = gold, asked

    def published(self, operators: Operators) -> bool:
        """Return whether some plan is found with operators and the true ones of other names.

        First only those that are asked for are used, as fewer are searched faster.
        """
        others = [(name, each) for name, each in self._gold.items() if name not in operators]
        whole = self._problem([*operators.items(), *others])
        if whole is None:
            return False
        few = [(name, each) for name, each in others if name in self._asked]
        part = self._problem([*operators.items(), *few])
        return self._plan(part) is not None or self._plan(whole) is not None

    def judged(self, operators: Operators) -> Plans:
        """Return how planning goes with these operators only; what is malformed is not there."""
        problem = self._problem(operators.items())
        if problem is None:
            operators = {n: e for n, e in operators.items() if self._problem([(n, e)]) is not None}
            problem = self._problem(operators.items())
        if not operators or problem is None:
            gold = None if self.gold_plan is None else 0.0
            none = {"solves": 0.0, "executable_prefix": None, "gold_executable": gold}
            return Plans(none, None)
        names = [*operators]
        found = self._plan(problem)
        plan = None if found is None else _renamed(found, names)
        solves, prefix = self._executed(plan)
        gold = None
        if self.gold_plan is not None:
            run = simulate(problem, _numbered(self.gold_plan, names))
            gold = float(run.executable)
        scores = {"solves": solves, "executable_prefix": prefix, "gold_executable": gold}
        return Plans(scores, plan)

    @cached_property
    def gold_problem(self) -> Problem[int] | None:
        """The problem with the true operators."""
        return self._problem(self._gold.items())

    @cached_property
    def gold_plan(self) -> Plan | None:
        """Some plan with the true operators that are asked for; None where none was found."""
        found = self._plan(self._problem(self._asked.items()))
        return None if found is None else _renamed(found, [*self._asked])

    def _executed(self, plan: Plan | None) -> tuple[float, float | None]:
        """Return whether a plan reaches the goal with the true operators, and its share that is."""
        if plan is None or self.gold_problem is None:
            return 0.0, None
        run = simulate(self.gold_problem, _numbered(plan, [*self._gold]))
        steps, taken = len(plan.steps), sum(1 for _ in run.taken)
        return float(run.valid), taken / steps if steps else 1.0

    def _problem(self, operators: Iterable[tuple[str, Operator]]) -> Problem[int] | None:
        """Return the problem with operators, named by their numbers; None where one is wrong."""
        texts = [
            f"(:action o{number} :parameters {each.parameters}"
            f" :precondition {each.precondition} :effect {each.effect})"
            for number, (_, each) in enumerate(operators)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return read_problem("\n".join([self._predicates, *texts, ")"]), self._text)
            except Error:
                return None

    @staticmethod
    def _plan(problem: Problem[int] | None) -> Plan | None:
        try:
            return None if problem is None else some_plan(ground_with_goal(problem))
        except Error:  # too large
            return None


def _untyped(domain: str) -> str:
    """Return a domain without comments, and without the types of what predicates are about."""
    text = _COMMENT.sub("", domain)
    found = _PREDICATES.search(text)
    if found is None:
        return text
    return text[: found.start()] + _TYPE.sub("", text[found.start() :])


def _renamed(plan: Plan, names: list[str]) -> Plan:
    return Plan.of(*[Action(names[int(a.name[1:])], a.args) for a in plan.actions])


def _numbered(plan: Plan, names: list[str]) -> Plan:
    """Return a plan with the numbers of operators; of unknown ones a name that no one has."""
    numbers = {name: f"o{number}" for number, name in enumerate(names)}
    return Plan.of(*[Action(numbers.get(a.name, "unknown"), a.args) for a in plan.actions])
