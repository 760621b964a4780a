"""Episodes in files: a line about the run, one for each turn, and one for the result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, NoReturn, TypeAlias

from plangauge.domains.words import Words
from plangauge.episodes.appending import NEW, OLD, append, opened
from plangauge.episodes.episode import Episode
from plangauge.episodes.policy import Policy
from plangauge.episodes.rows import fits, read_turn, turn_row
from plangauge.episodes.turns import Turn
from plangauge.errors import ProblemError
from plangauge.redaction import HIDDEN, hidden, hiding, is_secret_name, texts_of
from plangauge.worlds.base import Problem, S

FORMAT = "plangauge-episode"
VERSION = 1
ABOUT = (
    "sample",
    "domain",
    "problem",
    "domain_sha256",
    "problem_sha256",
    "model",
    "date",
    "seed",
    "settings",
)
"""What may be told about a run, each a text or a number; ``settings`` are several of them."""

_HEADER = ("format", "version", *ABOUT, "policy", "reference")
_NAMES = frozenset(("said", "fault", "stopped", "outcome", "kind"))
_without_keys = hiding(looks=True)
_Hide: TypeAlias = Callable[[str], str]
_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class Transcript:
    """What was read of an episode. ``result`` is None where the run did not come to its end.

    ``size`` is how many bytes were read: a last line that was not written to its end is left out.
    """

    header: Mapping[str, Any]
    policy: Policy
    turns: tuple[Turn, ...] = ()
    result: Mapping[str, Any] | None = None
    file: str | None = None
    size: int = 0

    @property
    def reference(self) -> int | None:
        """The length of the reference plan; None without one."""
        reference: int | None = self.header.get("reference")
        return reference


def hashes(domain: str, problem: str) -> dict[str, str]:
    """Return the SHA-256 of a domain and a problem, as they stand in a header."""
    return {
        "domain_sha256": hashlib.sha256(domain.encode("utf-8", "surrogatepass")).hexdigest(),
        "problem_sha256": hashlib.sha256(problem.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def written(episode: Episode[Any], about: Mapping[str, Any] | None = None,
            secrets: Iterable[str] = ()) -> str:  # fmt: skip
    """Return the transcript of an episode; with its result where it is over.

    Raises `ProblemError` for anything in ``about`` that does not belong there, ``TypeError`` where
    ``secrets`` is a single text.
    """
    return b"".join(_lines(episode, about or {}, hiding(secrets))).decode(errors="replace")


def read(path: str | Path) -> Transcript:
    """Return the transcript in a file; raises `ProblemError`, with the line, where it is none."""
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ProblemError(f"cannot read the file: {reason}", file=str(path)) from None
    return read_text(data, str(path))


def read_text(data: bytes | str, file: str | None = None) -> Transcript:
    """Return the transcript of a text; raises `ProblemError`, with the line, where it is none.

    >>> read_text('{"format": "other"}')
    Traceback (most recent call last):
        ...
    plangauge.errors.ProblemError: 1: this is no plangauge-episode
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    rows, size = _rows(raw, file)
    line = 1
    try:
        header = _checked(rows[0] if rows else {})
        policy = Policy.from_row(header["policy"])
        turns: list[Turn] = []
        for line, row in enumerate(rows[1:], start=2):
            if line == len(rows) and row.keys() == {"stopped", "result"}:
                return Transcript(header, policy, tuple(turns), row, file, size)
            turns.append(read_turn(row))
    except ProblemError as error:
        raise ProblemError(error.reason, file=file, line=line) from None
    return Transcript(header, policy, tuple(turns), None, file, size)


