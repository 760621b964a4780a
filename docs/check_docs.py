"""Run the code of the pages: what they show must work, and print what they say it prints.

python docs/check_docs.py                every page, and the README
python docs/check_docs.py tasks.md       one page (several: each in a process of its own)
python docs/check_docs.py --list         what is not run, and why

A page is run in an empty folder, from its beginning to its end. Blocks of ``python`` share their
names; a block of ``text`` behind one is what it printed. Of a block of ``console`` each command is
run, and compared with what is shown below it, to the line ``…`` where there is one. Blocks with
``title="FILE"`` are files, which are there from the beginning. Comments, which no reader sees, say
what else there is to know:

    <!-- run: COMMAND -->       run this first
    <!-- install: FILE -->      make known the entry points of a pyproject.toml, as pip would do
    <!-- python: CODE -->       the same in Python
    <!-- needs: MODULE … -->    leave the next block out where one of these is not installed
    <!-- not run: WHY -->       leave the next block out; its commands and options must exist

The pages of guides/ are run by scripts of their own.
"""

from __future__ import annotations

import doctest
import io
import json
import os
import re
import shlex
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from traceback import format_exc
from typing import Any, NamedTuple

import forking

DOCS = Path(__file__).resolve().parent
README = DOCS.parent / "README.md"
BEFORE = {README.name: "plangauge demo answers -o .."}
"""What is run before a page that has no comments: the current folder is called ``blocksworld``."""
DATA = ("bibtex", "pddl", "toml")
"""Blocks that are shown, and are neither run nor read here."""
SETS_UP = "python3 -m venv"
"""How commands begin that make an installation: they are the first ones of .ci/run."""
WITH_SCRIPTS = ("guides", "design")
"""Folders whose pages are run by scripts of their own, or have nothing to run."""

