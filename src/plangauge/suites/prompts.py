"""What a model is asked: templates in files, filled with what is true of a problem."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from plangauge.domains.base import Domain
from plangauge.domains.say import say_goal, say_state
from plangauge.episodes import Episode
from plangauge.errors import ProblemError, did_you_mean
from plangauge.model import Action, Fact
from plangauge.suites.costs import say_costs
from plangauge.suites.files import read_bytes, sha256
from plangauge.suites.variables import variables
from plangauge.tasks import Question, general_tasks
from plangauge.worlds.base import Problem, World

_SLOT = re.compile(r"\{\{\w+\}\}|\{[ \t]*[^\W\d]\w*[ \t]*\}|\{[a-z_]+\b(?![^\n{}]*\})")
"""Kept braces, then a placeholder however it is spelt, then one that is not closed."""

PLACEHOLDERS = (
    "description",
    "rules",
    "state",
    "goal",
    "full_goal",
    "costs",
    "actions",
    "facts",
    "steps",
    "executed",
    "opening",
)
"""What can be filled in any template but the system prompt; those of tasks have ``context`` too."""


def fill(template: str, values: Mapping[str, str], file: str = "template") -> str:
    """Return a template with each ``{name}`` replaced; ``{{name}}`` stands for ``{name}``.

    Other braces stay as they are, and what is put in is never looked at again. Raises
    `ProblemError` for a name without a value, and for one that is not closed.

    >>> fill('{state} Answer {"a": 1} or {{a}}.', {"state": "It is {goal}."})
    'It is {goal}. Answer {"a": 1} or {a}.'
    """

    def value(found: re.Match[str]) -> str:
        slot = found[0]
        if slot.startswith("{{"):
            return slot[1:-1]
        name = slot.strip("{}")
        closed = slot.endswith("}")
        if closed and name in values:
            return values[name]
        if not closed and name not in values:
            return slot
        line = template.count("\n", 0, found.start()) + 1
        message = _unknown(name, values) if closed else f"{slot} is not closed by a brace"
        raise ProblemError(message, file=file, line=line)

    return _SLOT.sub(value, template)


def _unknown(name: str, values: Collection[str]) -> str:
    if not values:
        return f"{{{name}}}: nothing can be filled in here; it is the same for all questions"
    near = did_you_mean(name.strip().lower(), values).replace("'", "")
    known = near or f"; there are {', '.join(f'{{{key}}}' for key in values)}"
    return f"nothing is called {{{name}}}{known} ({{{{{name.strip()}}}}} keeps the braces)"


@dataclass(frozen=True)
class Prompts:
    """The templates: those of this package, and those of a folder instead of files of that name.

    ``system.txt`` is the system prompt, ``context.txt`` what ``{context}`` stands for, and each
    task has a file of its name without version.
    """

    folder: Path | None = None

    def text(self, name: str) -> str:
        """Return a template without the blanks at its end; raises `ProblemError` for none."""
        file = self._file(name)
        data = read_bytes(file) if isinstance(file, Path) else file.read_bytes()
        return _decoded(data, str(file))

    @property
    def system(self) -> str:
        """The system prompt."""
        return self._filled("system", {})

    def check(self, tasks: Collection[str]) -> None:
        """Raise `ProblemError` where a template that these tasks need is missing or broken.

        A text file in the folder that is no template at all is broken, too.
        """
        known = ["system", "context", *map(stem, (*general_tasks(), *tasks))]
        for file in sorted(self.folder.glob("*.txt")) if self.folder else ():
            if file.stem not in known:
                hint = did_you_mean(file.stem, known) or f"; there are {', '.join(known)}"
                raise ProblemError(f"no template has this name{hint}", file=str(file))
        values = dict.fromkeys(PLACEHOLDERS, "")
        self._filled("system", {})
        self._filled("context", values)
        for task in tasks:
            self._filled(stem(task), {**values, "context": ""})

    def hashes(self, tasks: list[str]) -> dict[str, str]:
        """Return the SHA-256 of the templates that these tasks use."""
        names = ["system", "context", *map(stem, tasks)]
        return {name: sha256(self.text(name).encode()) for name in names}

    def prompt(self, told: Told, question: Question[Any]) -> str:
        """Return the question in words."""
        steps = {"steps": told.steps(question.actions), "executed": _executed(question.actions)}
        values = {**told.values, **steps}
        values["context"] = self._filled("context", values)
        return self._filled(stem(question.task), values)

    def _filled(self, name: str, values: Mapping[str, str]) -> str:
        return fill(self.text(name), values, str(self._file(name)))

    def _file(self, name: str) -> Traversable:
        own = self.folder / f"{name}.txt" if self.folder else None
        if own is not None and own.exists():
            return own
        shipped = files("plangauge.suites") / "templates" / f"{name}.txt"
        if not shipped.is_file():
            raise ProblemError(f"there is no prompt {name}.txt; write one, for --prompts")
        return shipped


@dataclass(frozen=True)
class Told:
    """What can be told about a problem."""

    domain: Domain
    problem: Problem[Any]
    text: str
    """The problem file."""
    id: str = ""
    """What samples call the problem."""

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
            "opening": Episode.start(problem, domain.words).opening if problem.goals else "",
        }

    def steps(self, actions: tuple[Action, ...]) -> str:
        """Return the actions of a question, numbered where there are several."""
        said = [_with_words(self.domain, action) for action in actions]
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
    return "\n".join(_with_words(domain, thing) for thing in things)


def _with_words(domain: Domain, thing: Action | Fact) -> str:
    """Return what has to be written, and what it means where the words differ from that."""
    said = domain.words.say(thing)
    return f"{thing}: {said}" if str(thing) not in (said, f"({said})") else str(thing)


def _executed(actions: tuple[Action, ...]) -> str:
    if len(actions) == 1:
        return "the following action is executed"
    return "the following actions are executed, one after another"


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").rstrip()
    except UnicodeDecodeError as error:
        raise ProblemError(f"not UTF-8: {error}", file=file) from None
