"""The file of answers: it grows as they come, and nothing in it is asked again.

Beside it, ``FILE.settings.json`` says what the answers depend on: the suite, the model and its
settings. When all has been asked, the rows are brought into the order of the suite.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from plangauge.errors import ProblemError
from plangauge.suites.files import as_line, as_page, new_file

KIND = "plangauge-responses"


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    size: int
    answered: bool


class Answers:
    """The answers of one model to a suite, kept in a file; `opened` gives them."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file
        self._places: dict[tuple[str, int], _Place] = {}
        self._end = 0
        self._kept = 0

    def __len__(self) -> int:
        return sum(place.answered for place in self._places.values())

    def has(self, sample: str, epoch: int) -> bool:
        """Return whether a question is answered."""
        place = self._places.get((sample, epoch))
        return place is not None and place.answered

    def failed(self) -> frozenset[tuple[str, int]]:
        """Return the samples and epochs that were asked, and are not answered."""
        return frozenset(key for key, place in self._places.items() if not place.answered)

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a row; from then on it outlasts the end of this process."""
        line = as_line(row)
        self._file.write(line)
        self._file.flush()
        self._note(row, len(line))

    def keep(self) -> None:
        """Make safe from a power cut what was written."""
        if self._kept != self._end:
            os.fsync(self._file.fileno())
            self._kept = self._end

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the row of each question, in the order in which they were first asked."""
        with self.path.open("rb") as file:
            for place in self._places.values():
                yield json.loads(_at(file, place))

    def finish(self, numbers: Mapping[str, int]) -> None:
        """Bring the rows into order: one for each question, by epoch and the order of the suite.

        Nothing can be added or read after that.
        """
        self.keep()
        ordered = sorted(self._places, key=lambda key: (key[1], numbers[key[0]]))
        places = [self._places[key] for key in ordered]
        ends = [0, *(place.start + place.size for place in places)]
        if [*(place.start for place in places), self._end] == ends:
            return
        with self.path.open("rb") as file, new_file(self.path) as out:
            for place in places:
                out.write(_at(file, place))
            out.flush()
            os.fsync(out.fileno())

    def recall(self, numbers: Mapping[str, int]) -> None:
        """Find out what is answered; cut off what was not written to its end.

        Raises `ProblemError` for a row that is none of ours.
        """
        torn: int | None = None
        self._file.seek(0)
        for number, line in enumerate(self._file, start=1):
            row = _row(line, numbers)
            if row is None:
                torn = torn or number
            elif torn:
                message = "this is no row of answers to this suite; mend it, or --restart"
                raise ProblemError(message, file=str(self.path), line=torn)
            else:
                self._note(row, len(line))
        self._file.truncate(self._end)
        self._file.seek(self._end)

    def _note(self, row: Mapping[str, Any], size: int) -> None:
        key, answered = (row["id"], row["epoch"]), row["response"] is not None
        if not self.has(*key):
            self._places[key] = _Place(self._end, size, answered)
        self._end += size


@contextmanager
def opened(
    path: Path, told: Mapping[str, Any], numbers: Mapping[str, int], *, restart: bool = False
) -> Iterator[Answers]:
    """Give the answers in a file, begun before or not.

    ``told`` is what they depend on, ``numbers`` the samples of the suite. Raises `ProblemError`
    where the file holds anything else, also answers with other settings, unless all is to
    ``restart``; where it cannot be written, at first or later on, or another process writes it.
    """
    try:
        with _opened(path, told, numbers, restart=restart) as answers:
            yield answers
    except OSError as error:
        message = f"cannot write there: {error.strerror}; what was answered before is kept"
        raise ProblemError(message, file=str(path)) from None


@contextmanager
def _opened(
    path: Path, told: Mapping[str, Any], numbers: Mapping[str, int], *, restart: bool
) -> Iterator[Answers]:
    beside = settings_file(path)
    _check_ours(path, beside)
    try:
        settings = beside.open("a+b")
    except OSError as error:
        raise ProblemError(f"cannot write there: {error.strerror}", file=str(path)) from None
    with settings:
        _lock(settings, path)
        begun = path.exists() and path.stat().st_size > 0 and not restart
        _check_same(settings, told, path, begun=begun)
        with _writable(path) as file:
            if not begun:
                file.truncate(0)  # before it says that there are such answers
                _write(settings, as_page({"format": KIND, **told}))
            answers = Answers(path, file)
            answers.recall(numbers)
            try:
                yield answers
            finally:
                answers.keep()


def settings_file(path: Path) -> Path:
    """Return where it says what the answers in a file depend on.

    >>> settings_file(Path("answers/m.jsonl")).as_posix()
    'answers/m.jsonl.settings.json'
    """
    return path.with_name(f"{path.name}.settings.json")


def _check_ours(path: Path, beside: Path) -> None:
    """Raise `ProblemError` where the place is taken by something else, which is then kept."""
    if path.exists() and not path.is_file():
        raise ProblemError("answers go to a file that can be added to", file=str(path))
    if path.exists() and path.stat().st_size and not beside.exists():
        message = f"there is something else already ({beside.name} is missing); choose another -o"
        raise ProblemError(message, file=str(path))


def _check_same(file: BinaryIO, told: Mapping[str, Any], path: Path, *, begun: bool) -> None:
    """Raise `ProblemError` where the answers that are there depend on something else."""
    file.seek(0)
    known = _object(file.read())
    if known and known.get("format") != KIND:
        message = "there is something else already; choose another -o"
        raise ProblemError(message, file=str(settings_file(path)))
    wanted = json.loads(json.dumps(told))
    changed = [key for key in wanted if (known or {}).get(key) != wanted[key]]
    if begun and changed:
        message = (
            f"the answers there are to another {' and another '.join(changed)}; give the same "
            "to go on with them, choose another -o, or --restart to throw them away"
        )
        raise ProblemError(message, file=str(path))


def _write(file: BinaryIO, page: bytes) -> None:
    file.truncate(0)
    file.write(page)
    file.flush()
    os.fsync(file.fileno())


def _writable(path: Path) -> BinaryIO:
    try:
        path.touch()
        return path.open("r+b")
    except OSError as error:
        raise ProblemError(f"cannot write there: {error.strerror}", file=str(path)) from None


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep other processes from the same answers; the system unlocks it when this one ends."""
    with suppress(ImportError):  # as on Windows
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ProblemError("another process writes these answers", file=str(path)) from None


def _at(file: BinaryIO, place: _Place) -> bytes:
    file.seek(place.start)
    return file.read(place.size)


def _row(line: bytes, numbers: Mapping[str, int]) -> dict[str, Any] | None:
    """Return the row in a complete line that is one of ours; None for anything else."""
    row = _object(line) if line.endswith(b"\n") else None
    if row is None or not isinstance(row.get("id"), str) or row["id"] not in numbers:
        return None
    fine = isinstance(row.get("epoch"), int) and isinstance(row.get("response", 0), str | None)
    return row if fine else None


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
