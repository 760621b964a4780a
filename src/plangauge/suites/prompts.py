"""What a model is asked: templates in files, filled with what is true of a problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from plangauge.domains.base import Domain
from plangauge.domains.say import say_goal, say_state
from plangauge.errors import ProblemError
from plangauge.model import Action, Fact
from plangauge.suites.costs import say_costs
from plangauge.suites.files import read_bytes, sha256
from plangauge.suites.variables import variables
from plangauge.tasks import Question
from plangauge.worlds.base import Problem, World

_SLOT = re.compile(r"\{([a-z_]+)\}")


def fill(template: str, values: Mapping[str, str], file: str = "template") -> str:
    """Return a template with each ``{name}`` replaced; other braces stay as they are.

    What is put in is never looked at again. Raises `ProblemError` for a name without a value.

    >>> fill('{state} Answer {"a": 1}.', {"state": "It is {goal}."})
    'It is {goal}. Answer {"a": 1}.'
    """

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in values:
            line = template.count("\n", 0, found.start()) + 1
            known = ", ".join(f"{{{key}}}" for key in values)
            message = f"nothing is called {{{name}}}; there are {known}"
            raise ProblemError(message, file=file, line=line)
        return values[name]

    return _SLOT.sub(value, template)


@dataclass(frozen=True)
class Prompts:
    """The templates: those of this package, and those of a folder instead of files of that name.

    ``system.txt`` is the system prompt, ``context.txt`` what ``{context}`` stands for, and each
    task has a file of its name without version.
    """

    folder: Path | None = None

    def text(self, name: str) -> str:
        """Return a template without the blanks at its end; raises `ProblemError` for none."""
        own = self.folder / f"{name}.txt" if self.folder else None
        if own is not None and own.is_file():
            return _decoded(read_bytes(own), str(own))
        shipped = files("plangauge.suites") / "templates" / f"{name}.txt"
        if not shipped.is_file():
            raise ProblemError(f"there is no prompt {name}.txt; write one, for --prompts")
        return _decoded(shipped.read_bytes(), str(shipped))

    @property
    def system(self) -> str:
        """The system prompt."""
        return self.text("system")

    def hashes(self, tasks: list[str]) -> dict[str, str]:
        """Return the SHA-256 of the templates that these tasks use."""
        names = ["system", "context", *map(stem, tasks)]
        return {name: sha256(self.text(name).encode()) for name in names}

    def prompt(self, told: Told, question: Question[Any]) -> str:
        """Return the question in words."""
        values = {**told.values, "steps": told.steps(question.actions)}
        values["context"] = fill(self.text("context"), values, "context.txt")
        name = stem(question.task)
        return fill(self.text(name), values, f"{name}.txt")


@dataclass(frozen=True)
class Told:
    """What can be told about a problem."""

    domain: Domain
    problem: Problem[Any]
    text: str
    """The problem file."""

    @cached_property
    def values(self) -> Mapping[str, str]:
        """Placeholder → text, for all that depends on the problem alone."""
        domain, problem = self.domain, self.problem
        world = problem.world
        return {
            "description": domain.description,
            "rules": "\n".join(f"- {line}" for line in domain.rules.splitlines()),
            "state": say_state(domain, problem, world.facts(problem.initial)),
            "goal": say_goal(domain, problem),
            "full_goal": say_goal(domain, problem, full=True),
            "costs": say_costs(domain, self.text),
            "actions": _listed(domain, world, Action),
            "facts": _listed(domain, world, Fact),
        }

    def steps(self, actions: tuple[Action, ...]) -> str:
        """Return the actions of a question, numbered where there are several."""
        said = [f"{action}: {self.domain.words.say(action)}" for action in actions]
        if len(said) == 1:
            return said[0]
        return "\n".join(f"{number}. {text}" for number, text in enumerate(said, start=1))


def stem(task: str) -> str:
    """Return the name of a task without its version.

    >>> stem("state-tracking-v1")
    'state-tracking'
    """
    return re.sub(r"-v\d+$", "", task)


def _listed(domain: Domain, world: World[Any], kind: type[Action] | type[Fact]) -> str:
    signatures = world.schemas if kind is Action else world.predicates
    things = [kind(name, variables(types)) for name, types in signatures.items()]
    return "\n".join(f"{thing}: {domain.words.say(thing)}" for thing in things)


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").rstrip()
    except UnicodeDecodeError as error:
        raise ProblemError(f"not UTF-8: {error}", file=file) from None
