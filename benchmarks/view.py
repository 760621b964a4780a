"""How fast large runs are looked at: a million records, made of those of a small run.

    python benchmarks/view.py [--records 1000000] [--folder DIR]
    python benchmarks/view.py --reports [--records 100000] [--beside OTHER/src] [--rounds 3]

Rows are repeated with other ids, problems and models; then the page is made and asked over HTTP.
With --reports, the overview, the statistics and, up to 100,000 records, the page of `report` are
made instead, each in a process of its own: a table of CPU time and memory, medians of some rounds,
with another tree beside this in turn, and whether both say the same.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import duckdb

import plangauge
from plangauge.integrations.responses import responses_of
from plangauge.reports.page import Material, make_page
from plangauge.reports.view.site import LOOPBACK, ServerAddress, Site, serving
from plangauge.scoring.records import TABLE, Run
from plangauge.suites import Suite

REPORTS = ("overview", "statistics", "page")
MOST_OF_A_PAGE = 100_000
TIMES = 5
COPIES = 2
"""How many models are made of each."""
FILTERS: Mapping[str, Mapping[str, str]] = {
    "nothing chosen": {},
    "a model": {"model": "greedy-planner 1"},
    "a model, a task and a domain": {
        "model": "copy-state 0", "task": "plan-v1", "domain": "depots"},
    "all but right": {"outcome": "wrong"},
    "a fault": {"outcome": "wrong_order"},
    "a range of scores": {"least": "0.3", "most": "0.4"},
    "a range of sizes": {"by": "objects", "smallest": "8", "largest": "9"},
    "two words": {"search": "ferry goal"},
    "a word that is nowhere": {"search": "xylophone"},
    "sorted by score": {"order": "score", "up": "false"},
    "sorted by question": {"order": "question"},
    "the last page": {"first": "999950"},
    "the last page, sorted by question": {"order": "question", "first": "999950"},
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the runs are kept, to be used again")
    parser.add_argument("--reports", action="store_true", help="measure reports, not the server")
    parser.add_argument("--beside", metavar="SRC", help="the sources of another tree")
    parser.add_argument("--rounds", type=int, default=3, help="how often each report is made")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(_report(given.one[0], Path(given.one[1]), int(given.one[2])))
        return
    from page import _run as small_run  # which another tree may not have the names for

    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        small = small_run(folder, 5000)
        run = _repeated(small, folder / f"large-{given.records}", given.records)
        if given.reports:
            _reports(folder, given.records, given.beside, given.rounds)
            return
        size = (run.path / TABLE).stat().st_size / 1e6
        suite = Suite.load(folder / "suite")
        material = Material({suite.sha256: suite}, Material.find([small]).files, responses_of)
        seconds = time.perf_counter()
        site = Site([run], Path(tempfile.mkdtemp(dir=temporary)), material, _watch())
        print(f"{site.table.records:,} records ({size:.0f} MB) "
              f"are served after {time.perf_counter() - seconds:.0f} s")  # fmt: skip
        with serving(site) as served:
            _ask(site, served)
        site.close()
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"at most {used:,.0f} MB of memory")


def _reports(folder: Path, records: int, beside: str | None, rounds: int) -> None:
    """Print the table of what each report takes, the trees in turn."""
    trees = [*filter(None, (beside, str(Path(plangauge.__file__).parents[1])))]
    print(
        f"| {records:,} records | {' | '.join(trees)} | the same |\n|---|{'---|' * len(trees)}---|"
    )
    for what in REPORTS if records <= MOST_OF_A_PAGE else REPORTS[:-1]:
        made: dict[str, list[list[str]]] = {tree: [] for tree in trees}
        for _ in range(rounds):
            for tree in trees:
                command = [sys.executable, __file__, "--one", what, str(folder), str(records)]
                done = subprocess.run(
                    command, env={**os.environ, "PYTHONPATH": tree}, check=True, capture_output=True
                )
                made[tree].append(done.stdout.decode().split())
        cells = [
            "{:.1f} s ({:.0f} MB)".format(
                *(statistics.median(float(row[at]) for row in rows) for at in (0, 1))
            )
            for rows in made.values()
        ]
        same = len({row[2] for rows in made.values() for row in rows}) == 1
        print(f"| {what} | {' | '.join(cells)} | {'yes' if same else 'no'} |", flush=True)


def _report(what: str, folder: Path, records: int) -> str:
    """Make a report; return its CPU time, the peak of memory in MB and the hash of what it says."""
    from plangauge.reports.findings import KINDS, findings
    from plangauge.reports.overview import overview

    small = Run.load(folder / "run")
    run = Run(folder / f"large-{records}", {**small.manifest, "records": records})
    used = time.process_time()
    if what == "overview":
        made = json.dumps(overview([run]).as_dict()).encode()
    elif what == "statistics":
        made = json.dumps([found.as_dict() for found in findings([run], [*KINDS])]).encode()
    else:
        suite = Suite.load(folder / "suite")
        made = make_page([run], Material({suite.sha256: suite}, {}, responses_of)).data
    used = time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return f"{used:.3f} {memory:.1f} {sha256(made).hexdigest()}"


def _repeated(small: Run, folder: Path, records: int) -> Run:
    if not (folder / TABLE).exists():
        folder.mkdir(parents=True)
        source, target = small.path / TABLE, folder / TABLE
        query = f"""COPY (
            SELECT * EXCLUDE (n) REPLACE (
              sample || '/' || n // {COPIES} AS sample,
              problem || '/' || n // {COPIES} AS problem,
              model || ' ' || n % {COPIES} AS model)
            FROM read_parquet('{source}'), range(1000) AS times(n)
            ORDER BY n LIMIT {records}
          ) TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 8192)"""
        # In another process: the memory that is told is that of looking at records, not of making.
        with ProcessPoolExecutor(1) as other:
            other.submit(_do, query).result()
    return Run(folder, {**small.manifest, "records": records})


def _do(query: str) -> None:
    duckdb.sql(query)


def _watch():
    """Print how long each part of the start takes."""
    began = {"what": "", "at": 0.0}

    def begin(what: str, _total: int | None):
        now = time.perf_counter()
        if began["what"]:
            print(f"  {began['what']}: {now - began['at']:.1f} s")
        began.update(what=what, at=now)
        return lambda _count: None

    return begin


def _ask(site: Site, served: ServerAddress) -> None:
    for name, given in FILTERS.items():
        site.table.count.cache_clear()
        seconds, data = _times(served, "list", given)
        total = data.split(b",")[0].partition(b":")[2].decode()
        print(f"{name}: {total} responses, {_told(seconds)}")
    rows = site.list({"task": "plan-v1", "search": "0001/plan-v1/0"})["rows"]
    links = [f"{row['sample']}/{row['label'].replace(' ', '%20')}/1" for row in rows]
    seconds = [_times(served, "response", {"link": link}, 1)[0][0] for link in links]
    print(f"a response: {_told(seconds)}")
    for key in ("task=plan-v1", "domain=ferry"):
        print(f"numbers of {key}: {_told(_times(served, 'selection', {'key': key}, 1)[0])}")


def _times(
    served: ServerAddress, what: str, given: Mapping[str, str], times: int = TIMES
) -> tuple[list[float], bytes]:
    found, data = [], b""
    for _ in range(times):
        connection = HTTPConnection(LOOPBACK, served.port)
        seconds = time.perf_counter()
        connection.request("GET", f"/{served.token}/{what}?{urlencode(given)}")
        answer = connection.getresponse()
        data = answer.read()
        found.append(time.perf_counter() - seconds)
        assert answer.status == 200, data
        connection.close()
    return found, data


def _told(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"{ordered[len(ordered) // 2]:.3f} s, at most {ordered[-1]:.3f} s"


if __name__ == "__main__":
    main()
