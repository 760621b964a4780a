"""Everything that a page says about all records: the numbers of its tables and figures."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from plangauge.reading.marks import MEANINGS
from plangauge.reports.by_size import LABELS
from plangauge.reports.collect import collect
from plangauge.reports.columns import SIZES
from plangauge.reports.escape import visible
from plangauge.reports.headlines import CAUSES
from plangauge.reports.outcomes import OUTCOMES, binary_of
from plangauge.reports.page.chosen import ChosenRun, Held
from plangauge.reports.page.material import Material, files_of, suite_of
from plangauge.reports.page.selections import Selection, baseline_of, numbers
from plangauge.reports.scales import scale_of
from plangauge.reports.scores import Choice, Scores
from plangauge.scoring.records import Run

CITATION = "The plangauge maintainers. plangauge: measuring how well language models plan."


def everything_of(runs: Sequence[Run], choice: Choice, **options: Any) -> Scores:
    """Return the scores of some runs with all that a page counts by; raises what `collect` does."""
    return collect(runs, choice, [*SIZES], questions=True, also=["baselines"], **options)


def content(
    runs: Sequence[ChosenRun], held: Held, scores: Scores, shown: Sequence[Selection]
) -> dict[str, Any]:
    """Return what is said about all records: the numbers of some selections, and what is named.

    ``scores`` are those of `everything_of`.
    """
    models = scores.names("model")
    names = {name for _, _, _, name in scores.groups}
    binary = {binary_of(task) for task in scores.names("task")}
    return {
        "models": models,
        "named": {label: model for (_, model), label in held.labels.items() if label != model},
        "tasks": scores.names("task"),
        "domains": scores.names("domain"),
        "outcomes": [*OUTCOMES],
        "causes": CAUSES,
        "labels": {str(label): meaning for label, meaning in MEANINGS.items()},
        "sizes": LABELS,
        "baseline_models": {m: name for m in models if (name := baseline_of(m))},
        "scores": {name: _scale(name) | {"binary": name in binary} for name in sorted(names)},
        "remarks": [*scores.remarks, *_split(runs, held), *scores.unequal()],
        "selections": {each.key: numbers(scores, each) for each in shown},
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
    remark = (
        "runs of different suites have models of the same name; they stand apart, since a name "
        "does not tell that it is the same model, nor do different suites ask the same"
    )
    return [remark]


def _scale(name: str) -> dict[str, Any]:
    scale = scale_of(name)
    return {"label": scale.text, "lower": scale.lower, "bounds": [*scale.bounds]}


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
    manifest = run.manifest
    suite = manifest.get("suite")
    names = [model for at, model in held.labels if at == number]
    files = [
        {"sha256": digest, "file": name, "found": digest in material.files}
        for digest, name in files_of(run)
    ]
    return {
        "name": run.name,
        "plangauge": manifest.get("plangauge"),
        "suite": dict(suite) if isinstance(suite, Mapping) else {},
        "suite_found": suite_of(run) in material.suites,
        "options": manifest.get("options"),
        "models": sorted(names),
        "records": manifest.get("records"),
        "amiss": manifest.get("amiss"),
        "files": files,
        "sha256": manifest.get("sha256"),
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
    manifest = suite.manifest
    kept = ("name", "plangauge", "seed", "count", "steps", "references", "planner", "domains",
            "tasks", "samples", "licence", "citation", "published")  # fmt: skip
    return {
        "sha256": digest,
        **{key: manifest.get(key) for key in kept if manifest.get(key) is not None},
    }
