"""NeMo Gym: the questions of a suite as rows for its servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plangauge.integrations.rewards import suite_rows
from plangauge.suites import Suite

AGENT = "simple_agent"
"""The agent that NeMo Gym comes with."""


def nemo_gym_rows(suite: Suite | str | Path, agent: str = AGENT) -> Iterator[dict[str, Any]]:
    """Yield a row of plain values for each question of a suite.

    ``responses_create_params`` has the messages, ``agent_ref`` the name of the agent that answers,
    and ``verifier_metadata`` all that a server needs for the reward: ``info`` for `Reward`, the
    true ``answer``, and the names of ``sample``, ``task``, ``domain`` and ``problem``. Raises
    `ProblemError` for a missing or invalid suite.
    """
    for row in suite_rows(suite):
        prompt = row.pop("prompt")
        yield {
            "responses_create_params": {"input": prompt},
            "verifier_metadata": row,
            "agent_ref": {"type": "responses_api_agents", "name": agent},
        }
