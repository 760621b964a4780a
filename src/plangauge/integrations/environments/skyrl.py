"""SkyRL-Gym: an environment of texts. Tried with skyrl-gym 0.4.

Register it by ``skyrl_gym.register(id="plangauge", entry_point="plangauge.integrations.``
``environments.skyrl:PlanEnv")``; the rows of the dataset have ``info`` among their extras.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plangauge.core.errors import needing
from plangauge.integrations.environments.text import TextEpisode

with needing("skyrl-gym", "skyrl"):
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput


class PlanEnv(BaseTextEnv):
    """The episode of one row; each reply of the model is a turn."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._info = dict(extras or {}).get("info", {})
        self._episode = TextEpisode(self._info)

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Return the conversation before the first turn, which is the prompt of the row."""
        self._episode = TextEpisode(self._info)
        return prompt, {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Return what follows a reply."""
        found = self._episode.act(action)
        shown = [] if found.done else [{"role": "user", "content": found.observation}]
        return BaseTextEnvStepOutput(
            observations=shown,
            reward=found.reward,
            done=found.done,
            metadata=found.info,
            postprocessed_action=None,
        )
