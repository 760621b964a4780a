"""The CPU time of a command from start to end, beside that of Python and of click alone.

    python benchmarks/startup.py                          this checkout
    python benchmarks/startup.py --against OTHER/src      beside another one, in turn

Bytecode is cached, as by an installation. Printed are medians of user and system time of whole
processes, in milliseconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
COMMAND = "import sys; from plangauge.cli import main; main(sys.argv[1:])"


def cpu(code: str, words: list[str], source: Path, scratch: Path) -> float:
    """Return the milliseconds of CPU that a process takes."""
    cache = scratch / source.as_posix().replace("/", "_")
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONPYCACHEPREFIX": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *words], env=environment, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--against", type=Path, help="the src folder of another checkout")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    sources = [SOURCE, *([given.against.resolve()] if given.against else [])]
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        folder = SOURCE / "plangauge/domains/blocksworld"
        names = ("domain.pddl", "demo/problem.pddl", "demo/reference.plan")
        validate = ["validate", *(str(folder / name) for name in names)]
        calls = {
            "Python alone": ("pass", []),
            "click imported": ("import click", []),
            "plangauge imported": ("import plangauge", []),
            "plangauge --help": (COMMAND, ["--help"]),
            "plangauge validate --help": (COMMAND, ["validate", "--help"]),
            "plangauge validate, a plan file": (COMMAND, validate),
            "plangauge validate --json": (COMMAND, [*validate, "--json"]),
        }
        for label, (code, words) in calls.items():
            times = [[cpu(code, words, source, scratch) for source in sources]
                     for _ in range(given.rounds + 1)][1:]  # fmt: skip
            medians = [statistics.median(column) for column in zip(*times, strict=True)]
            print(f"{label:<34}", *(f"{median:6.0f} ms" for median in medians), flush=True)


if __name__ == "__main__":
    main()
