"""Keeping what is played in a transcript: every turn that stands, and none that was undone."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plangauge.cli.console import InputError, printable
from plangauge.cli.play_stage import Stage
from plangauge.episodes import transcript as transcripts
from plangauge.episodes.episode import Episode
from plangauge.episodes.policy import Policy
from plangauge.episodes.transcript import Writer, hashes, written
from plangauge.suites.files import new_file


@contextmanager
def _finished() -> Iterator[None]:
    """Let Ctrl-C wait until what is begun is finished."""
    pressed: list[int] = []
    try:
        before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    except ValueError:  # in another thread than the one that Ctrl-C breaks off
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        if pressed:
            signal.raise_signal(signal.SIGINT)


class Kept:
    """An episode in a file, or nowhere. ``episode`` is where it stood when it was opened."""

    def __init__(self, stage: Stage, path: str | None, policy: Policy | None) -> None:
        """Open a transcript, or begin one; no policy is that of the transcript, or the default.

        Raises `ProblemError` where the file is no transcript, or one of something else.
        """
        self._stage, self._path = stage, path
        self._about = {"sample": stage.sample} if stage.sample else {}
        self._about |= {"problem": stage.name, **hashes(stage.domain_text, stage.text)}
        self._writer: Writer[Any] | None = None
        if path is not None and Path(path).exists():
            self._writer = self._resumed(path)
            self.episode = self._writer.episode
            if policy not in (None, self.episode.policy):
                self.close()
                told = (
                    "the transcript was begun with other rules; leave out --approach and --limits"
                )
                raise InputError(f"{printable(path)}: {told}")
            return
        length = len(stage.references[0].actions) if stage.references else None
        self.episode = Episode.start(stage.problem, stage.words, policy, reference=length)
        if path is not None:
            self._writer = Writer.create(path, self.episode, self._about)

    @property
    def start(self) -> Episode[Any]:
        """The episode before its first turn."""
        begun, stage = self.episode, self._stage
        rules, length = begun.policy, begun.reference
        return Episode.start(stage.problem, stage.words, rules, reference=length)

    def keep(self, episode: Episode[Any]) -> None:
        """Write what has become of the episode: a turn more, or some turns less.

        Ctrl-C waits until that is done.
        """
        with _finished():
            self._keep(episode)

    def _keep(self, episode: Episode[Any]) -> None:
        if self._writer is None or self._path is None:
            return
        known = self._writer.episode.turns
        if episode.turns[:-1] == known and len(episode.turns) > len(known):
            self._writer.reply(episode.turns[-1].text)
        elif episode.turns != known:
            self._writer.close()
            with new_file(self._path) as file:
                file.write(written(episode, self._about).encode())
            self._writer = self._resumed(self._path)

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()

    def _resumed(self, path: str) -> Writer[Any]:
        header = transcripts.read(path).header
        same = {name: value for name, value in self._about.items() if name != "sample"}
        writer = Writer.resume(path, self._stage.problem, self._stage.words, about=same)
        self._about = {name: header[name] for name in transcripts.ABOUT if name in header}
        return writer
