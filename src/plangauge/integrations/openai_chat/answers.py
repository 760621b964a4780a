"""The file of answers: it grows as they come, and none of them is asked again.

Beside it, ``FILE.settings.json`` states what the answers depend on: the suite, the model and its
settings. When everything was asked, the rows are sorted in the order of the suite.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from plangauge.core.checked_lines import ANY, append, checked, is_whole
from plangauge.core.checked_lines import opened as opened_file
from plangauge.core.errors import ProblemError
from plangauge.suites.files import as_line, as_page, new_file

KIND = "plangauge-responses"


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    size: int
    answered: bool


class Answers:
    """The answers of one model to a suite, stored in a file; `opened` opens them."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file
        self._places: dict[tuple[str, int], _Place] = {}
        self._end = 0
        self._synced = 0

    def __len__(self) -> int:
        return sum(place.answered for place in self._places.values())

    def has(self, sample: str, epoch: int) -> bool:
        """Return whether a question is answered."""
        place = self._places.get((sample, epoch))
        return place is not None and place.answered

    def failed(self) -> frozenset[tuple[str, int]]:
        """Return the samples and epochs that were asked but not answered."""
        return frozenset(key for key, place in self._places.items() if not place.answered)

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a row, which then survives the end of this process."""
        line = checked(as_line(row))
        self._file.write(line)
        self._file.flush()
        self._note(row, len(line))

    def sync(self) -> None:
        """Write everything to disk, so that it survives a power failure."""
        if self._synced != self._end:
            os.fsync(self._file.fileno())
            self._synced = self._end

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the row of each question, in the order in which they were first asked."""
        with self.path.open("rb") as file:
            for place in self._places.values():
                yield json.loads(_at(file, place))

    def finish(self, numbers: Mapping[str, int]) -> None:
        """Sort the rows, one for each question, by epoch and the order of the suite.

        The file cannot be used after that.
        """
        self.sync()
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
        """Restore the answers; truncate an incomplete last line.

        Raises `ProblemError` for a row that is not ours, or was changed.
        """
        self._file.seek(0)
        for number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                break
            row = _object(line) if is_whole(line) else None
            if row is None or row["id"] not in numbers:
                problem = "this row is damaged or not one of these answers; delete the line to ask"
                message = f"{problem} its question again, or use --restart to ask everything again"
                raise ProblemError(message, file=str(self.path), line=number)
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
    path: Path, inputs: Mapping[str, Any], numbers: Mapping[str, int], *, restart: bool = False
) -> Iterator[Answers]:
    """Open the answers in a file, new or resumed.

    ``inputs`` is what they depend on, ``numbers`` the samples of the suite. Raises `ProblemError`
    where the file holds anything else, also answers with other settings, unless all is to
    ``restart``; where it cannot be written, at first or later on, or another process writes it.
    """
    try:
        with _opened(path, inputs, numbers, restart=restart) as answers:
            yield answers
    except OSError as error:
        message = f"cannot write there: {error.strerror}; earlier answers are safe"
        raise ProblemError(message, file=str(path)) from None


@contextmanager
def _opened(
    path: Path, inputs: Mapping[str, Any], numbers: Mapping[str, int], *, restart: bool
) -> Iterator[Answers]:
    beside = settings_file(path)
    _check_ours(path, beside)
    with opened_file(beside, ANY, f"the answers in {path.name}") as settings, settings:
        begun = path.exists() and path.stat().st_size > 0 and not restart
        _check_same(settings, inputs, path, begun=begun)
        with _writable(path) as file:
            if not begun:
                file.truncate(0)  # before the settings that describe the answers
                _write(settings, as_page({"format": KIND, **inputs}))
            answers = Answers(path, file)
            answers.recall(numbers)
            try:
                yield answers
            finally:
                answers.sync()


def settings_file(path: Path) -> Path:
    """Return the path of the settings that the answers in a file depend on.

    >>> settings_file(Path("answers/m.jsonl")).as_posix()
    'answers/m.jsonl.settings.json'
    """
    return path.with_name(f"{path.name}.settings.json")


def _check_ours(path: Path, beside: Path) -> None:
    """Raise `ProblemError` where something else is there, which is left unchanged."""
    if path.exists() and not path.is_file():
        raise ProblemError("answers need a regular file", file=str(path))
    if path.exists() and path.stat().st_size and not beside.exists():
        message = f"this is not a file of answers ({beside.name} is missing); use another -o"
        raise ProblemError(message, file=str(path))


def _check_same(file: FileIO, inputs: Mapping[str, Any], path: Path, *, begun: bool) -> None:
    """Raise `ProblemError` where the existing answers have other inputs."""
    file.seek(0)
    known = _object(file.read())
    if known and known.get("format") != KIND:
        message = "this is not a file of settings of answers; use another -o"
        raise ProblemError(message, file=str(settings_file(path)))
    if begun and not known:
        message = (
            "is damaged, so the settings of the answers are unknown; use another -o, "
            "or --restart to discard them"
        )
        raise ProblemError(message, file=str(settings_file(path)))
    wanted = json.loads(json.dumps(inputs))
    changed = [key for key in wanted if (known or {}).get(key) != wanted[key]]
    if begun and changed:
        message = (
            f"the answers there have another {' and another '.join(changed)}; rerun with the same "
            "to resume, with another -o, or with --restart to discard them"
        )
        raise ProblemError(message, file=str(path))


def _write(file: FileIO, page: bytes) -> None:
    file.truncate(0)
    append(file, page)


def _writable(path: Path) -> BinaryIO:
    try:
        path.touch()
        return path.open("r+b")
    except OSError as error:
        raise ProblemError(f"cannot write there: {error.strerror}", file=str(path)) from None


def _at(file: BinaryIO, place: _Place) -> bytes:
    file.seek(place.start)
    return file.read(place.size)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
