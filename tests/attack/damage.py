"""Damage at random places of every kind of file that is read: an error, or the same numbers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from .commands import Ended, preload, run
from .files import GENERATE, TURNS, material
from .tries import Attack, Try


@dataclass(frozen=True, slots=True)
class Reading:
    """A command that reads files of a kind, and what it is to do with damaged ones.

    Where the files are ``checked``, what is written and printed is the same, or nothing is; others
    cannot be told from files that say something else. Of ``rows``, those that were not damaged
    have the same results. A file that ``grows`` may end anywhere, as if it had not grown further.
    """

    kind: str
    files: str
    command: str
    writes: str = ""
    checked: bool = False
    rows: bool = False
    grows: bool = False
    said: str = ""


PLAIN = (
    Reading("domain", "domain.pddl", "validate domain.pddl problem.pddl plan.txt"),
    Reading("domain, described", "domain.pddl", "describe domain.pddl"),
    Reading("problem", "problem.pddl", "validate domain.pddl problem.pddl plan.txt --json"),
    Reading("plan", "plan.txt", "validate domain.pddl problem.pddl plan.txt --reference best.plan"),
    Reading("plan, compared", "plan.txt", "compare plan.txt best.plan"),
    Reading("answer, as read", "plan.txt", "read domain.pddl problem.pddl plan.txt --rivals"),
    Reading(
        "words", "words.json", "read domain.pddl problem.pddl plan.txt --words words.json --json"
    ),
    Reading(
        "words by AutoPlanBench",
        "domain_description_seed1.json",
        "describe domain.pddl --phrasing domain_description_seed1.json",
    ),
    Reading(
        "templates of prompts",
        "own/*",
        "generate ferry --count 1 --tasks plan --prompts own -o other",
        "other",
    ),
    Reading("rows to validate", "plans.jsonl", "validate --batch plans.jsonl", rows=True),
    Reading("rows to read", "texts.jsonl", "read --batch texts.jsonl", rows=True),
    Reading("rows to score", "questions.jsonl", "score --batch questions.jsonl", rows=True),
    *(
        Reading(f"responses in {name}", file, f"score suite {file} -o new --format jsonl", "new")
        for name, file in (
            ("JSON lines", "random.jsonl"),
            ("CSV", "random.csv"),
            ("Parquet", "random.parquet"),
            ("samples of lm-eval", "maker__model/samples_x_2026-11-21T21-29-27.629881.jsonl"),
            ("a log of Inspect", "logs/x.eval"),
            ("a log of Inspect as text", "logs/x.json"),
        )
    ),
    Reading("PlanBench", "planbench/**/*.*", "import planbench planbench -o new", "new"),
    Reading("ACPBench", "acpbench/dev.json", "import acpbench acpbench/dev.json -o new", "new"),
    Reading("ACPBench, packed", "acpbench/*.gz", "import acpbench acpbench/dev.jsonl.gz -o new"),
    Reading("AutoPlanBench's problems", "data/**/*.*", "import autoplanbench data -o new", "new"),
    Reading("problems, analysed", "data/**/*.*", "analyze -i data"),
    Reading("AutoPlanBench's config", "config.json", "autoplanbench evaluate -d config.json"),
    Reading("AutoPlanBench's runs", "out/x/*", "autoplanbench evaluate -d config.json"),
)
CHECKED = (
    *(
        Reading(f"suite, {command.split()[0]}", "suite/**/*.*", command, writes, checked=True)
        for command, writes in (
            ("score suite random.jsonl -o new --format jsonl", "new"),
            ("show suite", ""),
            ("prompts suite", ""),
            ("answer suite --baseline truth", ""),
            ("export trl suite -o new.jsonl", "new.jsonl"),
        )
    ),
    *(
        Reading(f"run, {command.split()[0]}", "run/*", command, checked=True)
        for command in ("overview run", "statistics run --of intervals", "compare-runs run")
    ),
    Reading("run, page", "run/*", "report run -o new.html", "new.html", checked=True),
    Reading("run as a table", "table/*", "overview table", checked=True),
    Reading(
        "interrupted run",
        ".half.partial/**/*.*",
        "score suite many.jsonl -o half",
        "half",
        checked=True,
    ),
    Reading(
        "transcript",
        "transcript.jsonl",
        "play suite --transcript transcript.jsonl --json",
        checked=True,
        grows=True,
        said=TURNS,
    ),
    Reading("plans that were found", "cache/plans/*/*", f"{GENERATE} -o new", "new", checked=True),
)
READINGS = (*PLAIN, *CHECKED)


# -- damage ----------------------------------------------------------------------------------------


def _flip(rng: Random, data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _replace(rng: Random, data: bytes, at: int) -> bytes:
    size = rng.choice((1, 1, 8, 64))
    return data[:at] + rng.randbytes(size) + data[at + size :]


def _digit(rng: Random, data: bytes, at: int) -> bytes:
    """Change a number, which leaves the form of a text as it is."""
    places = [found.start() for found in re.finditer(rb"[0-9]", data)]
    at = rng.choice(places) if places else at
    return data[:at] + str(rng.randrange(10)).encode() + data[at + 1 :]


def _cut(rng: Random, data: bytes, at: int) -> bytes:
    return data[:at]


def _leave_out(rng: Random, data: bytes, at: int) -> bytes:
    return data[:at] + data[at + rng.choice((1, 2, 20, 500)) :]


def _again(rng: Random, data: bytes, at: int) -> bytes:
    size = rng.choice((1, 20, 500))
    return data[: at + size] + data[at:]


def _zeros(rng: Random, data: bytes, at: int) -> bytes:
    """Do as a disk does after a power cut."""
    size = rng.choice((1, 16, 512))
    return data[:at] + b"\0" * len(data[at : at + size]) + data[at + size :]


def _lines(rng: Random, data: bytes, at: int) -> bytes:
    """Leave out, repeat, or move a whole line."""
    lines = data.splitlines(keepends=True)
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.randrange(3)):
        lines.insert(rng.randrange(len(lines) + 1), line)
    return b"".join(lines)


DAMAGE: Sequence[Callable[[Random, bytes, int], bytes]] = (
    _flip, _flip, _replace, _digit, _cut, _leave_out, _again, _zeros, _lines,
)  # fmt: skip


def damaged(rng: Random, data: bytes) -> tuple[str, bytes]:
    """Return how data are damaged, and what they are then."""
    if not data:
        return "add", rng.randbytes(9)
    at, how = rng.randrange(len(data)), rng.choice(DAMAGE)
    return f"{how.__name__.strip('_')} at {at}", how(rng, data, at)


# -- the attack ------------------------------------------------------------------------------------


def attack(folder: Path, *, logs: bool = True) -> Attack:
    """Return the attack, which works in a folder of its own."""
    preload()
    whole = material(folder / "whole", logs=logs)
    readings = [each for each in READINGS if any(whole.glob(each.files))]

    @cache
    def undisturbed(reading: Reading) -> tuple[Ended, object]:
        return _read(reading, whole, folder / "undisturbed")

    def attempt(seed: int) -> Try:
        rng = Random(seed)
        reading = readings[seed % len(readings)]
        expected = undisturbed(reading)
        files = sorted(path for path in whole.glob(reading.files) if path.is_file())
        file = rng.choice(files).relative_to(whole)
        before = (whole / file).read_bytes()
        how, after = damaged(rng, before)
        found = _read(reading, whole, folder / "damaged", file, after)
        wrong = found[0].complaint() or _difference(reading, expected, found, file, before, after)
        return Try(reading.kind, wrong, f"plangauge {reading.command}  # {file}: {how}")

    return attempt


def _read(
    reading: Reading, whole: Path, place: Path, file: Path | None = None, data: bytes = b""
) -> tuple[Ended, object]:
    """Return how a command ends in a copy of the folder, and what it has written."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(whole, place)
    if file is not None:
        (place / file).write_bytes(data)
    ended = run(reading.command, place, reading.said)
    return ended, written(place / reading.writes) if reading.writes else None


