"""PlanBench: a checkout of ``karthikv792/LLMs-Planning`` with its prompts and published answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from plangauge.errors import ProblemError
from plangauge.sources.base import SOURCES, Importer, Source
from plangauge.sources.planbench.config import Config, read_config
from plangauge.sources.planbench.domain import DomainFiles
from plangauge.sources.planbench.files import (
    RowFile,
    find_answers,
    find_home,
    find_others,
    find_prompts,
)
from plangauge.sources.planbench.questions import Kind, kind_of
from plangauge.sources.planbench.task import TaskImport, read_rows, remarks_on


def read_planbench(path: Path, given: Sequence[Path] | None, importer: Importer) -> None:
    """Give the questions of a checkout and its answers, or those ``given``, to an importer.

    Raises `ProblemError` where ``path`` is no checkout.
    """
    home = find_home(path)
    configs = _configs(home, importer)
    answers = find_answers(home, given, partial(importer.files_below, endings=(".json",)))
    files = [*find_prompts(home), *answers]
    for name in find_others(home) if given is None else ():
        remarks = importer.expect_responses().remarks
        remarks.add("not imported", name, "answers of another kind, such as dialogues")
    files.sort(key=lambda file: (file.domain, file.task, file.engine, file.path.name))
    for domain, group in groupby(files, key=lambda file: file.domain):
        _read_domain(home, configs.get(domain), [*group], importer)


def _configs(home: Path, importer: Importer) -> dict[str, Config]:
    """Return the settings by domain, those of the first file that has any."""
    configs: dict[str, Config] = {}
    for file in sorted((home / "configs").glob("*.yaml")):
        shown = file.relative_to(home).as_posix()
        try:
            config = read_config(file)
        except ProblemError as error:
            importer.remarks.add("broken file", shown, error.reason)
            continue
        if config.name in configs:
            why = f"another file has settings of {config.name}"
            importer.remarks.add("not imported", shown, why)
        configs.setdefault(config.name, config)
    return configs


def _read_domain(
    home: Path, config: Config | None, group: list[RowFile], importer: Importer
) -> None:
    try:
        if config is None:
            raise ProblemError("no settings name it")
        files = DomainFiles(home, config)
    except ProblemError as error:
        for file in group:
            remarks_on(file, importer).add("unknown domain", file.shown, str(error))
        return
    for task, each in groupby(group, key=lambda file: file.task):
        kind = kind_of(config.name, task)
        if kind.task:
            TaskImport(files, task, kind, importer).read([*each])
        else:
            _leave_out(kind, [*each], importer)
    importer.domain(config.name, files.pddl, files.words)


def _leave_out(kind: Kind, files: Sequence[RowFile], importer: Importer) -> None:
    for file in files:
        remarks = remarks_on(file, importer)
        for number, row in enumerate(read_rows(file, remarks)):
            ident = None if row is None else row.get("instance_id")
            known = ident if isinstance(ident, int | str) else f"#{number}"
            remarks.add("not imported", file.shown, kind.why, known)
            importer.progress(1)


SOURCES.add(
    "planbench",
    Source(
        "planbench",
        "PlanBench: planning and reasoning about change, with published answers of models",
        read_planbench,
        licence="MIT",
        citation="Valmeekam, Marquez, Olmo, Sreedharan, Kambhampati: PlanBench: An Extensible "
        "Benchmark for Evaluating Large Language Models on Planning and Reasoning about Change. "
        "NeurIPS 2023 Datasets and Benchmarks, arXiv:2206.10498",
    ),
)
