"""A small run of the whole pipeline: questions, answers, scores, leaderboard and page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plangauge.core.errors import MissingExtra
from plangauge.demo.players import PLAYERS
from plangauge.scoring.baselines import answers
from plangauge.scoring.records import Response, Run
from plangauge.scoring.responses import response_lines, responses_in
from plangauge.scoring.suite import score_suite
from plangauge.scoring.verdict import Verdict, validate
from plangauge.suites import Suite
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.suites.files import as_line, new_file

if TYPE_CHECKING:
    from plangauge.reports.leaderboard import Leaderboard

DOMAINS = {"blocksworld": {"blocks": 4}, "ferry": {"cars": 2}}
"""The domains, with the sizes of their problems."""
COUNT = 20
"""Problems of each domain."""
BASELINE = "random-applicable"
_EXPLAINED = "wrong_order"


@dataclass(frozen=True)
class Failure:
    """A plan that fails: to which question, by whom, and why."""

    sample: str
    model: str
    verdict: Verdict[Any]


@dataclass(frozen=True)
class Walk:
    """The results of a walk, all in one folder."""

    suite: Suite
    run: Run
    failure: Failure
    leaderboard: Leaderboard | None
    """None if scipy is not installed."""
    page: Path | None
    """The file of the report page; None if its extra is not installed."""


def walk(folder: Path, announce: Callable[[str], object] = lambda _: None) -> Walk:
    """Run all stages in a folder, which is created; results of an earlier walk are replaced.

    ``announce`` is called with what is done. Raises `ProblemError` where the
    folder cannot be written to.
    """
    names = " and ".join(DOMAINS)
    announce(f"{COUNT} problems each of {names}; {len(PLAYERS)} players, and a random one")
    domains = [DomainSpec.of(name, sizes) for name, sizes in DOMAINS.items()]
    request = Request(count=COUNT, tasks=("plan-v1",), name="demo")
    suite = build_suite(folder / "suite", domains, request)
    files = [_write(folder, answered) for answered in _answers(suite)]
    announce("each plan is read, executed and scored; the results are on one page")
    run = score_suite(suite, files, folder / "run")
    page = folder / "report.html"
    return Walk(suite, run, _failure(suite, files), _leaderboard(run), _page(run, page))


def _answers(suite: Suite) -> Iterator[list[Response]]:
    for player in PLAYERS:
        yield [player.respond(sample) for sample in suite]
    yield [*answers(suite, BASELINE)]


def _write(folder: Path, answered: Iterable[Response]) -> Path:
    rows = [{"id": each.sample, "response": each.text, "model": each.model} for each in answered]
    file = folder / f"{rows[0]['model']}.jsonl"
    with new_file(file, "the answers") as lines:
        for row in rows:
            lines.write(as_line(row))
    return file


def _failure(suite: Suite, files: Iterable[Path]) -> Failure:
    """Return the first plan that undoes what it needs; else the last one that fails."""
    failing = [
        Failure(response.sample, response.model, verdict)
        for file in files
        for response in _responses(file, "")
        if not (verdict := _verdict(suite, response))
    ]
    faults = (each for each in failing if each.verdict.as_row()["fault"] == _EXPLAINED)
    return next(faults, failing[-1])


def _verdict(suite: Suite, response: Response) -> Verdict[Any]:
    sample = suite[response.sample]
    return validate(sample.question().problem, response.text or "", words=sample.words)


def _leaderboard(run: Run) -> Leaderboard | None:
    from plangauge.reports.leaderboard import leaderboard

    try:
        return leaderboard([run])
    except MissingExtra:
        return None


def _page(run: Run, path: Path) -> Path | None:
    from plangauge.reports.page import Material, make_page

    try:
        make_page([run], Material.find([run], read=_responses)).write(path)
    except MissingExtra:
        return None
    return path


def _responses(path: Path, model: str) -> Iterator[Response]:
    with response_lines(path) as lines:
        yield from responses_in(lines, model)
