"""What a shell offers for an argument or an option: names that exist, and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

_FILES = ("FILE", "DIR", "SUITE", "RUN", "PATH", "OUT", "CONFIG")
_FILE_ARGUMENTS = ("suite", "run_a", "run_b", "path", "domain", "domains", "problem", "plan",
                   "candidate", "reference", "response", "responses", "runs")  # fmt: skip
_SEVERAL = ("A,B", "PARTS")
"""How options are marked that take names with commas between them."""
_MOST_BYTES = 1_000_000
"""Of a file with a row for each question or answer, no more is read than is read at once."""


class Text(click.types.StringParamType):
    """A text of which a shell can complete names, or the last of several between commas."""

    def __init__(self, parameter: click.Parameter) -> None:
        """Take what the name and the placeholder of a parameter say it is."""
        name, metavar = str(parameter.name), parameter.metavar or ""
        named = "domains" if "DOMAIN" in metavar and name in ("suite", "domain") else name
        self._names = _NAMES.get(named, _no_names)
        if isinstance(parameter, click.Argument):
            self._files = name in _FILE_ARGUMENTS
        else:
            self._files = any(placeholder in metavar for placeholder in _FILES)
        self._several = metavar in _SEVERAL

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text; an empty name, which Python takes for this folder, is refused."""
        if self._files and value == "":
            self.fail("the name is empty", param, ctx)
        return str(super().convert(value, param, ctx))

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so, and where it can be a file what the shell knows."""
        del param
        before, comma, last = incomplete.rpartition(",") if self._several else ("", "", incomplete)
        # Before the names, because bash forgets what came before it.
        found = [CompletionItem(incomplete, type="file")] if self._files else []
        names = (name for name in self._names(ctx) if name.startswith(last))
        return found + [CompletionItem(f"{before}{comma}{name}") for name in names]


def _no_names(ctx: click.Context) -> Iterable[str]:
    del ctx
    return ()


def _registry(module: str, attribute: str) -> Callable[[click.Context], Iterable[str]]:
    return lambda _: list(getattr(import_module(module), attribute))


def _tasks(ctx: click.Context) -> Iterable[str]:
    """Return the tasks of the suite or the runs that are named before; of none, all tasks."""
    found = dict.fromkeys(
        task
        for told in _manifests(ctx)
        for part in (told, told.get("suite"))
        if isinstance(part, dict) and isinstance(part.get("tasks"), dict)
        for task in part["tasks"]
    )
    return found or _registry("plangauge.tasks", "TASKS")(ctx)


def _models(ctx: click.Context) -> Iterable[str]:
    """Return the models of the runs that are named before."""
    return dict.fromkeys(
        model
        for told in _manifests(ctx)
        if isinstance(told.get("statuses"), dict)
        for model in told["statuses"]
    )


def _scores(ctx: click.Context) -> Iterable[str]:
    """Return the scores of the runs that are named before; of none, the metrics."""
    found = dict.fromkeys(
        name
        for row in _rows(ctx, "records.jsonl")
        if isinstance(row.get("scores"), dict)
        for name in row["scores"]
    )
    return found or _registry("plangauge.metrics", "METRICS")(ctx)


def _domains(ctx: click.Context) -> Iterable[str]:
    """Return the domains of the runs that are named before; of none, those of this package."""
    found = dict.fromkeys(
        row["domain"] for row in _rows(ctx, "records.jsonl") if isinstance(row.get("domain"), str)
    )
    return found or _registry("plangauge.domains.base", "DOMAINS")(ctx)


def _samples(ctx: click.Context) -> Iterable[str]:
    """Return the ids of the questions of the suite that is named before."""
    return [row["id"] for row in _rows(ctx, "samples.jsonl") if isinstance(row.get("id"), str)]


def _parts(ctx: click.Context) -> Iterable[str]:
    from plangauge.reports.scores import PARTS

    del ctx
    return PARTS


def _folders(ctx: click.Context) -> Iterator[Path]:
    """Yield the folders that are named before what is completed.

    Where an option without its value is the last word, click has not yet told the arguments.
    """
    for given in (*ctx.params.values(), ctx.args):
        for word in given if isinstance(given, list | tuple) else (given,):
            with suppress(OSError, ValueError):
                if isinstance(word, str) and (path := Path(word)).is_dir():
                    yield path


def _manifests(ctx: click.Context) -> Iterator[dict[str, Any]]:
    """Yield what the suites and runs say of themselves; whatever else is there is passed over."""
    for folder in _folders(ctx):
        for name in ("manifest.json", "run.json"):
            with suppress(OSError, ValueError, RecursionError):
                told = json.loads((folder / name).read_bytes())
                if isinstance(told, dict):
                    yield told


def _rows(ctx: click.Context, name: str) -> Iterator[dict[str, Any]]:
    """Yield the first rows of a file in the folders."""
    for folder in _folders(ctx):
        with suppress(OSError), (folder / name).open("rb") as file:
            for line in file.readlines(_MOST_BYTES):
                with suppress(ValueError, RecursionError):
                    row = json.loads(line)
                    if isinstance(row, dict):
                        yield row


_NAMES: Mapping[str, Callable[[click.Context], Iterable[str]]] = {
    "approach": _registry("plangauge.episodes.policy", "APPROACHES"),
    "baseline": _registry("plangauge.baselines", "BASELINES"),
    "by": _parts,
    "domains": _domains,
    "ident": _samples,
    "metric": _scores,
    "models": _models,
    "notation": _registry("plangauge.reading", "NOTATIONS"),
    "planner": _registry("plangauge.planners", "PLANNERS"),
    "sample": _samples,
    "samples": _samples,
    "score": _scores,
    "source": _registry("plangauge.sources", "SOURCES"),
    "task": _tasks,
    "tasks": _tasks,
}
"""Parameter → the names that it takes."""
