"""verifiers: tasksets that are played turn by turn. Tried with verifiers 0.4.

verifiers finds a taskset in a module of one name, which exports one of each kind. In
``plan_tools.py``, for models that call tools::

    from plangauge.integrations.environments.verifiers import ToolTaskset

    __all__ = ["ToolTaskset"]

and in ``plan_turns.py``, for models that say what they do, ``TextTaskset`` and ``TextEnv``. Then
``vf-eval plan_tools --env.taskset.suite SUITE`` plays the questions of a suite.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from plangauge.core.errors import MissingExtra
from plangauge.integrations.environments.text import CALL_TOOLS, FINISH, LOOK, TextEpisode, played
from plangauge.integrations.rewards.rows import QUESTION, suite_rows

try:
    import verifiers.v1 as vf
    from pydantic import Field
except ImportError:
    raise MissingExtra("verifiers", "verifiers") from None


class PlanData(vf.TaskData):
    """A question; ``info`` is that of its row in `suite_rows`."""

    info: dict[str, str]


class PlanState(vf.State):
    """What a rollout has done: the texts of its turns, which are replayed where they are needed."""

    turns: list[str] = Field(default_factory=list)


class PlanTools(vf.Toolset[vf.ToolsetConfig, PlanState]):
    """The tools of an episode, as a server of MCP that verifiers starts for each rollout."""

    TOOL_PREFIX = None
    info: Any = None

    async def setup_task(self, task: PlanData) -> None:
        """Take the question that the rollout is about."""
        self.info = task.info

    @vf.tool
    async def act(self, action: str) -> str:
        """Execute one action, given in words or as (name object1 object2)."""
        return self._turn(action)

    @vf.tool
    async def look_around(self) -> str:
        """Look at the current state, without changing it."""
        return self._turn(LOOK)

    @vf.tool
    async def finish(self) -> str:
        """Claim that the goal is reached, which ends the episode if it is."""
        return self._turn(FINISH)

    def _turn(self, text: str) -> str:
        episode = played(self.info, self.state.turns)
        if not episode.done:
            self.state.turns.append(text)
        return episode.act(text).observation


class PlanTask(vf.Task[PlanData]):
    """A question that `TextEnv` plays, and rewards."""

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Return whether the reference plan earns 1; None for a question without one."""
        del runtime
        references = json.loads(self.data.info[QUESTION])["references"]
        return _value(self.data, [*references[0], FINISH]) == 1 if references else None


class ToolConfig(vf.TaskConfig):
    """Where the server of the tools runs."""

    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class ToolTask(PlanTask, vf.Task[PlanData, PlanState, ToolConfig]):
    """A question that is played by calling tools."""

    @classmethod
    def toolsets(cls, config: ToolConfig) -> list[vf.Toolset]:
        """Return the tools."""
        return [PlanTools(config.tools)]

    @vf.reward
    async def plangauge(self, task: PlanData, trace: vf.Trace) -> float:
        """Return the value of the episode, in [0, 1]."""
        return _value(task, trace.state.turns)


class PlanConfig(vf.TasksetConfig):
    """Where the questions are: a suite of tasks whose answer is a plan or an episode."""

    suite: Path = Path("suite")


class ToolTasksetConfig(PlanConfig):
    """The same, with the server of the tools."""

    task: ToolConfig = ToolConfig()


class ToolTaskset(vf.Taskset[ToolTask, ToolTasksetConfig]):
    """The questions of a suite, for a model that calls tools."""

    def load(self) -> Iterator[ToolTask]:
        """Yield the questions."""
        for data in _questions(self.config.suite, CALL_TOOLS):
            yield ToolTask(data, self.config.task)


class TextTaskset(vf.Taskset[PlanTask, PlanConfig]):
    """The questions of a suite, for a model that says what it does; `TextEnv` plays them."""

    def load(self) -> Iterator[PlanTask]:
        """Yield the questions."""
        for data in _questions(self.config.suite):
            yield PlanTask(data, self.config.task)


class TextEnvConfig(vf.EnvConfig):
    """Who plays."""

    player: vf.AgentConfig = vf.AgentConfig()


class TextEnv(vf.Env[TextEnvConfig]):
    """Each reply of the model is a turn, and the observation after it is what the user says."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Play an episode, whose value is the reward ``plangauge``."""
        episode = TextEpisode(task.data.info)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                found = episode.act(segment.last_reply)
                if found.done:
                    break
                segment = await interaction.turn(found.observation)
        interaction.trace.record_reward("plangauge", episode.value())


def _questions(suite: Path, instructions: str = "") -> Iterator[PlanData]:
    for row in suite_rows(suite):
        episode = TextEpisode(row["info"])
        yield PlanData(
            id=row["sample"],
            info=row["info"],
            prompt=episode.observe(),
            system_prompt=instructions or episode.instructions(),
        )


def _value(data: PlanData, turns: Sequence[str]) -> float:
    return played(data.info, turns).value()


if __name__ == "__main__":  # how verifiers starts the server of the tools
    PlanTools.run()
