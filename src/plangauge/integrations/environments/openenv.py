"""OpenEnv: the questions of a suite as an environment behind a server. Tried with openenv 0.10.

``serve(suite)`` returns its FastAPI application; ``plangauge``'s own data never leave the machine
unless you bind the server to another address than loopback::

    python -m plangauge.integrations.environments.openenv SUITE --port 8000
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from plangauge.core.errors import MissingExtra, ProblemError
from plangauge.integrations.environments.text import TextEpisode
from plangauge.integrations.rewards import suite_rows

try:
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
except ImportError:
    raise MissingExtra("openenv", "openenv") from None


class PlanAction(Action):
    """One turn."""

    text: str


class PlanObservation(Observation):
    """What follows a turn; ``metadata`` has the ``info`` of a step."""

    text: str = ""
    instructions: str = ""
    question: str = ""
    """The id of the question that the episode is about."""


class PlanState(State):
    """The state of an episode; ``episode`` is what `TextEpisode.from_json` reads."""

    episode: str = ""


class PlanEnvironment(Environment[PlanAction, PlanObservation, PlanState]):
    """Episodes of the questions of a suite, one after the other, or chosen at `reset`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, suite: str | Path, *, shaped: bool = False) -> None:
        super().__init__()
        self._rows = [*suite_rows(suite)]
        self._shaped, self._next = shaped, 0
        self._episode: TextEpisode | None = None
        self._state = PlanState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        question: str | int | None = None,
        **options: Any,
    ) -> PlanObservation:
        """Start an episode: of a question by its id or number, else of the next one.

        ``seed`` chooses a question where none is given. Raises `ProblemError` for an unknown one.
        """
        del options
        row = self._row(question if question is not None else seed)
        self._episode = TextEpisode(row["info"], shaped=self._shaped)
        self._state = PlanState(episode_id=episode_id, episode=self._episode.to_json())
        return PlanObservation(
            text=self._episode.observe(),
            instructions=self._episode.instructions(),
            question=row["sample"],
        )

    def step(
        self, action: PlanAction, timeout_s: float | None = None, **options: Any
    ) -> PlanObservation:
        """Return what follows a turn; raises `ProblemError` before the first `reset`."""
        del timeout_s, options
        if self._episode is None:
            raise ProblemError("there is no episode: call reset first")
        found = self._episode.act(action.text)
        self._state.step_count += 1
        self._state.episode = self._episode.to_json()
        return PlanObservation(
            text=found.observation, done=found.done, reward=found.reward, metadata=found.info
        )

    @property
    def state(self) -> PlanState:
        """The state of the episode."""
        return self._state

    def _row(self, question: str | int | None) -> dict[str, Any]:
        if isinstance(question, str):
            for row in self._rows:
                if row["sample"] == question:
                    return row
            raise ProblemError(f"the suite has no question {question!r}")
        number = self._next if question is None else question
        self._next = number + 1
        return self._rows[number % len(self._rows)]


def serve(suite: str | Path, *, shaped: bool = False, sessions: int = 64) -> Any:
    """Return the application that serves the environment of a suite to so many sessions."""
    return create_app(
        partial(PlanEnvironment, suite, shaped=shaped),
        PlanAction,
        PlanObservation,
        env_name="plangauge",
        max_concurrent_envs=sessions,
        state_cls=PlanState,
    )


def main(words: list[str] | None = None) -> None:
    """Serve a suite, by default on loopback only."""
    import uvicorn

    parser = argparse.ArgumentParser(description="Serve the questions of a suite by OpenEnv.")
    parser.add_argument("suite", type=Path)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--shaped", action="store_true", help="reward each turn by its progress")
    given = parser.parse_args(words)
    uvicorn.run(serve(given.suite, shaped=given.shaped), host=given.host, port=given.port)


if __name__ == "__main__":
    main()
