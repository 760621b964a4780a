"""Python programs in processes of their own, forked from one that has imported what is large.

Importing what our commands need takes longer than most of them. `run` is to a program what
``subprocess.run([sys.executable, *words])`` is, and `begun` what ``subprocess.Popen`` is; the process
that forks is started by the first call, is known to all that is run by it, and ends with whoever
started it.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from socketserver import ForkingMixIn, StreamRequestHandler, UnixStreamServer
from traceback import print_exc
from typing import TextIO

ADDRESS = "PLANGAUGE_FORKING"
"""The environment variable with the address of the process that forks."""
LONGEST = 600
"""After so many seconds it is an error that a program goes on."""
KILLED = -signal.SIGKILL
"""The status of a program that was killed."""
LARGE = (
    "plangauge.scoring.suite", "plangauge.cli", "plangauge.integrations.responses",
    "plangauge.reports.overview", "plangauge.reports.page", "plangauge.suites.build",
    "inspect_ai._cli.main", "inspect_ai.agent._acp.server", "inspect_ai.model",
    "inspect_ai.model._providers.openai_compatible", "duckdb", "fastapi", "matplotlib.pyplot",
    "openai", "rich.markdown", "scipy.stats", "uvicorn",
)  # fmt: skip
"""Modules that are imported first; none that looks for plug-ins, which programs have of their own."""


def run(
    *words: str,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    merged: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run ``python WORDS``, a module by ``-m``, code by ``-c`` or a script.

    Return its status and what it printed. What it prints as errors is put between the rest if
    ``merged``. That it is killed is an error.
    """
    with begun(*words, cwd=cwd, env=env, merged=merged) as program:
        done = program.wait()
    assert done.returncode != KILLED, f"{words} was killed\n{done.stdout}\n{done.stderr}"
    return done


@dataclass
class Program:
    """A program that has begun."""

    words: tuple[str, ...]
    pid: int
    _files: list[str]
    _status: TextIO

    def send(self, number: int) -> bool:
        """Send it a signal; return whether it was still there, as it is with 0, which is none."""
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True

    def wait(self) -> subprocess.CompletedProcess[str]:
        """Return its status, `KILLED` where it did not come to its end, and what it printed."""
        status = int(self._status.read() or KILLED)
        out, *err = [
            Path(name).read_text("utf-8", "replace") for name in dict.fromkeys(self._files)
        ]
        return subprocess.CompletedProcess([*self.words], status, out, "".join(err))


@contextmanager
def begun(
    *words: str,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    merged: bool = False,
) -> Iterator[Program]:
    """Begin what `run` runs; it is killed where it has not come to its end with the context."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as client:
        files = [f"{folder}/stdout", f"{folder}/{'stdout' if merged else 'stderr'}"]
        asked = [words, files, str(cwd or Path.cwd()), dict(os.environ if env is None else env)]
        client.settimeout(LONGEST)
        client.connect(os.environ.get(ADDRESS) or _start())
        client.sendall(json.dumps(asked).encode() + b"\n")
        with client.makefile() as status:
            program = Program(words, int(status.readline()), files, status)
            try:
                yield program
            finally:
                program.send(signal.SIGKILL)


@cache
def _start() -> str:
    """Start the process that forks; return its address."""
    folder = tempfile.TemporaryDirectory()
    address = os.environ[ADDRESS] = f"{folder.name}/socket"
    command = [sys.executable, __file__, address]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end() -> None:
        server.communicate()
        folder.cleanup()

    atexit.register(end)
    assert server.stdout is not None
    server.stdout.readline()
    return address


class _Program(StreamRequestHandler):
    """What runs in the process that has been forked."""

    def handle(self) -> None:
        words, files, folder, environment = json.loads(self.rfile.readline())
        for number, file in enumerate((os.devnull, *files)):
            opened = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            os.dup2(opened, number)
            os.close(opened)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        self.wfile.write(f"{os.getpid()}\n".encode())
        self.wfile.write(str(_status(words)).encode())


def _status(words: list[str]) -> int:
    """Run a program as Python would; return its exit status."""
    status: object = 0
    try:
        if words[0] == "-m":
            sys.argv, sys.path[0] = words[1:], str(Path.cwd())
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        elif words[0] == "-c":
            sys.argv, sys.path[0] = ["-c", *words[2:]], str(Path.cwd())
            exec(words[1], {"__name__": "__main__"})
        else:
            sys.argv, sys.path[0] = words, str(Path(words[0]).parent)
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as ended:
        status = ended.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - whatever the program does
        print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 - as Python does at its end
    atexit._run_exitfuncs()  # noqa: SLF001
    sys.stdout.flush()
    sys.stderr.flush()
    return status if isinstance(status, int) else 1


class _Server(ForkingMixIn, UnixStreamServer):
    block_on_close = False
    max_children = 1000
    request_queue_size = 100

    def service_actions(self) -> None:
        """End with whoever has started it."""
        super().service_actions()
        if select.select([0], [], [], 0)[0]:
            raise SystemExit


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    for _name in LARGE:
        try:
            import_module(_name)
        except ImportError:
            continue
    gc.freeze()  # no program has to look through what was imported
    with _Server(sys.argv[1], _Program) as _server:
        print("ready", flush=True)
        _server.serve_forever(0.1)
