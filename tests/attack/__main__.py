"""The command: ``python -m tests.attack``; exits with 1 where anything went wrong."""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import count, islice
from pathlib import Path

from . import ATTACKS
from . import __doc__ as described
from .tries import tallied


def main() -> int:
    """Make the attacks that are asked for, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.attack",
        description=described,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=5, help="for all of them (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="of the first try (default: 0)")
    parser.add_argument("--tries", type=int, help="of each, at most")
    parser.add_argument("--only", action="append", choices=[*ATTACKS], metavar="NAME")
    parser.add_argument("--json", action="store_true", help="print a row of JSON for each")
    given = parser.parse_args()
    names = given.only or [*ATTACKS]
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        for name in names:
            attack = ATTACKS[name](Path(folder) / name)
            seeds = islice(count(given.seed), given.tries)
            tally = tallied(name, attack, seeds, 60 * given.minutes / len(names))
            wrong += tally.wrong.total()
            print(tally.as_json() if given.json else tally, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
