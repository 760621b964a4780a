"""TRL: ``GRPOTrainer(environment_factory=PlanEnvironment)``, an environment whose tools act.

TRL makes a tool of each public method of the class but ``reset`` and ``get_reward``, from its
signature and its docstring; so there is no other public method. Tried with the
trainer of TRL 1.16.
"""

from __future__ import annotations

from typing import Any

from plangauge.integrations.environments.text import CALL_TOOLS, FINISH, LOOK, TextEpisode

_NOT_STARTED = "There is no episode yet."


class PlanEnvironment:
    """The episode of the row that a rollout is about.

    The dataset is `plangauge.integrations.rewards.suite_dataset` of a suite of ``acting`` or
    ``plan`` questions; its column ``info`` starts the episode. A rollout earns
    `TextEpisode.value`; one without a turn earns 0.

    >>> from plangauge.integrations.environments.text import example
    >>> environment = PlanEnvironment()
    >>> "act" in environment.reset(info=example())
    True
    >>> environment.act("(put-down c)")
    'I cannot put down block c on the table because the arm is not holding block c'
    >>> _ = environment.act("(unstack b c)"), environment.act("(put-down b)"), environment.finish()
    >>> 0.8 < environment.get_reward() < 1, environment.act("(unstack b c)")
    (True, 'The episode is over.')
    """

    _episode: TextEpisode | None = None

    def reset(self, info: Any = None, **row: Any) -> str:
        """Start the episode of a row; returns how to act, which is appended to the prompt.

        Raises `ProblemError` for a row without a question that can be acted on.
        """
        self._episode = TextEpisode(info)
        return f"\n\n{CALL_TOOLS}"

    def act(self, action: str) -> str:
        """Execute one action.

        Args:
            action: The action in words, or its name and its objects, as in (name object1 object2).

        Returns:
            What became of it.
        """
        return self._turn(action)

    def look_around(self) -> str:
        """Look at the current state, without changing it.

        Returns:
            The state.
        """
        return self._turn(LOOK)

    def finish(self) -> str:
        """Claim that the goal is reached, which ends the episode if it is.

        Returns:
            Whether the goal is reached.
        """
        return self._turn(FINISH)

    def get_reward(self) -> float:
        """Return the reward of the rollout so far, in [0, 1]."""
        return 0.0 if self._episode is None else self._episode.value()

    def _turn(self, text: str) -> str:
        return _NOT_STARTED if self._episode is None else self._episode.act(str(text)).observation
