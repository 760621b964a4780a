"""A run that is being written, and how much of it is safe, so that it can be gone on with.

It grows in a folder beside its place, ``.NAME.partial``, under a journal. The first line of the
journal says what the run depends on; each further one how far it was at some moment, written when
all up to there was on the disk. Whoever starts again cuts off what came later.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from plangauge.errors import ProblemError
from plangauge.records import RECORDS, REMARKS, RUN
from plangauge.suites.files import as_line, as_page, check_free, put_in_place

_LOG, _FOLDER = "journal.jsonl", "run"
EVERY = 2.0
"""After how many seconds what was written is made safe."""
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a run is: the rows done of each file so far, and the bytes that were written."""

    rows: tuple[int, ...] = ()
    records: int = 0
    remarks: int = 0


class Journal:
    """What is written of a run, and where; `opened` makes one."""

    def __init__(self, target: Path, inputs: Mapping[str, Any], log: BinaryIO) -> None:
        self.target = target
        self.folder = partial_folder(target)
        self.run = self.folder / _FOLDER
        self.inputs = json.loads(json.dumps(inputs))
        self.mark = Mark()
        self.note = ""
        self._log = log
        self._kept = time.monotonic()
        self._parts: tuple[BinaryIO, ...] = ()

    @property
    def records(self) -> BinaryIO:
        """Where records are written to."""
        return self._parts[0]

    @property
    def remarks(self) -> BinaryIO:
        """Where remarks are written to."""
        return self._parts[1]

    def open(self, *, restart: bool) -> None:
        """Go on where the last mark is, or begin where there is none.

        Raises `ProblemError` where what is there is no run, or has marks for other inputs.
        """
        found = self._last_mark(restart=restart)
        if found is None:
            self.begin(self.note)
            return
        self.mark = found
        rows = sum(found.rows)
        self.note = f"going on after {rows:,} rows" if rows else ""
        self._open_parts()

    def begin(self, note: str = "") -> None:
        """Throw away what is there, and begin."""
        self.close_parts()
        self.mark, self.note = Mark(), note
        self._log.truncate(0)
        self._append({"format": RUN.kind, **self.inputs})
        shutil.rmtree(self.run, ignore_errors=True)
        self.run.mkdir()
        self._open_parts()

    def keep(self, rows: list[int], *, now: bool = False) -> None:
        """Make safe what was written, if enough time has passed."""
        if not now and time.monotonic() - self._kept < EVERY:
            return
        for part in self._parts:
            part.flush()
            os.fsync(part.fileno())
        self.mark = Mark(tuple(rows), self.records.tell(), self.remarks.tell())
        self._append(asdict(self.mark))
        self._kept = time.monotonic()

    def close_parts(self) -> None:
        """Write what is left, so that others can read the parts."""
        for part in self._parts:
            part.close()

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Give the run its name."""
        (self.run / RUN.manifest).write_bytes(as_page(manifest))
        for part in self.run.iterdir():
            with part.open("rb") as written:
                os.fsync(written.fileno())
        put_in_place(self.run, self.target, RUN)
        self.discard()

    def discard(self) -> None:
        """Remove what was written."""
        self.close_parts()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _last_mark(self, *, restart: bool) -> Mark | None:
        """Return the last mark, cutting off what was not written to its end."""
        self._log.seek(0)
        header, *marks = self._log.readlines() or [b""]
        known = _decoded(header)
        if header and (known is None or known.get("format") != RUN.kind):
            raise _foreign(self.folder)
        if known is None or restart:
            return None
        changed = [key for key in self.inputs if known.get(key) != self.inputs[key]]
        if changed and marks:
            message = (
                f"an interrupted run with other {', '.join(changed)} is there; "
                "give it these again to go on with it, or --restart to throw it away"
            )
            raise ProblemError(message, file=str(self.folder))
        if changed:
            return None
        end, found = len(header), Mark()
        for line in marks:
            mark = _decoded(line)
            if mark is None or not self._has(mark):
                break
            end += len(line)
            found = Mark(tuple(mark["rows"]), mark["records"], mark["remarks"])
        self._log.truncate(end)
        return found if self._has(asdict(found)) else None

    def _has(self, mark: Mapping[str, Any]) -> bool:
        """Tell whether there is as much as a mark says."""
        try:
            records, remarks = ((self.run / name).stat() for name in (RECORDS, REMARKS))
            return bool(records.st_size >= mark["records"] and remarks.st_size >= mark["remarks"])
        except (OSError, KeyError, TypeError):
            return False

    def _open_parts(self) -> None:
        records = _open_at(self.run / RECORDS, self.mark.records)
        self._parts = records, _open_at(self.run / REMARKS, self.mark.remarks)

    def _append(self, row: Mapping[str, Any]) -> None:
        self._log.seek(0, os.SEEK_END)
        self._log.write(as_line(row))
        self._log.flush()
        os.fsync(self._log.fileno())


def partial_folder(target: Path) -> Path:
    """Return where a run is written before it takes its place.

    >>> partial_folder(Path("runs/llama")).as_posix()
    'runs/.llama.partial'
    """
    return target.parent / f".{target.name}.partial"


@contextmanager
def opened(
    output: str | Path, inputs: Mapping[str, Any], *, restart: bool = False
) -> Iterator[Journal]:
    """Give the journal of a run that depends on these inputs, begun before or not.

    Raises `ProblemError` where something else is in the place of the run or beside it, also an
    interrupted run with other inputs, unless all is to ``restart``; and where nothing can be
    written there, or another process writes it.
    """
    target = Path(output).resolve()
    folder = partial_folder(target)
    check_free(target, RUN)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = {entry.name for entry in folder.iterdir()}
        if names and not {_LOG} <= names <= {_LOG, _FOLDER}:
            raise _foreign(folder)
        log = (folder / _LOG).open("a+b")
    except OSError as error:
        raise ProblemError(f"cannot write there: {error.strerror}", file=str(output)) from None
    with log:
        _lock(log, str(output))
        journal = Journal(target, inputs, log)
        journal.open(restart=restart)
        try:
            yield journal
        finally:
            journal.close_parts()


def _foreign(folder: Path) -> ProblemError:
    return ProblemError("there is something else than an interrupted run", file=str(folder))


def _lock(file: BinaryIO, output: str) -> None:
    """Keep other processes from the same run; the system unlocks it when this one ends."""
    with suppress(ImportError):  # as on Windows
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProblemError("another process is writing this run", file=output) from None


def _open_at(path: Path, size: int) -> BinaryIO:
    path.touch()
    file = path.open("r+b", buffering=_BUFFER)
    file.truncate(size)
    file.seek(size)
    return file


def _decoded(line: bytes) -> dict[str, Any] | None:
    """Return the object in a complete line; None for anything else."""
    if not line.endswith(b"\n"):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
