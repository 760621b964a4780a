"""Playing episodes: what a model says or calls is a turn, until the run is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from inspect_ai.agent import Agent, as_solver, is_agent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    StopReason,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolCall
from inspect_ai.util import LimitExceededError

from plangauge.episodes import Episode, Said
from plangauge.episodes.reading import read_turn
from plangauge.episodes.transcript import written
from plangauge.integrations.inspect.manner import Manner
from plangauge.integrations.inspect.scorer import PACKED
from plangauge.integrations.inspect.tools import FINISH, LOOK, Toolbox
from plangauge.integrations.packed import unpack
from plangauge.tasks.acting import NAME as ACTING

TURNS = "turns"
"""Where the store of a sample has what was said, turn by turn."""

EPISODE = "episode"
"""Where the metadata of a sample has the measures of its episode."""

_CALL = f"Please call a tool: one of the actions, {LOOK}, or {FINISH} when the goal is reached."
_OVER = "The run is over."
_SILENT = (Said.UNREADABLE, Said.AMBIGUOUS, Said.THOUGHT, Said.FINISHED)
"""What a text may be read as without anything being executed or told."""


@solver
def episode(
    protocol: str = "text", approach: str = "act", rules: str | list[str] | dict[str, Any] = ""
) -> Solver:
    """Return the solver that plays the episodes of questions to act; others are just asked.

    ``protocol`` is *text* or *tools*, ``approach`` one of `plangauge.episodes.APPROACHES`, and
    ``rules`` change options of its policy, such as ``step_limit=30``. Raises `ProblemError` for
    what there is not.
    """
    manner = Manner.of(protocol, approach, rules)

    async def solved(state: TaskState, generate: Generate) -> TaskState:
        if state.metadata.get("task") != ACTING:
            return await generate(state)
        return await _Player(state, manner).play(generate)

    return solved


@solver
def agent_episode(
    make: Callable[[list[Tool]], Agent | Solver],
    approach: str = "act",
    rules: str | list[str] | dict[str, Any] = "",
) -> Solver:
    """Return the solver that lets an agent of your own play the episodes, by the tools it is given.

    ``make`` returns it, anew for each sample: ``lambda tools: react(tools=tools)``. The run ends
    where the agent does, or with the run: then tools say so, and the sample is *completed*. What
    Inspect answers itself, such as calls of unknown tools, is no turn. Raises `ProblemError` for
    what there is not.
    """
    manner = Manner.of("tools", approach, rules)

    async def solved(state: TaskState, generate: Generate) -> TaskState:
        if state.metadata.get("task") != ACTING:
            return await generate(state)
        return await _Player(state, manner).lend(make, generate)

    return solved


class _Player:
    """Plays the episode of one sample of Inspect.

    Whatever ends it, a limit or an error included, the output of the sample is the transcript so
    far; there is none where an error came before the first turn.
    """

    def __init__(self, state: TaskState, manner: Manner) -> None:
        self.state = state
        self.manner = manner
        sample = unpack(state.metadata[PACKED])
        self.about = {"sample": sample.id, "problem": sample.problem, "model": str(state.model)}
        self.episode: Episode[Any] = manner.start(sample)
        self.tools = Toolbox(self.episode.problem, self.episode.words)
        self.limited = False
        self.said: list[str] = []
        state.store.set(TURNS, self.said)

    async def play(self, generate: Generate) -> TaskState:
        if self.manner.tools:
            self.state.tools = [*self.tools.definitions(self._call)]
        try:
            while not self.episode.done:
                self.state = await generate(self.state, tool_calls="none")
                self.state.messages.extend(self._answers(self.state.output))
                if self.state.output.stop_reason == "model_length":
                    break  # nothing more fits into the context, and less will not
        except LimitExceededError:
            self.limited = True
            raise
        finally:
            self._end()
        return self.state

    async def lend(
        self, make: Callable[[list[Tool]], Agent | Solver], generate: Generate
    ) -> TaskState:
        try:
            made = make([each.as_tool() for each in self.tools.definitions(self._call)])
            player = as_solver(made) if is_agent(made) else cast("Solver", made)
            self.state = await player(self.state, generate)
        except LimitExceededError:
            self.limited = True
            raise
        finally:
            self._end()
        return self.state

    def _end(self) -> None:
        """Put the transcript, and what it comes to, into the sample."""
        self.state.output = self._output()
        how = {"protocol": self.manner.protocol, "stopped": self.episode.stopped}
        self.state.metadata[EPISODE] = how | self.episode.result.as_row()

    def _answers(self, output: ModelOutput) -> Sequence[ChatMessage]:
        """Return what is answered to a message of the model."""
        calls = output.message.tool_calls or [] if self.manner.tools else []
        if calls:
            return [*map(self._answer, calls)]
        text = output.completion
        told = self._no_call(text) if self.manner.tools else self._turn(text)
        return [] if self.episode.done else [ChatMessageUser(content=told)]

    def _answer(self, call: ToolCall) -> ChatMessage:
        told = self._called(call)
        return ChatMessageTool(content=told, tool_call_id=call.id, function=call.function)

    def _called(self, call: ToolCall) -> str:
        """Return what becomes of a call; one after the end of the run is no turn."""
        return _OVER if self.episode.done else self._turn(self.tools.text(call))

    def _call(self, name: str, arguments: Any) -> str:
        call = ToolCall(id="", function=name, arguments=dict(arguments))
        told = self._called(call)
        self.state.completed = self.state.completed or self.episode.done
        return told

    def _no_call(self, text: str) -> str:
        """Return what is answered to a text without calls, which only a claim can be."""
        before = self.episode
        heard = read_turn(before.problem, text, policy=before.policy, words=before.words).turn
        told = self._turn(text if heard.said in _SILENT and not heard.look else "")
        return told if heard.said is Said.FINISHED else _CALL

    def _turn(self, text: str) -> str:
        self.episode = self.episode.reply(text)
        self.said.append(self.episode.turns[-1].text)
        return self.episode.observation

    def _output(self) -> ModelOutput:
        model = self.about["model"]
        if not (self.episode.turns or self.limited):
            return ModelOutput(model=model)
        stop: StopReason = "stop" if self.episode.done else "unknown"
        return ModelOutput.from_content(model, written(self.episode, self.about), stop_reason=stop)
