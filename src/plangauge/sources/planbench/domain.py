"""The domain and the problems of PlanBench that a file of settings names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plangauge.domains.words import Words
from plangauge.errors import ProblemError
from plangauge.pddl.domain import read_domain
from plangauge.sources.planbench.config import Config
from plangauge.sources.planbench.questions import Kind, changed_problem
from plangauge.suites.files import read_bytes
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import problem_of


class DomainFiles:
    """A domain as it is declared, and its problems, whose objects are remembered.

    Raises `ProblemError` where the domain, or how it is put in words, cannot be used.
    """

    def __init__(self, home: Path, config: Config) -> None:
        self.config = config
        self._instances = home / "instances"
        self.pddl = self._text(config.domain_file)
        self.declared = read_domain(self.pddl, config.domain_file)
        self._objects: set[str] = set()
        config.words(())

    @property
    def words(self) -> Words:
        """The words for the objects of all problems so far."""
        return self.config.words(self._objects)

    def problem(
        self, kind: Kind, number: int, row: Mapping[str, Any]
    ) -> tuple[str, str, Problem[int]]:
        """Return what a problem is called, its text, and how it is understood.

        Raises `ProblemError` where there is none.
        """
        file = self.config.problem_file(number, kind.general)
        folder = "generalization/" if kind.general else f"{kind.changed}/" if kind.changed else ""
        if kind.changed:
            text = changed_problem(self.declared.name, row.get("new_instance"))
        else:
            text = self._text(file)
        problem = problem_of(self.declared, text, None if kind.changed else file)
        self._objects.update(problem.world.objects)
        return f"{self.config.name}/{folder}{Path(file).stem}", text, problem

    def _text(self, file: str) -> str:
        """Return the text of a file below ``instances``; errors name it without the folder."""
        try:
            return read_bytes(self._instances / file).decode()
        except ProblemError as error:
            raise ProblemError(error.reason, file=file) from None
        except UnicodeDecodeError as error:
            raise ProblemError(f"not UTF-8: {error}", file=file) from None
