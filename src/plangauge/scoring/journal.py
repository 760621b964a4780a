"""The journal of a run that is being written, so that an interrupted run can be resumed.

A run grows in a folder beside its target, ``.NAME.partial``. The first line of the journal states
the inputs of the run; each further line is a mark: the sizes of the files once they were on disk,
with hashes of their contents. Resuming truncates the files to the last mark that still holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

from plangauge.core.checked_lines import ANY, append, checked, is_whole
from plangauge.core.checked_lines import opened as opened_file
from plangauge.core.errors import ProblemError
from plangauge.core.unfinished import clear
from plangauge.scoring.records import ISSUES, RECORDS, RUN
from plangauge.suites.files import as_line, check_free, put_in_place, writing

_LOG, _FOLDER = "journal.jsonl", "run"
_BEGINNING = as_line({"format": RUN.kind})[:-2]
EVERY = 2.0
"""Seconds between two marks."""
_BUFFER = 1 << 20


class Part:
    """A file that grows, and the SHA-256 of its contents."""

    def __init__(self, path: Path) -> None:
        path.touch()
        self.path, self.size = path, 0
        self._file = path.open("r+b", buffering=_BUFFER)
        self._hash = hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Append to the file."""
        self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    def mark(self) -> tuple[int, str]:
        """Return the number of bytes written, and their SHA-256."""
        return self.size, self._hash.hexdigest()

    def ahead(self, size: int, digest: str) -> hashlib._Hash | None:
        """Return the hash of the first ``size`` bytes; None where it differs from ``digest``."""
        ahead, left = self._hash.copy(), size - self.size
        self._file.seek(self.size)
        while left > 0 and (data := self._file.read(min(left, _BUFFER))):
            ahead.update(data)
            left -= len(data)
        return ahead if not left and ahead.hexdigest() == digest else None

    def go(self, size: int, reached: hashlib._Hash) -> None:
        """Advance to a size, given the hash of the contents up to there."""
        self.size, self._hash = size, reached

    def cut(self) -> None:
        """Truncate the file to the current size."""
        self._file.truncate(self.size)
        self._file.seek(self.size)

    def sync(self) -> None:
        """Write everything to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Flush and close the file."""
        self._file.close()


