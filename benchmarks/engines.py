"""Rows per CPU second of each engine that is installed, beside the plain command.

    python benchmarks/engines.py [--rows 20000] [--jobs 2] [--only ENGINE…] [--kill]

Plans and lists of applicable actions in five domains, as models write them, no response twice, as
eight Parquet files. CPU time is that of all processes that were started, user and system, and
includes starting the engine; that of workers which Spark and Ray start aside cannot be told. The
run of each is compared with that of the plain command. With --kill, each engine's command is killed
with all its processes after its second part, and the figures are those of the same command again.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from plangauge.arrow import engines
from plangauge.arrow.partitions import UNFINISHED
from plangauge.core.errors import MissingExtra
from plangauge.scoring.baselines import answers
from plangauge.scoring.records import Run
from plangauge.suites.build import DomainSpec, Request, build_suite

DOMAINS = ("blocksworld", "depots", "ferry", "logistics", "satellite")
KINDS = ("truth", "truncated-truth", "shuffled-truth", "random-applicable")
FILES = 8
ASIDE = ("spark", "ray")
"""Engines whose workers are not children of the command."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--only", nargs="*", default=["", *engines.COMPUTING])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made(folder, given.rows)
        files = sorted(map(str, (folder / "responses").iterdir()))
        print(f"{given.rows:,} responses, {given.jobs} processes")
        print("| engine | rows per CPU second | wall | memory of the driver | the same |")
        print("|---|---|---|---|---|")
        wanted = None
        for name in given.only:
            if name:
                try:
                    engines.engine_named(name)
                except MissingExtra as error:
                    print(f"| {name} | {error} | | | |")
                    continue
            output = folder / (name or "plain")
            more = ["--engine", name, "--jobs", str(given.jobs)] if name else []
            words = ["score", str(folder / "suite"), *files, "-o", str(output), "-q", *more]
            if name and given.kill:
                killed(words, output / UNFINISHED)
            rate, wall, memory = measured(words, given.rows)
            records = sorted(repr(record) for record in Run.load(output))
            wanted = wanted or records
            same = "yes" if records == wanted else "NO"
            told = "unknown" if name in ASIDE else f"{rate:,.0f}"
            print(f"| {name or 'plain command'} | {told} | {wall:.0f} s "
                  f"| {memory:,.0f} MB | {same} |", flush=True)  # fmt: skip


def measured(words: list[str], rows: int) -> tuple[float, float, float]:
    """Return the rows per CPU second of a command with all its processes, its time and memory."""
    began, before = time.perf_counter(), cpu()
    program = (
        "import resource, sys\nfrom plangauge.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit as end:\n    assert end.code in (0, 1)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, flush=True)\n"
    )
    environment = {**os.environ, "RAY_DEDUP_LOGS": "0"}
    done = subprocess.run([sys.executable, "-c", program, *words], check=True, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # fmt: skip
    wall = time.perf_counter() - began
    return rows / (cpu() - before), wall, float(done.stdout.split()[-1])


def killed(words: list[str], parts: Path) -> None:
    """Begin a command, and kill it and its processes as soon as two parts are scored."""
    program = "import sys\nfrom plangauge.cli import main\nmain(sys.argv[1:])\n"
    command = [sys.executable, "-c", program, *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, start_new_session=True, **quiet) as process:
        while process.poll() is None and len([*parts.glob("part-*")]) < 2:
            time.sleep(0.05)
        assert process.returncode is None, "it ended before it could be killed"
        os.killpg(process.pid, signal.SIGKILL)


def cpu() -> float:
    """Return the CPU time of the processes that were started and have ended, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def made(folder: Path, rows: int) -> None:
    """Write a suite and responses to it."""
    request = Request(count=20, tasks=("plan", "applicability"))
    suite = build_suite(folder / "suite", [*map(DomainSpec.of, DOMAINS)], request)
    columns = {"id": [], "response": [], "model": [], "epoch": []}
    epoch = 0
    while len(columns["id"]) < rows:
        for kind in KINDS:
            for answer in answers(suite, kind, epoch):
                columns["id"].append(answer.sample)
                columns["response"].append(f"Attempt {epoch}:\n{answer.text}")
                columns["model"].append(kind)
                columns["epoch"].append(epoch)
        epoch += 1
    table = pa.table(columns).slice(0, rows)
    (folder / "responses").mkdir()
    for number in range(FILES):
        first, end = number * rows // FILES, (number + 1) * rows // FILES
        parquet.write_table(
            table.slice(first, end - first), folder / f"responses/r{number}.parquet"
        )


if __name__ == "__main__":
    main()
