"""The options that say which runs, and which of their records, a report is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from plangauge.errors import ProblemError

if TYPE_CHECKING:
    from plangauge.records import Run
    from plangauge.reports.scores import Choice

F = TypeVar("F", bound=Callable[..., Any])

RUNS_ARGUMENT = click.argument("runs", nargs=-1, required=True, metavar="RUN...")

_OPTIONS = (
    click.option("--model", "models", multiple=True, metavar="NAME",
                 help="Only this model (can be repeated)."),
    click.option("--task", "tasks", multiple=True, metavar="NAME",
                 help="Only this task, with or without version (can be repeated)."),
    click.option("--domain", "domains", multiple=True, metavar="NAME",
                 help="Only this domain (can be repeated)."),
    click.option("--score", default="", metavar="NAME",
                 help="One of the scores, instead of each task's primary one."),
    click.option("--certain", is_flag=True, help="Only answers that were read without doubt."),
)  # fmt: skip


def choice_options(function: F) -> F:
    """Add the options that choose records."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def choice_of(options: Mapping[str, Any]) -> Choice:
    """Return what the options choose."""
    from plangauge.reports.scores import Choice

    return Choice(**options)


def runs_at(paths: Iterable[str]) -> list[Run]:
    """Return the runs in some folders; raises `ProblemError` where there is none."""
    from plangauge.records import Run

    return [Run.load(_run_at(path)) for path in paths]


def _run_at(path: str) -> Path:
    """Return a folder that is a run as far as one sees; raises `ProblemError` for what is none."""
    from plangauge.records import RUN
    from plangauge.suites.base import LAYOUT

    folder = Path(path)
    if not (folder / RUN.manifest).exists() and (folder / LAYOUT.manifest).exists():
        message = "this is a suite; give a folder that 'plangauge score' has written"
        raise ProblemError(message, file=path)
    return folder
