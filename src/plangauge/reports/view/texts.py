"""The texts of responses on disk, to be looked up one by one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from plangauge.records import Response

_BATCH = 1000


class Texts:
    """Texts by the number of a run, sample, model and epoch, in the order in which they came.

    Names are as a table has them: half of a surrogate pair is written out. The texts themselves
    are kept as they are.
    """

    def __init__(self, file: Path) -> None:
        self.connection = sqlite3.connect(file, check_same_thread=False)
        self.lock = Lock()
        with self.connection:
            self.connection.execute("PRAGMA synchronous = OFF")  # made anew each time
            self.connection.execute(
                "CREATE TABLE texts (run INTEGER, sample TEXT, model TEXT, epoch TEXT, text BLOB)"
            )

    def add(self, run: int, responses: Iterable[Response]) -> Iterator[int]:
        """Add the responses of a run that have a text; yield now and then how many were read."""
        batch: list[tuple[int, str, str, str, bytes]] = []
        count = 0
        for response in responses:
            count += 1
            if response.text is not None:
                place = run, whole(response.sample), whole(response.model), str(response.epoch)
                batch.append((*place, response.text.encode("utf-8", "surrogatepass")))
            if count == _BATCH:
                self._insert(batch)
                yield count
                batch, count = [], 0
        self._insert(batch)
        yield count

    def index(self) -> None:
        """Make looking up fast, when all are added."""
        with self.lock, self.connection:
            self.connection.execute("CREATE INDEX place ON texts (run, sample, model, epoch)")

    def find(self, run: int, sample: str, model: str, epoch: int, nth: int) -> str | None:
        """Return the text of the ``nth`` such response, from 1; None where there is none."""
        with self.lock:
            found = self.connection.execute(
                "SELECT text FROM texts WHERE run = ? AND sample = ? AND model = ? AND epoch = ? "
                "ORDER BY rowid LIMIT 1 OFFSET ?",
                (run, sample, model, str(epoch), nth - 1),
            ).fetchone()
        return None if found is None else bytes(found[0]).decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    def _insert(self, batch: list[tuple[int, str, str, str, bytes]]) -> None:
        with self.lock, self.connection:
            self.connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?, ?)", batch)


def whole(text: str) -> str:
    r"""Return a text with halves of surrogate pairs written out, as Parquet has it.

    >>> whole("a\ud800")
    'a\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode()
