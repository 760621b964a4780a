"""What reports on large runs in parts take: CPU time and memory, each in a process of its own.

    python benchmarks/scale.py [--records 1000000] [--folder DIR] [--only REPORT…]

The records of a small run are repeated as 100,000 questions, in as many epochs as are needed, in
parts of 50,000 rows, as an engine writes them. The models change places from one epoch to the next,
so that each has up to five different answers to a question.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from plangauge.scoring.records import RUN, TABLE, Run

QUESTIONS, PART = 100_000, 50_000
REPORTS = ("nothing", "load", "overview", "leaderboard", "compare-runs", "statistics", "view",
           "report")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the runs are kept, to be used again")
    parser.add_argument("--only", nargs="*", default=REPORTS, help="some of the reports")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(report(given.one[0], Path(given.one[1])))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)) / f"parts-{given.records}"
        if not (folder / RUN.manifest).exists():
            program = f"from scale import made; made({str(folder)!r}, {given.records})"
            command = [sys.executable, "-c", program]
            subprocess.run(command, check=True, cwd=Path(__file__).parent)
        parts = [*(folder / TABLE).iterdir()]
        size = sum(part.stat().st_size for part in parts) / 1e6
        print(f"{given.records:,} records in {len(parts):,} parts, {size:,.0f} MB")
        print("| | CPU | memory |\n|---|---|---|")
        for what in given.only:
            command = [sys.executable, __file__, "--one", what, str(folder)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, memory = map(float, done.stdout.split())
            print(f"| {what} | {seconds:,.0f} s | {memory:,.0f} MB |", flush=True)


def report(what: str, folder: Path) -> str:
    """Make a report; return its CPU time in seconds, and the peak of memory in MB."""
    import scipy.special  # noqa: F401  # what all of them import is not what grows

    from plangauge.reports import differences, findings, leaderboard, overview
    from plangauge.reports.page.write import make_page
    from plangauge.reports.view.table import Table

    run = Run(folder, json.loads((folder / RUN.manifest).read_text()))
    used = time.process_time()
    if what == "load":
        Run.load(folder)
    elif what == "overview":
        json.dumps(overview.overview([run]).as_dict())
    elif what == "leaderboard":
        json.dumps(leaderboard.leaderboard([run]).as_dict())
    elif what == "compare-runs":
        json.dumps(differences.differences([run]).as_dict())
    elif what == "statistics":
        json.dumps([found.as_dict() for found in findings.findings([run], [*findings.KINDS])])
    elif what == "view":
        with tempfile.TemporaryDirectory() as scratch:
            Table([run], Path(scratch)).close()
    elif what == "report":
        make_page([run])
    used = time.process_time() - used
    return f"{used} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}"


def made(path: str, records: int) -> None:
    """Write a run in parts."""
    import duckdb
    from page import _run as small_run

    from plangauge.suites.files import sha256_of

    folder = Path(path)
    (folder / TABLE).mkdir(parents=True)
    (folder.parent / "small").mkdir(exist_ok=True)
    small = small_run(folder.parent / "small", 5000)
    source = small.path / TABLE
    duckdb.execute("SET enable_progress_bar = false")
    query = f"""SELECT count(*), count(DISTINCT sample), list(DISTINCT model ORDER BY model)
        FROM '{source}'"""
    count, questions, models = duckdb.execute(query).fetchone()
    times, copies = -(-PART // count), QUESTIONS // questions
    for number in range(-(-records // PART)):
        epoch, first = divmod(number * times, copies)
        query = f"""COPY (
            SELECT * EXCLUDE (n) REPLACE (
              sample || '/' || n AS sample, problem || '/' || n AS problem,
              {epoch + 1}::BIGINT AS epoch,
              {models}[(list_position({models}, model) + {epoch}) % {len(models)} + 1] AS model)
            FROM read_parquet('{source}'), range({first}, {first + times}) AS times(n)
            ORDER BY n LIMIT {PART}
          ) TO '{folder / TABLE}/part-{number:06}.parquet'
            (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 8192)"""
        duckdb.execute(query)
    manifest = {k: v for k, v in small.manifest.items() if k not in ("sha256", "format", "version")}
    sums = {f"{TABLE}/{part.name}": sha256_of(part) for part in (folder / TABLE).iterdir()}
    RUN.write(folder, {**manifest, "records": records, "sha256": sums})


if __name__ == "__main__":
    main()