_PART = re.compile(
    r"^<!-- (?P<key>run|install|python|needs|not run): (?P<said>.*?) -->$"
    r"|^```(?P<kind>\w+)(?P<more>[^\n]*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_TITLE = re.compile(r'title="([^"]+)"')
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_OURS = {"plangauge": "plangauge", "eagent-eval": "plangauge.cli.eagent"}
_COMMENT = re.compile(r"\s{2,}#.*$", re.MULTILINE)


class Wrong(Exception):
    """A block does not do what the page says."""


class Block(NamedTuple):
    """A block of a page, and what comments say about it."""

    kind: str
    more: str
    text: str
    line: int
    needs: tuple[str, ...]
    why_not: str


def pages() -> list[Path]:
    """Return the pages whose code is run here."""
    found = sorted(page.relative_to(DOCS) for page in DOCS.rglob("*.md"))
    return [README, *(DOCS / page for page in found if page.parts[0] not in WITH_SCRIPTS)]


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page; what is hidden is of the kind that its comment says."""
    needs: tuple[str, ...] = ()
    why_not = ""
    for part in _PART.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        key, said = part["key"], part["said"]
        if key == "needs":
            needs = tuple(said.split())
        elif key == "not run":
            why_not = said
        elif key:
            yield Block(key, "hidden", said, line, needs, "")
        else:
            yield Block(part["kind"], part["more"], part["text"], line, needs, why_not)
            needs, why_not = (), ""


class Page:
    """A page that is run in the current folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.printed = ""
        """What the block before has printed."""
        self.run_count = 0
        self.left_out: list[str] = []
        self.wrong: list[str] = []

    def check(self) -> None:
        """Run all blocks; go on where one is wrong."""
        found = [*blocks(self.path.read_text(encoding="utf-8"))]
        for block in found:
            if title := _TITLE.search(block.more):
                file = Path(title[1])
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, encoding="utf-8")
        for block in found:
            where = f"{self.path.name}:{block.line}"
            lacking = [name for name in block.needs if find_spec(name) is None]
            why = block.why_not or (f"needs {', '.join(lacking)}" if lacking else "")
            why = why or ("it is the set-up" if block.text.startswith(SETS_UP) else "")
            try:
                if why:
                    self.left_out.append(f"{where}: {why}")
                    known(block)
                else:
                    self.run(block)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a page does
                told = error if isinstance(error, Wrong) else format_exc()
                self.wrong.append(f"{where}: {told}")

    def run(self, block: Block) -> None:
        """Run a block; raises `Wrong` where it does something else than the page says."""
        printed, self.printed = self.printed, ""
        if block.kind == "json":
            json.loads(block.text)
        elif _TITLE.search(block.more) or block.kind in DATA:
            pass
        elif block.kind == "text":
            if printed:
                same(block.text, printed)
        elif block.kind == "install":
            install(Path(block.text))
        elif block.kind == "python":
            self.printed = self.python(block)
        elif block.kind in ("run", "console", "sh"):
            self.commands(block)
        else:
            raise Wrong(f"nothing is known about blocks of {block.kind}")
        self.run_count += block.more != "hidden"

    def python(self, block: Block) -> str:
        """Run Python in the names of the page; return what it prints."""
        if block.text.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(
                block.text, self.names, self.path.name, str(self.path), block.line
            )
            told = io.StringIO()
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            if runner.run(test, out=told.write, clear_globs=False).failed:
                raise Wrong(told.getvalue())
            self.names.update(test.globs)
            return ""
        code = compile("\n" * block.line + block.text, str(self.path), "exec")
        with redirect_stdout(io.StringIO()) as printed:
            exec(code, self.names)
        return printed.getvalue()

    def commands(self, block: Block) -> None:
        """Run the commands of a block, and compare what they print with what is shown."""
        for command, shown in commands_of(block):
            got = run_command(command)
            if shown:
                same(shown, got)


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a block, each with what is shown below it."""
    if block.kind == "console":
        return [(_COMMENT.sub("", one), shown) for one, shown in _COMMAND.findall(block.text)]
    text = _COMMENT.sub("", block.text).replace("\\\n", " ")
    return [(line, "") for line in text.splitlines() if line.strip()]


def install(project: Path) -> None:
    """Put beside a project what an installation would leave there, so that it is found."""
    told = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    name, version = told["name"], told["version"]
    folder = Path(f"{name.replace('-', '_')}-{version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, points in told["entry-points"].items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in points.items()))
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run_command(command: str) -> str:
    """Run one of our commands; return what it prints. Raises `Wrong` where it cannot be used."""
    program, *words = shlex.split(command.replace("\\\n", " "))
    if program not in _OURS:
        raise Wrong(f"{program} is none of our commands: say why it is not run")
    environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "120"}
    done = forking.run("-m", _OURS[program], *words, env=environment, merged=True)
    if done.returncode > 1 or "Traceback" in done.stdout:  # 1: an answer is wrong
        raise Wrong(f"{command}\nended with {done.returncode}\n{done.stdout}")
    return done.stdout


def same(shown: str, got: str) -> None:
    """Raise `Wrong` where a text is another than is shown, but for blanks at the ends of lines."""
    wanted, lines = ([*map(str.rstrip, text.splitlines())] for text in (shown, got))
    if "…" in wanted:
        wanted = wanted[: wanted.index("…")]
        lines = lines[: len(wanted)]
    if wanted != lines:
        raise Wrong(f"the page says\n{shown}\nbut it is\n{got}")


def known(block: Block) -> None:
    """Raise `Wrong` where a block that is not run has a command or an option that does not exist.

    Python must be Python.
    """
    if block.kind == "python":
        compile(block.text.replace("…", "..."), "block", "exec")
    if block.kind not in ("console", "sh"):
        return
    for command, _ in commands_of(block):
        program, *words = shlex.split(command.replace("\\\n", " "))
        if program == "plangauge":
            known_command(words, command)


def known_command(words: list[str], whole: str) -> None:
    """Raise `Wrong` where a command of plangauge, or one of its options, does not exist."""
    import click

    from plangauge.cli import cli

    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group) and words:
        found = command.get_command(context, words[0])
        if found is None:
            raise Wrong(f"{whole}: there is no {words[0]}")
        command, words = found, words[1:]
    options = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    if given - options:
        raise Wrong(f"{whole}: there is no option {', '.join(sorted(given - options))}")


def check(path: Path) -> Page:
    """Run a page in an empty folder."""
    page = Page(path)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "blocksworld"
        place.mkdir()
        with chdir(place):
            if path.name in BEFORE:
                run_command(BEFORE[path.name])
            page.check()
    return page


def main(arguments: list[str]) -> int:
    """Check pages; return 1 where one is wrong."""
    if arguments == ["--list"]:
        for path in pages():
            for block in blocks(path.read_text(encoding="utf-8")):
                if block.why_not:
                    print(f"{path.relative_to(DOCS.parent)}:{block.line}: {block.why_not}")
        return 0
    if len(arguments) == 1:
        # No planner's answer of an earlier day counts, and nothing is left behind.
        os.environ |= {"PLANGAUGE_CACHE": "", "MPLBACKEND": "Agg"}
        sys.path.insert(0, "")  # the folder of the page, as in an interactive session
        page = check((DOCS / arguments[0]).resolve())
        print(*page.wrong, sep="\n\n", end="\n" if page.wrong else "")
        told = f"{page.run_count} blocks are true, {len(page.wrong)} wrong"
        print(f"{arguments[0]}: {told}, {len(page.left_out)} not run")
        return 1 if page.wrong else 0
    names = arguments or [os.path.relpath(path, DOCS) for path in pages()]
    checked = [forking.run(__file__, name, merged=True) for name in names]
    print(*(done.stdout for done in checked), sep="", end="")
    return max(done.returncode for done in checked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