class Journal:
    """A run in progress; `opened` makes one.

    ``rows`` is how many rows of each file were done when it was opened; ``records`` and ``issues``
    are the files to write to.
    """

    records: Part
    issues: Part

    def __init__(self, target: Path, inputs: Mapping[str, Any], log: FileIO) -> None:
        self.target = target
        self.folder = partial_folder(target)
        self.run = self.folder / _FOLDER
        self._aside = self.folder / RECORDS
        self.inputs = json.loads(json.dumps(inputs))
        self.rows: list[int] = []
        self.note = ""
        self._log = log
        self._last = b""
        self._saved = time.monotonic()
        self._parts: list[Part] = []

    def open(self, *, restart: bool) -> None:
        """Resume after the last mark that still holds, or begin where there is none.

        Raises `ProblemError` where the folder holds no run, or one with other inputs.
        """
        self._log.seek(0)
        header, *marks = self._log.readlines() or [b""]
        if not header.startswith(_BEGINNING[: len(header)]):  # it may have been cut short
            raise _foreign(self.folder)
        if not self.run.is_dir():  # it has taken its place
            marks = []
        elif self._aside.exists():
            self._aside.replace(self.run / RECORDS)
        whole, known = is_whole(header), _decoded(header)
        changed = [key for key in self.inputs if whole and known.get(key) != self.inputs[key]]
        if changed and marks and not restart:
            message = (
                f"an interrupted run with other {', '.join(changed)} is there; "
                "rerun with the same to resume it, or with --restart to discard it"
            )
            raise ProblemError(message, file=str(self.folder))
        if restart or changed or not whole or not marks:
            self._begin(damaged=bool(marks) and not restart)
        else:
            self._recall(header, marks)

    def checkpoint(self, rows: list[int], *, now: bool = False) -> None:
        """Write everything to disk, and a mark, if enough time has passed."""
        if not now and time.monotonic() - self._saved < EVERY:
            return
        for part in self._parts:
            part.sync()
        records, issues = (part.mark() for part in self._parts)
        self._append({"rows": rows, "records": records, "remarks": issues})
        self._saved = time.monotonic()

    def close_parts(self) -> None:
        """Close the parts, so that they can be read."""
        with ExitStack() as stack:  # all of them, even if the disk is full
            for part in self._parts:
                stack.callback(part.close)

    def drop_records(self) -> None:
        """Move the JSON records out of the run; they are deleted once it is in place."""
        (self.run / RECORDS).replace(self._aside)

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest and move the run to its target."""
        RUN.write(self.run, manifest)
        for part in self.run.iterdir():
            with part.open("rb") as written:
                os.fsync(written.fileno())
        put_in_place(self.run, self.target, RUN)
        self.discard()

    def discard(self) -> None:
        """Delete the unfinished run."""
        self.close_parts()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _begin(self, *, damaged: bool) -> None:
        """Discard what is there, and begin."""
        self.close_parts()
        self.note = "starting over: what was written before is damaged" if damaged else ""
        shutil.rmtree(self.run, ignore_errors=True)
        self._aside.unlink(missing_ok=True)
        self._log.truncate(0)
        self._last = b""
        self._append({"format": RUN.kind, **self.inputs})
        self.run.mkdir()
        self._open_parts()

    def _recall(self, header: bytes, marks: list[bytes]) -> None:
        """Resume after the last mark that matches the files."""
        self._open_parts()
        self._last, valid = header, 0
        for line in marks:
            if not is_whole(line, self._last) or not self._goes_on_to(_decoded(line)):
                break
            self._last, self.rows, valid = line, _decoded(line)["rows"], valid + 1
        damaged = any(line.endswith(b"\n") for line in marks[valid:])  # not just cut short
        if not valid:
            self._begin(damaged=damaged)
            return
        for part in self._parts:
            part.cut()
        self._log.truncate(len(header) + sum(map(len, marks[:valid])))
        done = sum(self.rows)
        if damaged or done:
            later = ": what was written later is damaged" if damaged else ""
            self.note = f"resuming after {done:,} rows{later}"

    def _goes_on_to(self, mark: Mapping[str, Any]) -> bool:
        """Advance to a mark if the files match it; return whether they do."""
        places = mark["records"], mark["remarks"]
        reached = [part.ahead(*place) for part, place in zip(self._parts, places, strict=True)]
        for part, (size, _), state in zip(self._parts, places, reached, strict=True):
            if None not in reached and state is not None:
                part.go(size, state)
        return None not in reached

    def _open_parts(self) -> None:
        self.records, self.issues = self._parts = [
            Part(self.run / name) for name in (RECORDS, ISSUES)
        ]

    def _append(self, row: Mapping[str, Any]) -> None:
        self._last = checked(as_line(row), self._last)
        append(self._log, self._last)


def partial_folder(target: Path) -> Path:
    """Return the folder where a run is written before it moves to its target.

    >>> partial_folder(Path("runs/llama")).as_posix()
    'runs/.llama.partial'
    """
    return target.parent / f".{target.name}.partial"


@contextmanager
def opened(
    output: str | Path, inputs: Mapping[str, Any], *, restart: bool = False
) -> Iterator[Journal]:
    """Open the journal of a run with these inputs, new or interrupted.

    Raises `ProblemError` where something else is at the target or beside it, including an
    interrupted run with other inputs unless ``restart`` is set; and where the folder cannot be
    written, or another process is writing it.
    """
    target = Path(output).resolve()
    folder = partial_folder(target)
    clear(target.parent)
    check_free(target, RUN)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {entry.name for entry in folder.iterdir()}
    except OSError as error:
        raise ProblemError(f"cannot write there: {error.strerror}", file=str(output)) from None
    if names and not {_LOG} <= names <= {_LOG, _FOLDER, RECORDS}:
        raise _foreign(folder)
    with (
        writing(f"the {RUN.kind}", output),
        opened_file(folder / _LOG, ANY, "this run") as log,
        log,
    ):
        journal = Journal(target, inputs, log)
        journal.open(restart=restart)
        try:
            yield journal
        finally:
            journal.close_parts()


def _foreign(folder: Path) -> ProblemError:
    return ProblemError("this is not an interrupted run", file=str(folder))


def _decoded(line: bytes) -> dict[str, Any]:
    """Return the object in a complete line; an empty one for anything else."""
    try:
        value = json.loads(line) if line.endswith(b"\n") else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
