"""Rows per CPU second of each engine that is installed, beside the plain command.

    python benchmarks/engines.py [--rows 100000] [--problems 100] [--jobs 2] [--only ENGINE…]
                                 [--kill] [--folder DIR]

The responses are sampled: ten models answer some problems of each of five domains, with plans and
with lists of applicable actions, in as many epochs as are needed; those of a model are together,
and among these those to a question. Each model has its own skill, and draws from up to 29 answers
to a question, the likelier ones more often; one response in ten also has reasoning that no other
has. CPU time and memory are those of all processes of a command, looked at every second: the memory
is what they have together, at the most, in each fifth of the time from the first part to the last;
that of each process is told on stderr after every tenth part.
The records of each run are compared with those of the first, as sets of rows, byte for byte. With
--kill, each engine's command is killed with all its processes when half of the parts are scored,
and run again: CPU time is that of both, the other figures are those of the second. Polars and
datasets, which have no command, score in a program of their own, file by file, which leaves out the
files that it has scored. With --folder, all is kept, and complete runs are not made again.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from plangauge.arrow import engines, scorer
from plangauge.arrow.functions import RECORD_SCHEMA
from plangauge.arrow.partitions import UNFINISHED
from plangauge.core.errors import MissingExtra
from plangauge.scoring.baselines import answers
from plangauge.scoring.records import RUN, TABLE, Run
from plangauge.suites import Suite
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.suites.files import as_line, sha256_of

DOMAINS = {
    "blocksworld": {"blocks": 5}, "depots": {"crates": 2}, "ferry": {"cars": 2},
    "logistics": {"packages": 2}, "satellite": {"images": 2},
}  # fmt: skip
TASKS = ("plan", "applicability")
WRONG = ("truncated-truth", "shuffled-truth", "random-applicable", "greedy-planner")
MODELS, SAMPLES = 10, 7
FILES, ROW_GROUP = 20, 10_000
OWN = 10
"""One response in so many has reasoning of its own."""
MARK = "PLANGAUGE_BENCHMARK"
TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
PROGRAM = "import sys\nfrom plangauge.cli import main\nmain(sys.argv[1:])\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--problems", type=int, default=100, help="of each domain")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--folder", type=Path, help="where all is kept")
    parser.add_argument("--only", nargs="*", default=["plain", *engines.COMPUTING, *FRAMES])
    parser.add_argument("--frame", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.frame:
        framed(given.frame, given.folder, given.jobs)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if not (folder / "responses" / "complete").exists():
            made(folder, given.rows, given.problems)
        print(f"{given.rows:,} responses, {given.jobs} processes")
        print("| | rows per CPU second | CPU | wall | memory, MB | records |")
        print("|---|---|---|---|---|---|")
        wanted = None
        for name in given.only:
            output = folder / name
            told = row(name, folder, output, given) if not (output / RUN.manifest).exists() else ""
            if not (output / RUN.manifest).exists():
                print(f"| {name} | {told} | | | | |", flush=True)
                continue
            found = fingerprint(Run.load(output))
            wanted = wanted or found
            same = "the same" if found == wanted else "NOT the same"
            print(f"| {name} | {told or '| | |'} | {found[0]:,}, {same} |", flush=True)


def row(name: str, folder: Path, output: Path, given: argparse.Namespace) -> str:
    """Score the responses; return the figures, or why there are none."""
    engine = [] if name == "plain" else ["--engine", name]
    if engine:
        try:
            engines.engine_named(name)
        except MissingExtra as error:
            return str(error)
    files = sorted(map(str, (folder / "responses").glob("*.parquet")))
    words = ["-c", PROGRAM, "score", str(folder / "suite"), *files, "-o", str(output), "-q",
             "--jobs", str(given.jobs), *engine]  # fmt: skip
    if name in FRAMES:
        words = [__file__, "--frame", name, "--folder", str(folder), "--jobs", str(given.jobs)]
    before = Command(words, output).killed(len(files) // 2) if engine and given.kill else 0
    cpu, wall, memory = Command(words, output).measured()
    most = " ".join(f"{each / 1e6:,.0f}" for each in memory)
    return f"{given.rows / (before + cpu):,.0f} | {before + cpu:,.0f} s | {wall:,.0f} s | {most}"


def of_polars(file: Path, score: Any, jobs: int) -> pa.Table:
    import polars as pl

    del jobs  # a frame has one thread
    return engines.engine_named("polars").mapped(pl.scan_parquet(file), score).collect().to_arrow()


def of_datasets(file: Path, score: Any, jobs: int) -> pa.Table:
    import datasets

    datasets.disable_progress_bars()
    rows = datasets.Dataset.from_parquet(str(file), cache_dir=str(file.parent / "cache"))
    return engines.engine_named("datasets").mapped(rows, score, num_proc=jobs).data.table


FRAMES: dict[str, Callable[[Path, Any, int], pa.Table]] = {
    "polars": of_polars,
    "datasets": of_datasets,
}
"""What has no command → the results for a file."""
SCORED = "scored"
"""The folder of their results for each file, until all are there."""


def framed(name: str, folder: Path, jobs: int) -> None:
    """Score the files that have no results yet, one after the other, and make a run of all."""
    score, output = scorer(folder / "suite"), folder / name
    (output / SCORED).mkdir(parents=True, exist_ok=True)
    for file in sorted((folder / "responses").glob("*.parquet")):
        done = output / SCORED / file.name
        if not done.exists():
            found = FRAMES[name](file, score, jobs).to_pylist()
            rows = [
                {**row, "scores": [*map(_pair, row["scores"])]}
                for row in found if row["error"] is None
            ]  # fmt: skip
            table = pa.Table.from_pylist(rows, RECORD_SCHEMA)
            parquet.write_table(table, done.with_suffix(".part"))
            done.with_suffix(".part").rename(done)
    (output / SCORED).rename(output / TABLE)
    sums = {f"{TABLE}/{part.name}": sha256_of(part) for part in (output / TABLE).iterdir()}
    RUN.write(output, {**RUN.read(folder / "plain"), "sha256": sums})


def _pair(score: Any) -> tuple[Any, ...]:
    """Return a name and a value, which a library without maps has as an object."""
    return (*score.values(),) if isinstance(score, dict) else score


class Usage(NamedTuple):
    """What the processes of a command use."""

    cpu: float
    memory: float
    parts: int


class Command:
    """A command and all its processes, also those that others start for it."""

    def __init__(self, words: list[str], output: Path) -> None:
        self.mark = f"{MARK}={os.getpid()}-{time.monotonic_ns()}"
        name, value = self.mark.split("=")
        self.process = subprocess.Popen(
            [sys.executable, *words], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env={**os.environ, name: value, "RAY_DEDUP_LOGS": "0"},
        )  # fmt: skip
        self.output = output
        self.cpu: dict[int, float] = {}
        self.marked = {self.process.pid: True}

    def watched(self) -> Iterator[Usage]:
        """Yield what is used, every second, until the command ends."""
        told = 0
        while self.process.poll() is None:
            used: list[float] = []
            for process in self.processes():
                try:
                    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2]
                    used.append(resident(process))
                except OSError:  # it has ended
                    continue
                user, system = map(int, fields.split()[11:13])
                self.cpu[process] = (user + system) / TICKS
            parts = len([*self.output.glob(f"{UNFINISHED}/part-*.jsonl")])
            parts += len([*self.output.glob(f"{SCORED}/*.parquet")])
            if parts // 10 > told:
                told = parts // 10
                each = " ".join(f"{process / 1e6:,.0f}" for process in used)
                print(f"{parts:5} parts {each} MB", file=sys.stderr, flush=True)
            yield Usage(sum(self.cpu.values()), sum(used), parts)
            time.sleep(1)

    def measured(self) -> tuple[float, float, list[float]]:
        """Return the CPU time in seconds, the time, and the memory in bytes in five periods."""
        began = time.monotonic()
        seen = [*self.watched()]
        wall, said = time.monotonic() - began, self.process.communicate()[1].decode()
        assert self.process.returncode in (0, 1), said
        working = [each.memory for each in seen if each.parts] or [each.memory for each in seen]
        periods = np.array_split(np.array(working), 5)
        return seen[-1].cpu, wall, [float(each.max(initial=0)) for each in periods]

    def killed(self, parts: int) -> float:
        """Kill all its processes when so many parts are scored; return the CPU time until then."""
        used = next(seen for seen in self.watched() if seen.parts >= parts)
        assert self.process.poll() is None, "it ended before it could be killed"
        while there := self.processes():
            for process in there:
                os.kill(process, signal.SIGKILL)
            self.process.poll()
            time.sleep(0.1)
        return used.cpu

    def processes(self) -> list[int]:
        """Return the processes that have its mark in their environment."""
        there = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
        self.marked = {each: self.is_marked(each) for each in there}
        return [each for each, marked in self.marked.items() if marked]

    def is_marked(self, process: int) -> bool:
        """Return whether a process has its mark; False for one that has ended."""
        if process in self.marked:
            return self.marked[process]
        try:
            return self.mark.encode() in Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        except OSError:
            return False


def resident(process: int) -> float:
    """Return the memory of a process in bytes, its share of what it has with others."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return float(line.split()[1]) * 1024
    return 0


