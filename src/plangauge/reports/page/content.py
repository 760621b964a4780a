"""Everything that a page says about all records: the numbers of its tables and figures."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.reports import by_size, faults, histogram
from plangauge.reports.by_size import LABELS
from plangauge.reports.collect import collect
from plangauge.reports.columns import SIZES
from plangauge.reports.escape import visible
from plangauge.reports.marks import MEANINGS
from plangauge.reports.outcomes import OUTCOMES
from plangauge.reports.overview import POOLED, overview_of
from plangauge.reports.page.chosen import ChosenRun, Held
from plangauge.reports.page.comparisons import (
    baseline_of,
    chosen_pairs,
    marks,
    pair_rows,
    shared_by,
)
from plangauge.reports.page.material import Material, files_of, suite_of
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import Choice, Scores
from plangauge.reports.tables import cell, headings
from plangauge.scoring.records import Run

CITATION = "The plangauge maintainers. plangauge: measuring how well language models plan."
_BY = ("model", "task")


def content(runs: Sequence[ChosenRun], held: Held, scores: Scores) -> dict[str, Any]:
    """Return what is said about all records, comparisons with them."""
    told = tables(runs, held, scores)
    pairs, remarks = chosen_pairs(scores)
    told["pairs"] = [row for pair in pairs for row in pair_rows(scores, *pair)]
    told["remarks"] += remarks
    return told


def everything_of(runs: Sequence[Run], choice: Choice, **options: Any) -> Scores:
    """Return the scores of some runs with all that a page counts by; raises what `collect` does."""
    return collect(
        runs, choice, [*SIZES], questions=True, also=["baselines", "secondary"], **options
    )


def tables(runs: Sequence[ChosenRun], held: Held, scores: Scores) -> dict[str, Any]:
    """Return what is said about all records, but for comparisons; see `everything_of`."""
    models = scores.names("model")
    names = {name for _, _, _, name in scores.groups}
    return {
        "models": models,
        "named": {label: model for (_, model), label in held.labels.items() if label != model},
        "tasks": scores.names("task"),
        "domains": scores.names("domain"),
        "outcomes": [*OUTCOMES],
        "labels": {str(label): meaning for label, meaning in MEANINGS.items()},
        "baseline_models": {m: name for m in models if (name := baseline_of(m))},
        "scores": {name: _scale(name) for name in sorted(names)},
        "remarks": [*scores.remarks, *_split(runs, held), *scores.unequal()],
        "overview": _overview(scores) | {"remarks": scores.unequal()},
        "shared": [asdict(pair) for pair in shared_by(scores)],
        "marks": [asdict(mark) for mark in marks(scores)],
        "histograms": _histograms(scores),
        "faults": {name: asdict(faults.numbers(part, _BY)) for name, part in _parts(scores)},
        "sizes": _sizes(scores),
        "records": held.records,
        "held": held.held,
    }


def _split(runs: Sequence[ChosenRun], held: Held) -> list[str]:
    """Return why there is no row of a model over several suites, where one is missed."""
    suites: dict[str, set[str]] = defaultdict(set)
    for number, model in held.labels:
        if digest := suite_of(runs[number]):
            suites[model].add(digest)
    if max(map(len, suites.values()), default=0) < 2:
        return []
    told = (
        "runs of different suites have models of the same name; they stand apart, since a name "
        "does not tell that it is the same model, nor do different suites ask the same"
    )
    return [told]


def _scale(name: str) -> dict[str, Any]:
    scale = scale_of(name)
    return {"label": scale.text, "lower": scale.lower, "bounds": [*scale.bounds]}


def _parts(scores: Scores) -> list[tuple[str, Scores]]:
    """Return the records of all domains together, and of each if there are several."""
    domains = scores.names("domain")
    parts = [("", scores)] if scores.groups else []
    for domain in domains if len(domains) > 1 else ():
        groups = {key: group for key, group in scores.groups.items() if key.domain == domain}
        parts.append((domain, Scores(groups, [])))
    return parts


def _overview(scores: Scores) -> dict[str, Any]:
    """Return the table with each cell as text and, to sort by, as it is."""
    table = overview_of(scores)
    names = headings(table)
    rows = []
    for row in table.rows:
        told = asdict(row)
        told["cells"] = [cell(row, name) for name in names]
        told["domain"] = "" if row.domain == POOLED else row.domain
        rows.append(told)
    told = {"headings": names, "rows": rows, "definitions": table.definitions()}
    return told | {"caveats": table.caveats()}


def _histograms(scores: Scores) -> dict[str, Any]:
    """Return the histograms of the scores that have them, by domain."""
    groups = {key: group for key, group in scores.groups.items() if scale_of(key.score).unit}
    parts = _parts(Scores(groups, [])) if groups else []
    return {name: asdict(histogram.numbers(part, _BY)) for name, part in parts}


def _sizes(scores: Scores) -> dict[str, Any]:
    """Return the curves for each size that the records tell, by domain."""
    found: dict[str, Any] = {}
    for size in SIZES:
        curves = {}
        for name, part in _parts(scores):
            try:
                curves[name] = asdict(by_size.numbers(part, _BY, size))
            except ProblemError:
                continue  # no record tells this size
        if curves:
            found[size] = {"label": LABELS[size], "curves": curves}
    return found


def provenance(
    runs: Sequence[ChosenRun], material: Material, held: Held, about: Mapping[str, str]
) -> dict[str, Any]:
    """Return where everything comes from, and how it is made again."""
    return {
        "plangauge": version("plangauge"),
        "runs": [_run(number, run, material, held) for number, run in enumerate(runs)],
        "suites": [_suite(digest, suite) for digest, suite in sorted(material.suites.items())],
        "about": dict(about),
    }


def _run(number: int, run: ChosenRun, material: Material, held: Held) -> dict[str, Any]:
    told = run.manifest
    suite = told.get("suite")
    names = [model for at, model in held.labels if at == number]
    files = [
        {"sha256": digest, "file": name, "found": digest in material.files}
        for digest, name in files_of(run)
    ]
    return {
        "name": run.name,
        "plangauge": told.get("plangauge"),
        "suite": dict(suite) if isinstance(suite, Mapping) else {},
        "suite_found": suite_of(run) in material.suites,
        "options": told.get("options"),
        "models": sorted(names),
        "records": told.get("records"),
        "amiss": told.get("amiss"),
        "files": files,
        "sha256": told.get("sha256"),
        "command": _command(run, material),
    }


def _command(run: ChosenRun, material: Material) -> str:
    """Return the command that makes the run again, where its suite and its files lie."""
    suite, options = material.suite(run), run.manifest.get("options")
    name = "SUITE" if suite is None else suite.path.name
    files = [file for _, file in files_of(run)]
    given = options if isinstance(options, Mapping) else {}
    words = ["plangauge", "score", name, *files, "-o", run.path.name]
    for option, usual in (("missing", "score"), ("duplicates", "first"), ("model", "")):
        value = given.get(option, usual)
        if value != usual:
            words += [f"--{option}", str(value)]
    words += ["--strict"] if given.get("strict") else []
    words += ["--progress"] if given.get("progress") else []
    return " ".join(shlex.quote(visible(word)) for word in words)


def _suite(digest: str, suite: Any) -> dict[str, Any]:
    told = suite.manifest
    kept = ("name", "plangauge", "seed", "count", "steps", "references", "planner", "domains",
            "tasks", "samples", "licence", "citation", "published")  # fmt: skip
    return {"sha256": digest, **{key: told.get(key) for key in kept if told.get(key) is not None}}