def written(path: Path) -> object:
    """Return what is in a file, or in the files of a folder; None where there is nothing."""
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file())
        return {str(each.relative_to(path)): each.read_bytes() for each in files}
    return path.read_bytes() if path.exists() else None


def _difference(
    reading: Reading,
    expected: tuple[Ended, object],
    found: tuple[Ended, object],
    file: Path,
    before: bytes,
    after: bytes,
) -> str:
    """Return what is wrong with what a command has made of a damaged file."""
    ended, made = found
    if ended.status == 2:
        return "an error, but files are written" if made and made != expected[1] else ""
    if reading.checked and not (reading.grows and before.startswith(after)):
        if made != expected[1]:
            return f"other files are written, with status {ended.status}"
        if ended.out != expected[0].out:
            return f"something else is printed, with status {ended.status}"
    if reading.rows:
        lost = _lost(expected[0].out, ended.out, before, after)
        return f"rows that were not damaged have other results: {lost[0]!r}" if lost else ""
    return ""


def _lost(expected: bytes, found: bytes, before: bytes, after: bytes) -> list[bytes]:
    """Return results of rows that are in both files, and have other results."""
    rows = [line for line in before.split(b"\n") if line.strip()]
    kept, results = set(after.split(b"\n")), zip(rows, _results(expected), strict=True)
    there = set(_results(found))
    return [result for row, result in results if row in kept and result not in there]


def _results(printed: bytes) -> list[bytes]:
    """Return rows of results without the numbers of lines that errors name."""
    return [re.sub(rb"line [0-9]+: ", b"", line) for line in printed.splitlines()]