def replay(
    transcript: Transcript,
    problem: Problem[S],
    words: Words | None = None,
    *,
    describe: str | None = None,
    check: bool = True,
    secrets: Iterable[str] = (),
) -> Episode[S]:
    """Return the episode that the texts of a transcript make.

    Raises `ProblemError`, with the line, where the run is over before its last turn, and, unless
    told not to ``check``, where a turn or the result is not what the transcript says. ``secrets``
    are what was hidden in it, also in observations.
    """
    hide = hiding(secrets)
    reference = transcript.reference
    episode = Episode.start(
        problem, words, transcript.policy, describe=describe, reference=reference
    )
    for line, turn in enumerate(transcript.turns, start=2):
        if episode.done:
            _fail(transcript, line, f"the run was over before ({episode.stopped})")
        episode = episode.reply(turn.text)
        if check and episode.turns[-1] != turn:
            _check(transcript, line, _safe(turn_row(episode.turns[-1]), hide), turn_row(turn))
    if check and transcript.result is not None:
        line, row = len(transcript.turns) + 2, _safe(_result_row(episode), hide)
        _check(transcript, line, row, transcript.result)
    return episode


class Writer(Generic[S]):
    """Plays an episode and writes its transcript, so that after a crash all turns are there.

    ``secrets`` are texts that must not get into the file: they are replaced in whatever is said,
    before it is read, and in what is answered. No other writer can have the same file at a time.
    """

    def __init__(self, file: FileIO, episode: Episode[S], secrets: Iterable[str] = ()) -> None:
        self.episode = episode
        self._file = file
        self._hide = hiding(secrets)

    @classmethod
    def create(
        cls,
        path: str | Path,
        episode: Episode[S],
        about: Mapping[str, Any] | None = None,
        secrets: Iterable[str] = (),
    ) -> Writer[S]:
        """Return the writer of a new file, in which the turns so far are.

        Raises `ProblemError` where there is a file already, for anything in ``about`` that does not
        belong there, and where nothing can be written; ``TypeError`` where ``secrets`` is a single
        text.
        """
        known = texts_of(secrets)
        lines = b"".join(_lines(episode, about or {}, hiding(known)))
        with opened(path, NEW) as file:
            append(file, lines)
            return cls(file, episode, known)

    @classmethod
    def resume(
        cls,
        path: str | Path,
        problem: Problem[S],
        words: Words | None = None,
        *,
        about: Mapping[str, Any] | None = None,
        describe: str | None = None,
        secrets: Iterable[str] = (),
    ) -> Writer[S]:
        """Return the writer that goes on with a file; ``episode`` is where it had come to.

        Raises `ProblemError` where the file is no transcript, where it tells something else
        ``about`` the run, where the turns, played again, are others, and where another process is
        writing it; ``TypeError`` where ``secrets`` is a single text.
        """
        known = texts_of(secrets)
        hide = hiding(known)
        with opened(path, OLD) as file:
            found = read_text(file.readall(), str(path))
            for name, value in _about(about or {}, hide).items():
                if found.header.get(name, value) != value:
                    told = f"the transcript is of another {name}: {found.header[name]!r}"
                    raise ProblemError(told, file=str(path), line=1)
            episode = replay(found, problem, words, describe=describe, secrets=known)
            file.truncate(found.size)
            file.seek(max(0, found.size - 1))
            ended = b"" if file.read(1) == b"\n" else b"\n"
            over = episode.done and found.result is None
            append(file, ended + (_last(episode, hide) if over else b""))
            return cls(file, episode, known)

    def reply(self, text: str) -> Episode[S]:
        """Return the episode after a turn, which is then on disk.

        Raises what `Episode.reply` raises, and `ProblemError` where the turn cannot be written: it
        has then not been said.
        """
        episode = self.episode.reply(self._hide(text))
        line = _line(turn_row(episode.turns[-1]), self._hide)
        append(self._file, line + (_last(episode, self._hide) if episode.done else b""))
        self.episode = episode
        return episode

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Writer[S]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _lines(episode: Episode[Any], about: Mapping[str, Any], hide: _Hide) -> Iterator[bytes]:
    header = {"format": FORMAT, "version": VERSION, **_about(about, hide)}
    header |= {"policy": episode.policy.as_row(), "reference": episode.reference}
    yield _encoded(header)
    for turn in episode.turns:
        yield _line(turn_row(turn), hide)
    if episode.done:
        yield _last(episode, hide)


