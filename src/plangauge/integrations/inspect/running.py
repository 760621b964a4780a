"""Running a suite with Inspect, and scoring the answers."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse, urlsplit
from urllib.request import getproxies, proxy_bypass

from plangauge.core.errors import Error, ProblemError, needing
from plangauge.integrations.inspect.logs import log_lines
from plangauge.scoring.records import Run
from plangauge.scoring.run_manifest import Policy
from plangauge.scoring.suite import RunOptions, score_suite
from plangauge.suites import Suite
from plangauge.suites.files import writing

_PATIENCE = 20
"""The timeout for connecting to a server, in seconds."""
LOGS, RUN = "logs", "run"
"""The contents of the output folder: logs of Inspect, and the run with the records."""


class RunError(Error, RuntimeError):
    """Inspect cannot run the models: one is unknown, or lacks a package or a key."""


@dataclass(frozen=True)
class Settings:
    """How models are run; ``generating`` and ``running`` are passed to Inspect unchanged.

    The former is its ``GenerateConfig``, such as ``temperature`` and ``max_connections``; the
    latter are arguments of its ``eval_set``, such as ``limit``, ``epochs`` and ``token_limit``.
    """

    generating: Mapping[str, Any] = field(default_factory=dict)
    running: Mapping[str, Any] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
    """Tasks of the suite; all by default."""
    acting: Mapping[str, Any] = field(default_factory=dict)
    """How episodes are played: ``protocol``, ``approach``, ``rules``, as in `PlayOptions.of`."""


@dataclass(frozen=True)
class Finished:
    """The result of a run; ``complete`` is whether all questions have an answer."""

    run: Run | None
    logs: tuple[Path, ...]
    complete: bool


_ALWAYS: Mapping[str, Any] = {"continue_on_fail": True, "log_format": "eval"}
"""Options for Inspect: continue after questions that end in errors."""

_STYLE = re.compile(r"\[/?[a-z_ ]{1,20}\]")
_PLAIN = Settings()
_QUIET = RunOptions()


def run_suite(
    path: str | Path,
    models: Sequence[Any],
    output: str | Path,
    settings: Settings = _PLAIN,
    options: RunOptions = _QUIET,
) -> Finished:
    """Ask models the questions of a suite, score the answers, and return the result.

    Models are names or objects of Inspect. Logs are written to ``output/logs``, records of all
    models to ``output/run``. The same call resumes an interrupted run and asks only what is not
    answered. A question that ends in an error does not stop the others; it has no record, but is
    listed as an issue. The records are those of ``plangauge score SUITE output/logs/*.eval
    --missing skip``.

    Raises `MissingExtra` without Inspect, `RunError` where it cannot run a model, and
    `ProblemError` where the suite cannot be read or the folder has logs of something else.
    """
    with needing("inspect-ai", "inspect"):
        from inspect_ai import eval_set
        from inspect_ai._util.error import PrerequisiteError
    from plangauge.integrations.inspect.tasks import suite_at

    suite, folder = Suite.load(path), Path(output)
    _check_place(folder)
    try:
        task = suite_at(path=str(Path(path).resolve()), task=[*settings.tasks], **settings.acting)
        _check_models(models, settings)
        with writing("the logs", folder / LOGS):
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
    policy, options = Policy(missing="skip"), replace(options, restart=True)
    run = score_suite(suite, answered, folder / RUN, policy, options, log_lines)
    return Finished(run, files, complete)


def _check_models(models: Sequence[Any], settings: Settings) -> None:
    """Raise `RunError` for a model that Inspect does not know, or whose server is down."""
    from inspect_ai.model import get_model

    base, given = (settings.running.get(key) for key in ("model_base_url", "model_args"))
    try:
        apis = [get_model(model, base_url=base, **(given or {})).api for model in models]
    except (ValueError, TypeError) as error:
        raise RunError(str(error)) from None
    for api in apis:
        client = getattr(api, "client", None)
        _check_server(str(api.base_url or getattr(client, "base_url", "")))


def _check_server(address: str) -> None:
    """Raise `RunError` where no server is at an address: Inspect would wait for it for minutes.

    Addresses behind a proxy are not checked.
    """
    place = urlsplit(address)
    if not place.hostname or (place.scheme in getproxies() and not proxy_bypass(place.hostname)):
        return
    try:
        port = place.port or (443 if place.scheme == "https" else 80)
        socket.create_connection((place.hostname, port), _PATIENCE).close()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        shown = f"{place.scheme}://{place.hostname}{f':{place.port}' if place.port else ''}"
        raise RunError(f"the server cannot be reached at {shown}: {reason}") from None


def _check_place(folder: Path) -> None:
    """Raise `ProblemError` unless the folder is missing, empty, or an output of ours."""
    if folder.exists() and not folder.is_dir():
        raise ProblemError("this is a file, not a folder", file=str(folder))
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    if names and LOGS not in names:
        raise ProblemError("this folder exists and is not one that run wrote", file=str(folder))


def _path(location: str) -> Path:
    return Path(unquote(urlparse(location).path) if location.startswith("file:") else location)


def _explained(message: str, folder: Path) -> Error:
    if "not associated with a task" in message:
        other = "there are logs of other models, questions or settings; use these or another DIR"
        return ProblemError(other, file=str(folder / LOGS))
    return RunError(message)


def _plain(message: str) -> str:
    """Return a message of Inspect without its markup.

    >>> _plain("[bold]ERROR[/bold]: no such model")
    'no such model'
    """
    plain = _STYLE.sub("", message).strip().removeprefix("ERROR").lstrip(": \n")
    return "; ".join(filter(None, map(str.strip, plain.splitlines())))
