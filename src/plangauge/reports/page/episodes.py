"""Episodes as a page shows them: turn by turn what was said and told, and the run of the actions.

A row of ``turns`` has what was ``said``, what that is ``read`` as, the ``acts`` that are tried,
each an action and why it fails (empty where it does not), what was ``told`` in answer, and whether
the turn is a ``mistake``. What was said and told stands in the transcript; all else is what comes
of it when it is played again, as for the scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plangauge.episodes import Episode, Said, Turn
from plangauge.episodes.transcript import read_text, replay
from plangauge.errors import ProblemError
from plangauge.model import Action
from plangauge.reports.page.trajectories import MOST_STEPS, Reel, Theatre, told_of
from plangauge.simulate import Diagnosis, diagnose
from plangauge.suites import Sample

MOST_TURNS = 300
"""Of longer episodes only so many turns are shown."""


def episode_of(
    theatre: Theatre, sample: Sample, text: str
) -> tuple[dict[str, Any], list[Diagnosis]] | None:
    """Return the run of an episode, played again, and why actions of it could not be executed.

    None where the text is no transcript, or cannot be played.
    """
    try:
        transcript = read_text(text)
        episode = replay(transcript, theatre.problem, sample.words, check=False)
    except ProblemError:
        return None
    player = _Player(theatre, episode)
    for number, turn in enumerate(episode.turns):
        player.play(number, turn)
    found, told = episode.progress, [turn.observation for turn in transcript.turns]
    shown = {
        "steps": sum(len(turn.acts) for turn in episode.turns),
        "failed": len(player.faults),
        "rest": [],
        "opening": episode.opening,
        "turns": [*map(_row, episode.turns[:MOST_TURNS], told)],
        "n_turns": len(episode.turns),
        "reached": found.reached,
        "valid": episode.result.success,
        "cost": None,
        "deeds": found.actions,
        "missed": [*map(str, found.unsatisfied)],
        "later": [],
    }
    return shown | player.reel.shown(player.tried), player.faults


class _Player:
    """Executes the actions of an episode again, for the frames of its run."""

    def __init__(self, theatre: Theatre, episode: Episode[Any]) -> None:
        self.problem = theatre.problem
        self.reel = Reel(theatre, episode.progress.goal.conditions)
        self.tried: list[Action] = []
        self.faults: list[Diagnosis] = []
        self._restart()

    def _restart(self) -> None:
        self.states = [self.problem.initial]
        self.executed: list[Action] = []
        self.places: list[int] = []
        """Where each executed action stands among all that were tried."""

    def play(self, number: int, turn: Turn) -> None:
        """Execute what was said in a turn; a whole plan begins at the initial state."""
        if turn.said is Said.PLAN:
            self._restart()
        for act in turn.acts:
            told: dict[str, Any] = {"turn": number}
            after = self.problem.world.successor(self.states[-1], act.action)
            if after is None:
                told |= self._failed(act.action)
            else:
                self.states.append(after)
                self.executed.append(act.action)
                self.places.append(len(self.tried))
            self.tried.append(act.action)
            if len(self.reel.frames) < MOST_STEPS:
                self.reel.add([str(act.action)], self.states[-1], told)

    def _failed(self, action: Action) -> dict[str, Any]:
        """Return why an action fails; steps in it are those of all that were tried."""
        found = diagnose(self.problem, self.states, self.executed, action)
        assert found is not None
        unmet = tuple(
            each
            if each.held_until is None
            else replace(each, held_until=self.places[each.held_until])
            for each in found.unmet
        )
        message = str(unmet[0]) if unmet else found.message
        found = replace(found, step=len(self.tried), message=message, unmet=unmet)
        self.faults.append(found)
        return told_of(found)


def _row(turn: Turn, told: str) -> dict[str, Any]:
    return {
        "said": turn.text,
        "read": turn.said.value,
        "acts": [[str(act.action), "" if act.executed else act.message] for act in turn.acts],
        "told": told,
        "mistake": turn.mistaken,
    }
