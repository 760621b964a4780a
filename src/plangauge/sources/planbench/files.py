"""The files of a PlanBench checkout: prompts, responses, results, and the rows in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plangauge.errors import ProblemError
from plangauge.sources.remarks import encodable
from plangauge.suites.files import read_bytes

_RUN = re.compile(r"_run_?\d+$")
_PLACES = ("results", "responses")
"""Where answers are: with PlanBench's verdicts, and before they were judged."""


@dataclass(frozen=True)
class RowFile:
    """A file of prompts, or of a model's answers to them."""

    path: Path
    shown: str
    """Its path in remarks: the same on every machine."""
    domain: str
    engine: str
    """The model; empty for prompts."""

    @property
    def task(self) -> str:
        """The task, without the number of the run."""
        return _RUN.sub("", self.path.stem)

    def rows(self) -> Iterator[dict[str, Any] | None]:
        """Yield the instances in the file, None for what is no object.

        Raises `ProblemError` where the file is malformed.
        """
        import msgspec

        data = read_bytes(self.path)
        try:
            told = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
            rows = msgspec.json.decode(told.get("instances", b"null"), type=list[msgspec.Raw])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            yield from _loosely(data, self.shown)
            return
        for row in map(_value, rows):
            yield row if isinstance(row, dict) else None


def find_home(path: Path) -> Path:
    """Return the folder of a checkout that holds ``configs`` and ``instances``.

    Raises `ProblemError` where there is none, or more than one.
    """
    if not path.is_dir():
        raise ProblemError("expected the folder of a checkout", file=str(path))
    homes = [each for each in (path, *sorted(path.iterdir())) if _is_home(each)]
    if len(homes) == 1 or path in homes:
        return homes[0]
    if homes:
        names = ", ".join(home.name for home in homes)
        raise ProblemError(f"give one of its folders: {names}", file=str(path))
    raise ProblemError("there are no folders 'configs' and 'instances' in it", file=str(path))


def find_prompts(home: Path) -> list[RowFile]:
    """Return the files of prompts, sorted by domain and task."""
    found = sorted((home / "prompts").glob("*/*.json"))
    return [RowFile(file, _shown(file, home), file.parent.name, "") for file in found]


def find_answers(
    home: Path, given: Sequence[Path] | None, below: Callable[[Path], list[Path]]
) -> list[RowFile]:
    """Return the files of answers: those in ``given`` files and folders, or the checkout's.

    They are ``DOMAIN/MODEL/TASK.json``; ``below`` lists the files of a folder. Results come first.
    Raises `ProblemError` where a given folder has none.
    """
    places = [home / name for name in _PLACES if (home / name).is_dir()]
    answers: list[RowFile] = []
    for place in places if given is None else given:
        files = below(place)
        if not files and given is not None:
            raise ProblemError("there is no .json file in this folder", file=str(place))
        root = home if given is None else place if place.is_dir() else place.parent
        named = ((file, map(encodable, file.absolute().parts[-3:-1])) for file in files)
        answers += [RowFile(file, _shown(file, root), *names) for file, names in named]
    return answers


def find_others(home: Path) -> list[str]:
    """Return the folders of answers that are of another kind, such as dialogues."""
    return [each.name for each in sorted(home.glob("results_*")) if each.is_dir()]


def _is_home(path: Path) -> bool:
    return (path / "configs").is_dir() and (path / "instances").is_dir()


def _shown(file: Path, root: Path) -> str:
    return encodable(file.relative_to(root).as_posix())


def _value(data: bytes) -> Any:
    """Return a value, as Python's own reader sees it where need be; None for what is no JSON."""
    import msgspec

    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        with suppress(ValueError):
            return json.loads(bytes(data))
    return None


def _loosely(data: bytes, shown: str) -> Iterator[dict[str, Any] | None]:
    """Yield the instances as Python's own reader sees them: it lets lone surrogates through."""
    try:
        told = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"not JSON: {error}", file=shown) from None
    rows = told.get("instances") if isinstance(told, dict) else None
    if not isinstance(rows, list):
        raise ProblemError("there is no list of 'instances'", file=shown)
    yield from (row if isinstance(row, dict) else None for row in rows)
