"""Run the console examples of the README and compare what they print.

python docs/check_readme.py
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from plangauge.demo import write_demo

README = Path(__file__).resolve().parents[1] / "README.md"


def main() -> int:
    blocks = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        write_demo(Path(folder))
        for block in blocks:
            command, wanted = block.split("\n", 1)
            words = [sys.executable, "-m", *shlex.split(command.removeprefix("$ "))]
            got = subprocess.run(
                words, cwd=Path(folder) / "blocksworld", capture_output=True, text=True, check=False
            ).stdout
            if got != wanted:
                wrong += 1
                print(f"{command}\nprints\n{got}\nbut the README says\n{wanted}")
    print(f"{len(blocks) - wrong} of {len(blocks)} examples of the README are true")
    return 1 if wrong or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
