"""Runs of whole folders of responses, scored by an engine: begun, resumed and completed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from os import PathLike
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa

from plangauge.arrow.engines import COMPUTING, engine_named
from plangauge.arrow.functions import scorer
from plangauge.arrow.merge import merged
from plangauge.arrow.partitions import ROWS, UNFINISHED, Part, PartScorer, Responses, parts_of
from plangauge.arrow.places import Place
from plangauge.core.errors import Error, ProblemError
from plangauge.scoring.records import ISSUES, RUN, TABLE
from plangauge.scoring.run_manifest import Policy
from plangauge.suites import Suite
from plangauge.suites.files import as_page, parse_object

_INPUTS = f"{UNFINISHED}/inputs.json"
_DEFAULT = Policy()


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How a run is computed; no record depends on it."""

    engine: str = "local"
    """One of `plangauge.arrow.engines.COMPUTING`."""
    address: str = ""
    """Where the engine's cluster is; empty: the engine works on this machine."""
    jobs: int = 1
    """How many processes work, where the engine works on this machine."""
    rows: int = ROWS
    """How many rows a part has."""
    restart: bool = False
    """Discard what is there, a run or an unfinished one, and begin anew."""
    progress: Callable[[int], object] = lambda _: None
    """Called with the number of further rows done."""
    say: Callable[[str], object] = lambda _: None
    """Called with a message if a run is resumed, or is already there."""


_PLAIN = EngineOptions()


def score_parts(
    suite: Suite,
    responses: Iterable[str | PathLike[str]],
    output: str | PathLike[str],
    policy: Policy = _DEFAULT,
    options: EngineOptions = _PLAIN,
) -> Mapping[str, Any]:
    """Write a run whose records are a folder of Parquet files, and return its manifest.

    ``responses`` are Parquet files, folders of them, or patterns such as ``responses/*.parquet``;
    they and the ``output`` are paths or URLs. The records, issues and counts are those of
    `plangauge.scoring.suite.score_suite`. The same call resumes an interrupted run: only the parts
    that are missing are scored; and it returns a run that is complete. Memory grows with the number
    of questions, models and epochs, not with that of rows. Raises `ProblemError` where a file
    cannot be read or has no responses, where something else is at the output, and for any issue if
    the policy is strict; `MissingExtra` without the engine.
    """
    engine = engine_named(options.engine, COMPUTING)
    found = [file for place in map(Place.of, responses) for file in place.matching()]
    if not found:
        named = ", ".join(map(str, responses))
        raise ProblemError("there are no files of responses", file=named)
    function = PartScorer(
        Place.of(output).url, scorer(suite, model=policy.model, progress=policy.progress)
    )
    files = [Responses.of(place, function.scorer) for place in found]
    run = _Run(Place.of(output), suite, policy, files, parts_of(files, options.rows))
    todo = run.open(restart=options.restart)
    if todo is None:
        options.say("this run is complete; --restart scores anew")
        return run.manifest()
    done = sum(part.rows for part in run.parts) - sum(part.rows for part in todo)
    if done:
        options.say(f"resuming after {done:,} rows")
    options.progress(done)
    table = pa.Table.from_pylist([part._asdict() for part in todo], function.input_schema)
    errors = list[str]()
    for results in engine.compute(table, function, options.jobs, options.address) if todo else ():
        for row in results.to_pylist():
            options.progress(row["rows"])
            errors += [row["error"]] if row["error"] is not None else []
    if errors:
        raise ProblemError(errors[0])
    return run.finish()


@dataclass(frozen=True)
class _Run:
    output: Place
    suite: Suite
    policy: Policy
    files: list[Responses]
    parts: list[Part]

    def open(self, *, restart: bool) -> list[Part] | None:
        """Return the parts that are to be scored; None for a run that is complete."""
        there = self.output.names()
        unfinished = (self.output / _INPUTS).exists()
        ours = unfinished or RUN.manifest in there or not (there or (self.output / TABLE).exists())
        if not ours or not {*there} <= {RUN.manifest, ISSUES}:
            raise ProblemError(f"this exists and is not a {RUN.kind}", file=self.output.url)
        if restart:
            self.clear()
        elif RUN.manifest in there:
            self._check(self.manifest(), "a run")
            return None
        elif unfinished:
            self._check(json.loads((self.output / _INPUTS).read()), "an interrupted run")
        if restart or not unfinished:
            (self.output / _INPUTS).write(as_page(self._inputs()))
        done = {*(self.output / UNFINISHED).names()}
        return [part for part in self.parts if PurePosixPath(part.known).name not in done]

    def manifest(self) -> Mapping[str, Any]:
        """Return the manifest of a run that is complete."""
        (self.output / UNFINISHED).delete()  # it may have been interrupted before that
        file = self.output / RUN.manifest
        return parse_object(file.read(), file.url)

    def finish(self) -> Mapping[str, Any]:
        """Complete a run whose parts are all scored; return its manifest."""
        try:
            manifest = merged(self.output, self.suite, self.policy, self.files, self.parts)
        except Error:
            self.clear()
            raise
        manifest["parts"] = len(self.parts)
        (self.output / RUN.manifest).write(RUN.page(manifest))
        return self.manifest()

    def clear(self) -> None:
        """Delete what is there of a run."""
        for name in (RUN.manifest, TABLE, ISSUES, UNFINISHED):
            (self.output / name).delete()

    def _inputs(self) -> dict[str, Any]:
        return {
            "plangauge": version("plangauge"),
            "suite": {"sha256": self.suite.sha256},
            "options": asdict(self.policy),
            "responses": [file.identity() for file in self.files],
            "parts": len(self.parts),
        }

    def _check(self, known: Mapping[str, Any], what: str) -> None:
        """Raise `ProblemError` where a run has other inputs than this one."""
        wanted = json.loads(json.dumps(self._inputs()))
        changed = [key for key in wanted if not _agrees(known.get(key), wanted[key])]
        if changed:
            message = (
                f"{what} with other {', '.join(changed)} is there; "
                "rerun with the same to resume it, or with --restart to discard it"
            )
            raise ProblemError(message, file=self.output.url)


def _agrees(known: Any, wanted: Any) -> bool:
    """Return whether a value has all that is wanted; objects may have more."""
    if isinstance(wanted, dict) and isinstance(known, dict):
        return all(_agrees(known.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(known, list):
        return len(known) == len(wanted) and all(map(_agrees, known, wanted))
    return bool(known == wanted)
