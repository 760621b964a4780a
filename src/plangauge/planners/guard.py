"""Runs a command that ends, with all its child processes, when its owner ends.

    python guard.py FOLDER COMMAND…

Standard input is a pipe that is never written to: it ends when its owner closes it or ends, even by
SIGKILL. Then the processes of the command are killed and the folder, which was made for them, is
removed. This script imports no module of plangauge.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress


def main(folder: str, *command: str) -> int:
    """Run a command in a session of its own and return its exit code, 128 + n for signal n."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    abandoned = threading.Event()
    with subprocess.Popen(  # noqa: S603 - a list of arguments, and no shell
        command, stdin=subprocess.DEVNULL, start_new_session=True
    ) as process:
        threading.Thread(target=_watch, args=(process, abandoned), daemon=True).start()
        try:
            code = process.wait()
        finally:
            _kill(process)
            if abandoned.is_set():
                shutil.rmtree(folder, ignore_errors=True)
    return code if code >= 0 else 128 - code


def _watch(process: subprocess.Popen[bytes], abandoned: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    abandoned.set()
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the leader of a session and all its processes."""
    with suppress(OSError):  # all have ended
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
