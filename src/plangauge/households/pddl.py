"""The household tasks in PDDL, as the Embodied Agent Interface has them for transition modelling.

Types of predicates are left out, as by Fast Downward, with which the original plans: many of its
own problems do not keep to them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from plangauge.core.errors import ProblemError
from plangauge.households.fetch import EAI, read_json, read_member

_RESOURCES = f"{EAI.folder}/virtualhome_eval/resources"
_COMMENT = re.compile(r";[^\n]*")
_TYPE = re.compile(r"\s-\s+[\w-]+")
_PREDICATES = re.compile(r"\(\s*:predicates\b")


class Operator(NamedTuple):
    """The texts of an action's parameters, precondition and effect, each in parentheses."""

    parameters: str
    precondition: str
    effect: str

    def written(self, name: str) -> str:
        """Return the action in PDDL."""
        return (
            f"(:action {name} :parameters {self.parameters}"
            f" :precondition {self.precondition} :effect {self.effect})"
        )


Operators: TypeAlias = Mapping[str, Operator]


@dataclass(frozen=True)
class PddlTasks:
    """The tasks of a data set in PDDL; ``root`` is the folder with the data."""

    dataset: str
    root: Path

    @property
    def name(self) -> str:
        """The name of the domain in suites."""
        return f"{self.dataset}-pddl"

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The tasks; raises `ProblemError`, as all that follows, where data is missing."""
        return tuple(self.read("success_task.json"))

    @cached_property
    def operators(self) -> Operators:
        """All actions of the data set."""
        keys = ("action_parameters", "action_preconditions", "action_effects")
        rows = self.read("gold_action.json")
        return {name: Operator(*(row[key] for key in keys)) for name, row in rows.items()}

    @cached_property
    def predicates(self) -> str:
        """The domain without actions and comments, open at the end."""
        text = read_member(self.root, f"{self._folder}/{self.dataset}_pd.pddl").decode()
        text = _COMMENT.sub("", text)
        found = _PREDICATES.search(text)
        start = found.start() if found else len(text)
        return text[:start] + _TYPE.sub("", text[start:])

    @cached_property
    def domain(self) -> str:
        """The whole domain."""
        written = (each.written(name) for name, each in self.operators.items())
        return "\n".join([self.predicates.rstrip(), *written, ")", ""])

    def problem(self, identifier: str) -> str:
        """Return the problem of a task; raises `ProblemError` where it has none."""
        if identifier not in self.identifiers:
            raise ProblemError("the task has no problem in PDDL")
        group = f"{self._groups[identifier]}/" if self.dataset == "virtualhome" else ""
        file = f"{self._folder}/problem_pddl/{group}{identifier}.pddl"
        return read_member(self.root, file).decode("utf-8", "replace")

    def read(self, name: str) -> Any:
        """Return what is in a JSON file of the data set."""
        return read_json(self.root, f"{self._folder}/{name}")

    @property
    def _folder(self) -> str:
        return f"{_RESOURCES}/{self.dataset}"

    @cached_property
    def _groups(self) -> Mapping[str, str]:
        """The folders of the problems."""
        names = read_json(self.root, f"{_RESOURCES}/virtualhome/id2task.json")
        return {identifier: "_".join(name.split()) for identifier, name in names.items()}
