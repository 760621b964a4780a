"""A small run of the whole pipeline: suite, answers, scores, table, figure and page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plangauge.core.errors import MissingExtra
from plangauge.scoring.baselines import answers
from plangauge.scoring.records import Response, Run
from plangauge.scoring.responses import response_lines, responses_in
from plangauge.scoring.suite import score_suite
from plangauge.suites import Suite
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.suites.files import as_line, new_file
from plangauge.tasks import general_tasks

if TYPE_CHECKING:
    from plangauge.reports.charts import Chart
    from plangauge.reports.overview import Overview

DOMAINS = ("blocksworld", "depots")
COUNT = 10
"""Problems of each domain."""
ANSWERERS = ("greedy-planner", "random-applicable", "copy-state")
"""The baselines: one knows all rules, but does not look ahead; one guesses; one copies."""
FIGURE_TASK = "state-tracking"


@dataclass(frozen=True)
class Walk:
    """The results of a walk, all in one folder."""

    suite: Suite
    run: Run
    table: Overview
    histograms: Chart
    figure: Path | None
    """The file of the histograms; None if matplotlib is not installed."""
    page: Path | None
    """The file of the report page; None if its extra is not installed."""


def walk(folder: Path, announce: Callable[[str, str], object] = lambda *_: None) -> Walk:
    """Run all stages in a folder, which is created; results of an earlier walk are replaced.

    ``announce`` is called before each stage with its title and the command that does the same.
    Raises `ProblemError` where the folder cannot be written to.
    """
    from plangauge.reports.charts import chart
    from plangauge.reports.overview import overview
    from plangauge.reports.scores import Choice
    from plangauge.reports.tables import write_table

    suite = _build(folder / "suite", announce)
    files = []
    for name in ANSWERERS:
        file = folder / f"{name}.jsonl"
        announce("answers without a model", f"answer {suite.path} --baseline {name} -o {file}")
        _answer(suite, name, file)
        files.append(file)
    path = folder / "run"
    announce("scores", f"score {suite.path} {' '.join(map(str, files))} -o {path}")
    run = score_suite(suite, files, path)
    sheet = folder / "overview.html"
    announce("one table", f"overview {path} -o {sheet}")
    table = overview([run])
    write_table(table, sheet)
    figure = folder / "histogram.svg"
    announce("one figure", f"plot histogram {path} --task {FIGURE_TASK} -o {figure}")
    histograms = chart("histogram", [run], Choice(tasks=(FIGURE_TASK,)))
    page = folder / "report.html"
    announce("one page of everything, with each answer", f"report {path} -o {page}")
    return Walk(suite, run, table, histograms, _figure(histograms, figure), _page(run, page))


def _build(path: Path, announce: Callable[[str, str], object]) -> Suite:
    tasks = general_tasks()
    announce(
        f"{COUNT} problems of {len(DOMAINS)} domains each, and questions of {len(tasks)} kinds",
        f"generate {' '.join(DOMAINS)} --count {COUNT} --tasks all -o {path}",
    )
    domains = [DomainSpec.of(name) for name in DOMAINS]
    return build_suite(path, domains, Request(count=COUNT, tasks=tasks, name="demo"))


def _answer(suite: Suite, baseline: str, path: Path) -> None:
    with new_file(path, "the answers") as file:
        for response in answers(suite, baseline):
            row = {"id": response.sample, "response": response.text, "model": response.model}
            file.write(as_line(row))


def _figure(histograms: Chart, path: Path) -> Path | None:
    try:
        histograms.write(path)
    except MissingExtra:
        return None
    return path


def _page(run: Run, path: Path) -> Path | None:
    from plangauge.reports.page import Material, write_page

    try:
        write_page([run], path, Material.find([run], read=_responses))
    except MissingExtra:
        return None
    return path


def _responses(path: Path, model: str) -> Iterator[Response]:
    with response_lines(path) as lines:
        yield from responses_in(lines, model)
