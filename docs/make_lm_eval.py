"""Write the task folder of lm-evaluation-harness that comes with plangauge.

python docs/make_lm_eval.py            write it
python docs/make_lm_eval.py --check    exit with 1 where it is not up to date
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from plangauge.integrations.lm_eval.folder import SHIPPED, Settings, write_folder
from plangauge.integrations.lm_eval.scoring import PACKED
from plangauge.integrations.packed import unpack
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.tasks import general_tasks

QUESTIONS = 5
"""Of each task."""

_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
"""The hash of the suite, which differs from version to version of plangauge."""


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tasks = tuple(task.rpartition("-v")[0] for task in general_tasks())
        request = Request(QUESTIONS, tasks=tasks, planner="astar", name="plangauge")
        suite = build_suite(folder / "suite", [DomainSpec.of("blocksworld")], request)
        if "--check" not in sys.argv[1:]:
            write_folder(suite, SHIPPED, Settings(name="plangauge"))
            return 0
        write_folder(suite, folder / "fresh", Settings(name="plangauge"))
        fresh, there = content(folder / "fresh"), content(SHIPPED)
    wrong = sorted(file for file in {*fresh, *there} if fresh.get(file) != there.get(file))
    for file in wrong:
        print(f"{SHIPPED / file} is not up to date; run: python docs/make_lm_eval.py")
    return 1 if wrong else 0


def content(folder: Path) -> dict[str, Any]:
    """Return what is in the files of a folder, however the questions are compressed."""
    files = (file for file in sorted(folder.iterdir()) if file.is_file())
    texts = {file.name: _DIGEST.sub("", file.read_text("utf-8")) for file in files}
    return {
        name: [*map(doc, text.splitlines())] if name.endswith(".jsonl") else text
        for name, text in texts.items()
    }


def doc(line: str) -> dict[str, Any]:
    row = json.loads(line)
    return {**row, PACKED: unpack(row[PACKED])}


if __name__ == "__main__":
    sys.exit(main())
