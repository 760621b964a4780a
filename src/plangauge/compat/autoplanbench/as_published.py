"""Evaluating experiments as published: the files and the messages of the original."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from plangauge.compat.autoplanbench import published, tables
from plangauge.compat.autoplanbench.columns import COLUMNS
from plangauge.compat.autoplanbench.config import Entry, read_config
from plangauge.compat.autoplanbench.evaluate import Evaluated
from plangauge.compat.autoplanbench.logs import log_files
from plangauge.errors import ProblemError


def evaluate_as_published(
    config: str | Path,
    say: Callable[[str], object] = lambda _: None,
    started: Callable[[int], Callable[[int], object]] = lambda _: lambda _: None,
) -> Iterator[Evaluated]:
    """Evaluate and write what the original writes; yield each experiment when it is done.

    ``say`` is told what the original prints, and ``started`` how many files there are; it
    gives what is called with 1 after each. Where the original would end, the experiment has a
    problem and no results, and the next one follows. Raises `ProblemError` where the config cannot
    be read.
    """
    entries = read_config(config)
    progress = started(sum(_count(each) for each in entries if isinstance(each, Entry)))
    for entry in entries:
        if isinstance(entry, ProblemError):
            yield Evaluated(None, problems=[entry])
            continue
        done = Evaluated(entry)
        try:
            _evaluate_as_published(done, entry, say, progress)
        except ProblemError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                say(str(error.__cause__))
            done.problems.append(_placed(error, entry))
        yield done


def _count(entry: Entry) -> int:
    try:
        return len(log_files(entry.generated_plans_path))
    except ProblemError:  # told when it is the entry's turn
        return 0


def _evaluate_as_published(
    done: Evaluated,
    entry: Entry,
    say: Callable[[str], object],
    progress: Callable[[int], object],
) -> None:
    instances = published.evaluate(entry, say, progress)
    path = entry.evaluation_results_file
    if entry.summarized:
        done.summary = published.summary(instances, entry)
        written = {k: _six(k, value) for k, value in done.summary.items()}
        tables.write_summary(path, entry.generated_plans_path, written)
        say(f"EVALUATION OF {entry.generated_plans_path}:")
        for key, value in done.summary.items():
            say(f"{key}: {value}")
        say("\n")
    else:
        done.summary = {}
        tables.write_instances(path, COLUMNS, instances)
    done.instances = instances


def _six(key: str, value: Any) -> Any:
    """Return a value as the original writes it, means with six decimals at most."""
    return round(value, 6) if key.startswith(("avg", "accuracy")) else value


def _placed(error: ProblemError, entry: Entry) -> ProblemError:
    """Return the problem with its place; where it has none, that of the entry."""
    if error.file is not None:
        return error
    return ProblemError(error.reason, file=entry.place)
