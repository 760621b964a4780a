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

from plangauge.core.errors import ProblemError, needing
from plangauge.integrations.environments.curriculum import Tasks
from plangauge.integrations.environments.text import TextEpisode
from plangauge.integrations.rewards import suite_rows

with needing("openenv", "openenv"):
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State


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


class PlanEnvironment(Tasks, Environment[PlanAction, PlanObservation, PlanState]):
    """Episodes of the questions of a suite, one after the other, or selected at `reset`.

    ``suite`` may be the `Tasks` of another environment, which are shared then.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, suite: str | Path | Tasks, *, shaped: bool = False) -> None:
        Environment.__init__(self)
        Tasks.__init__(self, suite if isinstance(suite, Tasks) else suite_rows(suite))
        self._shaped, self._next = shaped, 0
        self._episode: TextEpisode | None = None
        self._state = PlanState()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        question: str | int | None = None,
        split: str = "all",
        index: int | None = None,
        **options: Any,
    ) -> PlanObservation:
        """Start an episode: of a question by its id or number, else of the next one.

        ``index`` is a number as well, that of a task in its ``split``; ``seed`` chooses where no
        question is given. Raises `ProblemError` for an unknown question or split.
        """
        selected = next((n for n in (question, index, seed) if n is not None), self._next)
        row = self.find(split, selected)
        self._next = selected + 1 if isinstance(selected, int) else self._next
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


def serve(suite: str | Path, *, shaped: bool = False, sessions: int = 64) -> Any:
    """Return the application that serves the environment of a suite to so many sessions."""
    return create_app(
        partial(PlanEnvironment, Tasks(suite_rows(suite)), shaped=shaped),
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
