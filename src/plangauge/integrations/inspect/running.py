"""Running a suite by Inspect, and the records of what was answered."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from plangauge.batch.suite import Conduct, Policy, score_suite
from plangauge.errors import Error, MissingExtra, ProblemError
from plangauge.integrations.inspect.logs import log_lines
from plangauge.records import Run
from plangauge.suites import Suite

LOGS, RUN = "logs", "run"
"""What is in the folder of an output: logs of Inspect, and the run with the records."""


class RunError(Error, RuntimeError):
    """Inspect does not run the models: one is unknown, or lacks a package or a key."""


@dataclass(frozen=True)
class Settings:
    """How models are run; ``generating`` and ``running`` go to Inspect as they are.

    The former is its ``GenerateConfig``, such as ``temperature`` and ``max_connections``; the
    latter are arguments of its ``eval_set``, such as ``limit``, ``epochs`` and ``token_limit``.
    """

    generating: Mapping[str, Any] = field(default_factory=dict)
    running: Mapping[str, Any] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    """Which tasks of the suite; all by default."""
    acting: Mapping[str, Any] = field(default_factory=dict)
    """How episodes are played: ``protocol``, ``approach``, ``rules``, as in `Manner.of`."""


@dataclass(frozen=True)
class Finished:
    """What became of a run; ``complete`` is whether all questions have an answer."""

    run: Run | None
    logs: tuple[Path, ...]
    complete: bool


_ALWAYS: Mapping[str, Any] = {"continue_on_fail": True, "log_format": "eval"}
"""What is asked of Inspect: to go on where a question ends in an error."""

_STYLE = re.compile(r"\[/?[a-z_ ]{1,20}\]")
_PLAIN = Settings()
_QUIET = Conduct()


def run_suite(
    path: str | Path,
    models: Sequence[Any],
    output: str | Path,
    settings: Settings = _PLAIN,
    conduct: Conduct = _QUIET,
) -> Finished:
    """Ask models the questions of a suite, and score what they answer; return what came of it.

    Models are names or objects of Inspect. Logs come to ``output/logs``, records, of all models, to
    ``output/run``. Who asks for the same again goes on: what is answered is not asked a second
    time. A question that ended in an error does not stop the others; it has no record, and a
    remark. The records are those of ``plangauge score SUITE output/logs/*.eval --missing skip``.

    Raises `MissingExtra` without Inspect, `RunError` where it cannot run a model, and
    `ProblemError` where the suite cannot be read or there are logs of something else already.
    """
    try:
        from inspect_ai import eval_set
        from inspect_ai._util.error import PrerequisiteError
    except ImportError:
        raise MissingExtra("inspect-ai", "inspect") from None
    from plangauge.integrations.inspect.tasks import suite_at

    suite, folder = Suite.load(path), Path(output)
    _check_place(folder)
    try:
        task = suite_at(path=str(Path(path).resolve()), task=[*settings.tasks], **settings.acting)
        _check_models(models, settings)
        complete, logs = eval_set(
            task,
            log_dir=str(folder / LOGS),
            model=[*models],
            **{**_ALWAYS, **settings.running},
            **settings.generating,
        )
    except PrerequisiteError as error:
        if isinstance(error.__cause__, Error):
            raise error.__cause__ from None
        raise _explained(_plain(str(error.message)), folder) from None
    files = tuple(sorted(_path(log.location) for log in logs))
    answered = [file for file in files if file.is_file()]
    if not answered:
        return Finished(None, files, complete=False)
    policy, conduct = Policy(missing="skip"), replace(conduct, restart=True)
    run = score_suite(suite, answered, folder / RUN, policy, conduct, log_lines)
    return Finished(run, files, complete)


def _check_models(models: Sequence[Any], settings: Settings) -> None:
    """Raise `RunError` for the name of a model that Inspect does not know."""
    from inspect_ai.model import get_model

    base, given = (settings.running.get(key) for key in ("model_base_url", "model_args"))
    for model in models:
        try:
            get_model(model, base_url=base, **(given or {}))
        except (ValueError, TypeError) as error:
            raise RunError(str(error)) from None


def _check_place(folder: Path) -> None:
    """Raise `ProblemError` where there is anything but an output of ours, or nothing."""
    if folder.exists() and not folder.is_dir():
        raise ProblemError("this is a file, not a folder", file=str(folder))
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    if names and LOGS not in names:
        raise ProblemError("there is something else already", file=str(folder))


def _path(location: str) -> Path:
    return Path(unquote(urlparse(location).path) if location.startswith("file:") else location)


def _explained(message: str, folder: Path) -> Error:
    if "not associated with a task" in message:
        other = "there are logs of other models, questions or settings; give these or another DIR"
        return ProblemError(other, file=str(folder / LOGS))
    return RunError(message)


def _plain(message: str) -> str:
    """Return a message of Inspect without its marks of style.

    >>> _plain("[bold]ERROR[/bold]: no such model")
    'no such model'
    """
    plain = _STYLE.sub("", message).strip().removeprefix("ERROR").lstrip(": \n")
    return "; ".join(filter(None, map(str.strip, plain.splitlines())))