def fingerprint(run: Run) -> tuple[int, int]:
    """Return the number of the records and a hash of them, whatever their order."""
    count = total = 0
    for record in run:
        count += 1
        total += int.from_bytes(blake2b(as_line(record.as_row()), digest_size=16).digest())
    return count, total % (1 << 128)


def made(folder: Path, rows: int, problems: int) -> None:
    """Write a suite and responses to it."""
    request = Request(count=problems, tasks=TASKS)
    domains = [DomainSpec.of(*each) for each in DOMAINS.items()]
    suite = build_suite(folder / "suite", domains, request)
    (folder / "responses").mkdir(exist_ok=True)
    batches = sampled(suite, -(-rows // (len(suite) * MODELS)))
    left: pa.Table | None = None
    for number in range(FILES):
        wanted = (number + 1) * rows // FILES - number * rows // FILES
        with parquet.ParquetWriter(
            folder / f"responses/r{number:02}.parquet", SCHEMA, compression="zstd"
        ) as writer:
            while wanted:
                left = left or next(batches)
                taken = min(wanted, left.num_rows)
                writer.write_table(left[:taken], ROW_GROUP)
                left, wanted = left[taken:], wanted - taken
    (folder / "responses" / "complete").touch()


SCHEMA = pa.schema([
    ("id", pa.string()), ("response", pa.string()), ("model", pa.string()), ("epoch", pa.int64()),
])  # fmt: skip


def sampled(suite: Suite, epochs: int) -> Iterator[pa.Table]:
    """Yield the responses of each model to each question, in all epochs."""
    truths = [*answers(suite, "truth")]
    others = [[*answers(suite, kind, seed)] for seed in range(SAMPLES) for kind in WRONG]
    rng, likely = np.random.default_rng(0), 1 / np.arange(1, len(others) + 1)
    reasoning = "This is try {}. I follow the state after every action.\n\nFinal answer:\n"
    numbers = [*range(1, epochs + 1)]
    for model in range(MODELS):
        for right, *wrong in zip(truths, *others, strict=True):
            able = rng.random(epochs) < (model + 1) / (MODELS + 1)
            drawn = rng.choice(len(wrong), epochs, p=likely / likely.sum())
            own = rng.random(epochs) < 1 / OWN
            texts = [
                (reasoning.format(number) if alone else "")
                + (right if knows else wrong[which]).text
                for number, alone, knows, which in zip(numbers, own, able, drawn, strict=True)
            ]
            names = [f"model-{model}"] * epochs
            yield pa.table([[right.sample] * epochs, texts, names, numbers], schema=SCHEMA)


if __name__ == "__main__":
    main()
