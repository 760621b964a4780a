"""The whole path, small: a suite, answers, scores, a table, a figure and a page of it all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from plangauge.baselines import answers
from plangauge.batch.responses import response_lines, responses_in
from plangauge.batch.suite import score_suite
from plangauge.errors import MissingExtra
from plangauge.records import Response, Run
from plangauge.reports.charts import Chart, chart
from plangauge.reports.overview import Overview, overview
from plangauge.reports.page import Material, write_page
from plangauge.reports.scores import Choice
from plangauge.reports.tables import write_table
from plangauge.suites import Suite
from plangauge.suites.build import Chosen, Request, build_suite
from plangauge.suites.files import as_line, new_file
from plangauge.tasks import general_tasks

DOMAINS = ("blocksworld", "depots")
COUNT = 10
"""Problems of each domain."""
ANSWERERS = ("greedy-planner", "random-applicable", "copy-state")
"""The baselines: one knows all rules, but does not look ahead; one guesses; one copies."""
FIGURE_TASK = "state-tracking"


@dataclass(frozen=True)
class Walk:
    """What there is at the end; everything lies in one folder."""

    suite: Suite
    run: Run
    table: Overview
    histograms: Chart
    figure: Path | None
    """Where the histograms are drawn; None where matplotlib is not installed."""
    page: Path | None
    """Where the report page is; None where what makes it is not installed."""


def walk(folder: Path, told: Callable[[str, str], object] = lambda *_: None) -> Walk:
    """Go the whole path in a folder, which is made; what an earlier walk left is replaced.

    ``told`` is told what is done next, and the command that does the same. Raises `ProblemError`
    where the folder cannot be written to.
    """
    suite = _build(folder / "suite", told)
    files = []
    for name in ANSWERERS:
        file = folder / f"{name}.jsonl"
        told("answers without a model", f"answer {suite.path} --baseline {name} -o {file}")
        _answer(suite, name, file)
        files.append(file)
    path = folder / "run"
    told("scores", f"score {suite.path} {' '.join(map(str, files))} -o {path}")
    run = score_suite(suite, files, path)
    sheet = folder / "overview.html"
    told("one table", f"overview {path} -o {sheet}")
    table = overview([run])
    write_table(table, sheet)
    figure = folder / "histogram.svg"
    told("one figure", f"plot histogram {path} --task {FIGURE_TASK} -o {figure}")
    histograms = chart("histogram", [run], Choice(tasks=(FIGURE_TASK,)))
    page = folder / "report.html"
    told("one page of everything, with each answer", f"report {path} -o {page}")
    return Walk(suite, run, table, histograms, _figure(histograms, figure), _page(run, page))


def _build(path: Path, told: Callable[[str, str], object]) -> Suite:
    tasks = general_tasks()
    told(
        f"{COUNT} problems of {len(DOMAINS)} domains each, and questions of {len(tasks)} kinds",
        f"generate {' '.join(DOMAINS)} --count {COUNT} --tasks all -o {path}",
    )
    chosen = [Chosen.of(name) for name in DOMAINS]
    return build_suite(path, chosen, Request(count=COUNT, tasks=tasks, name="demo"))


def _answer(suite: Suite, baseline: str, path: Path) -> None:
    with new_file(path) as file:
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
    try:
        write_page([run], path, Material.find([run], read=_responses))
    except MissingExtra:
        return None
    return path


def _responses(path: Path, model: str) -> Iterator[Response]:
    with response_lines(path) as lines:
        yield from responses_in(lines, model)
