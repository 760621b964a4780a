"""How long it takes to make a suite of questions with true answers, without planning, on one core.

    python benchmarks/generation_speed.py [DOMAIN …] [--count 500] [--planner auto] [--jobs 2]

By default the paper's suite: seven questions about each of 500 problems of Blocksworld and of
Depots. It is made twice: first with planning, by several processes, then by one process that finds
the reference plans in the cache; both must be equal to the byte. The second is what is claimed. It
includes reading the problems, executing the reference plans again, and writing and hashing files.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from plangauge.suites.build import DomainSpec, Request, build_suite


def cpu() -> float:
    """Return the seconds of CPU of this process and of those that it has started."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usage)


def made(folder: Path, chosen: list[DomainSpec], request: Request, jobs: int):
    """Return a suite, and the seconds of CPU and of wall time that it took."""
    started, began = time.perf_counter(), cpu()
    suite = build_suite(folder, chosen, request, jobs)
    return suite, cpu() - began, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("domains", nargs="*", default=["blocksworld", "depots"])
    parser.add_argument("--count", type=int, default=500, help="problems of each domain")
    parser.add_argument("--planner", default="auto")
    parser.add_argument("--jobs", type=int, default=2, help="processes that plan")
    options = parser.parse_args()
    chosen = [DomainSpec.of(name) for name in options.domains]
    request = Request(count=options.count, planner=options.planner)
    with TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["PLANGAUGE_CACHE"] = str(folder / "cache")
        first, planning, wall = made(folder / "first", chosen, request, options.jobs)
        print(f"with planning, {options.jobs} processes: {planning:.1f} s of CPU in {wall:.1f} s")
        second, taken, wall = made(folder / "second", chosen, request, 1)
        assert first.sha256 == second.sha256, "two suites of the same seed differ"
        size = sum(file.stat().st_size for file in second.path.rglob("*") if file.is_file())
        print(
            f"{len(second):,} questions about {options.count * len(chosen):,} problems"
            f" ({size / 1e6:.1f} MB): {taken:.1f} s of CPU in {wall:.1f} s"
        )


if __name__ == "__main__":
    main()