def _about(about: Mapping[str, Any], hide: _Hide) -> dict[str, Any]:
    """Return what may be told about a run, without what looks like a secret."""
    told: dict[str, Any] = {}
    for name, value in about.items():
        if is_secret_name(name):
            continue
        if name not in ABOUT:
            raise ProblemError(f"{name[:80]!r} does not belong there; there are {', '.join(ABOUT)}")
        if name == "settings" and isinstance(value, Mapping):
            kept = {key: v for key, v in value.items() if not is_secret_name(str(key))}
            told[name] = {str(key): _plain(key, v, hide) for key, v in kept.items()}
        else:
            told[name] = _plain(name, value, hide)
    return told


def _plain(name: str, value: Any, hide: _Hide) -> Any:
    if isinstance(value, str):
        return _without_keys(hide(value))
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    raise ProblemError(f"{name!r} must be a text or a number, not {type(value).__name__}")


def _safe(row: Mapping[str, Any], hide: _Hide) -> Mapping[str, Any]:
    """Return a row without secrets in its texts, but for those that are names of ours."""
    safe: Mapping[str, Any] = hidden(row, hide, _NAMES)
    return safe


def _line(row: Mapping[str, Any], hide: _Hide) -> bytes:
    return _encoded(_safe(row, hide))


def _last(episode: Episode[Any], hide: _Hide) -> bytes:
    return _line(_result_row(episode), hide)


def _result_row(episode: Episode[Any]) -> dict[str, Any]:
    return {"stopped": episode.stopped, "result": episode.result.as_row()}


def _encoded(row: Mapping[str, Any]) -> bytes:
    try:
        return (_LINE.encode(row) + "\n").encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can express
        return (json.dumps(row, allow_nan=False) + "\n").encode()


def _rows(raw: bytes, file: str | None) -> tuple[list[dict[str, Any]], int]:
    """Return the lines, and where they end; one that was torn off is no line."""
    rows: list[dict[str, Any]] = []
    size = 0
    for number, line in enumerate(raw.splitlines(keepends=True), start=1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number > 1 and size + len(line) == len(raw) and not line.endswith(b"\n"):
                break
            raise ProblemError(f"not JSON: {error}", file=file, line=number) from None
        if not isinstance(row, dict):
            raise ProblemError("expected a JSON object", file=file, line=number)
        rows.append(row)
        size += len(line)
    return rows, size


def _checked(header: Mapping[str, Any]) -> Mapping[str, Any]:
    if header.get("format") != FORMAT:
        raise ProblemError(f"this is no {FORMAT}")
    if header.get("version") != VERSION:
        raise ProblemError(f"this version is not known; this reads {VERSION}")
    for name in header:
        if name not in _HEADER:
            raise ProblemError(f"{name[:80]!r} is not known; there are {', '.join(_HEADER)}")
    if not isinstance(header.get("policy"), dict):
        raise ProblemError("'policy' must be an object with the options of the run")
    reference = header.get("reference")
    if not fits(reference, int | None) or (reference or 0) < 0:
        raise ProblemError("'reference' must be the length of a plan, or null")
    return header


def _check(transcript: Transcript, line: int, now: Any, then: Mapping[str, Any]) -> None:
    """Raise `ProblemError` where a row, played again, is not what the transcript says."""
    if now == then:
        return
    kind = "result" if "result" in then else "turn"
    differs = ", ".join(name for name in then if now[name] != then[name])
    hint = "; texts were hidden in it: give the same secrets" if HIDDEN in str(then) else ""
    _fail(transcript, line, f"played again, the {kind} is another: {differs}{hint}")


def _fail(transcript: Transcript, line: int, message: str) -> NoReturn:
    raise ProblemError(message, file=transcript.file, line=line)
