"""What the scripts of this folder share: they run what their page shows, and compare or write it.

python docs/guides/benchmarking.py            run it, and print what the page shows
python docs/guides/benchmarking.py --check    exit with 1 where the page says anything else
python docs/guides/benchmarking.py --write    put it into the page

A page has the script's name. Its blocks are compared in their order, but for those marked ``sh``. A
section that needs a package which is not installed is left out, and as it is.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from difflib import unified_diff
from glob import glob
from importlib.util import find_spec
from inspect import getsource
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

import forking  # noqa: E402 - it is beside the pages

sys.path.remove(str(HERE.parent))

MODULES = {"plangauge": "plangauge", "inspect": "inspect_ai", "lm_eval": "lm_eval"}
SERVER = "http://localhost:8000/v1"
"""What pages call the server, whatever its port is."""
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$|^## (.*?)$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A block of a page: what its text is in, and the text."""

    kind: str
    text: str


class Guide:
    """The blocks of a page as they are when its examples are run, in an empty folder."""

    def __init__(self, script: str) -> None:
        self.page = Path(script).resolve().with_suffix(".md")
        self.blocks: list[Block] = []
        self.left_out: set[str] = set()
        self.address = SERVER
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        os.chdir(self.folder.name)
        os.environ |= {"INSPECT_DISPLAY": "none", "INSPECT_LOG_LEVEL": "error", "NO_COLOR": "1"}

    def can(self, section: str, *packages: str) -> bool:
        """Return whether the packages of a section are installed; without them it is left out."""
        lacking = [name for name in packages if find_spec(name) is None]
        if lacking:
            self.left_out.add(section)
            print(f"left out: {section} (needs {', '.join(lacking)})", file=sys.stderr)
        return not lacking

    def copy(self, name: str) -> None:
        """Copy a folder from beside the page."""
        shutil.copytree(HERE / name, name)

    def file(self, path: str) -> None:
        """Show a file."""
        self._add(Path(path).suffix[1:], Path(path).read_text(encoding="utf-8"))

    def run(self, *commands: str, lines: int | None = None, status: int = 0) -> None:
        """Run commands and show them with what they print, or with the first lines of that."""
        shown = ""
        for command in commands:
            got = self._run(command, status).splitlines(keepends=True)
            shown += f"$ {command}\n" + "".join(got[:lines])
            shown += "…\n" if lines and len(got) > lines else ""
        self._add("console", shown)

    def python(self, example: Callable[[], None], without: str = "\0") -> None:
        """Run a function without arguments, and show its body, then what it prints.

        Lines that begin with a text are left out: what others print in between.
        """
        self._add("python", dedent(getsource(example).split("\n", 1)[1]))
        with redirect_stdout(io.StringIO()) as printed:
            example()
        lines = printed.getvalue().splitlines(keepends=True)
        if shown := "".join(line for line in lines if not line.startswith(without)):
            self._add("text", shown)

    @contextmanager
    def server(self, *arguments: str) -> Iterator[str]:
        """Run the server that stands in for a model, and give its address."""
        command = [sys.executable, str(HERE / "stand_in.py"), *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                self.address = server.stdout.readline().strip() or "no server"
                yield self.address
            finally:
                server.terminate()

    def finish(self) -> int:
        """Compare with the page or write it, where that is asked for; return the exit status."""
        os.chdir(HERE)
        self.folder.cleanup()
        if "--write" in sys.argv:
            return self._write()
        return self._check() if "--check" in sys.argv else 0

    def _run(self, command: str, status: int) -> str:
        """Run a command; return what it prints, as the page shows it."""
        words = shlex.split(command.replace("\\\n", " ").replace(SERVER, self.address))
        if words[0] == "export":
            os.environ.update(word.split("=", 1) for word in words[1:])
            return ""
        words = [path for word in words for path in (sorted(glob(word)) or [word])]  # noqa: PTH207
        done = forking.run("-m", MODULES[words[0]], *words[1:], merged=True)
        if done.returncode != status:
            raise SystemExit(f"{command}\nended with {done.returncode}\n{done.stdout}")
        return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())

    def _add(self, kind: str, text: str) -> None:
        block = Block(kind, text.replace(self.address, SERVER))
        self.blocks.append(block)
        if len(sys.argv) == 1:
            print(f"```{kind}\n{block.text}```\n")

    def _compared(self, page: str) -> list[re.Match[str]]:
        """Return the blocks of a page that are compared."""
        found, section = [], ""
        for match in _FENCED.finditer(page):
            section = match[3] or section
            if match[1] not in (None, "sh") and section not in self.left_out:
                found.append(match)
        return found

    def _check(self) -> int:
        there = [
            Block(*match.groups()[:2]) for match in self._compared(self.page.read_text("utf-8"))
        ]
        if there == self.blocks:
            print(f"{self.page.name}: all {len(there)} blocks are true")
            return 0
        lines = _lines(there), _lines(self.blocks)
        print(*unified_diff(*lines, "page", "script", lineterm=""), sep="\n")
        return 1

    def _write(self) -> int:
        page = self.page.read_text("utf-8")
        there = self._compared(page)
        if len(there) != len(self.blocks):
            kinds = [block.kind for block in self.blocks]
            raise SystemExit(f"the page has {[match[1] for match in there]}, the script {kinds}")
        for match, block in reversed([*zip(there, self.blocks, strict=True)]):
            page = f"{page[: match.start()]}```{block.kind}\n{block.text}```{page[match.end() :]}"
        self.page.write_text(page, encoding="utf-8")
        return 0


def _lines(blocks: list[Block]) -> list[str]:
    return [line for block in blocks for line in (block.kind, *block.text.splitlines())]
