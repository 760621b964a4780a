"""Playing episodes: each message or tool call of a model is a turn, until the run is over."""

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
from plangauge.integrations.inspect.play_options import PlayOptions
from plangauge.integrations.inspect.scorer import PACKED
from plangauge.integrations.inspect.tools import FINISH, LOOK, Toolbox
from plangauge.integrations.packed import unpack
from plangauge.tasks import TASKS

TURNS = "turns"
"""The key of a sample's store for the texts of the turns."""

EPISODE = "episode"
"""The key of a sample's metadata for the measures of its episode."""

_CALL = f"Please call a tool: one of the actions, {LOOK}, or {FINISH} when the goal is reached."
_OVER = "The run is over."
_SILENT = (Said.UNREADABLE, Said.AMBIGUOUS, Said.THOUGHT, Said.FINISHED)
"""Readings of a text by which no action is executed and no state is shown."""


@solver
def episode(
    protocol: str = "text", approach: str = "act", rules: str | list[str] | dict[str, Any] = ""
) -> Solver:
    """Return the solver that plays episodes; questions of other tasks are simply asked.

    ``protocol`` is *text* or *tools*, ``approach`` one of `plangauge.episodes.APPROACHES`, and
    ``rules`` change options of its policy, such as ``step_limit=30``. Raises `ProblemError` for
    unknown names.
    """
    options = PlayOptions.of(protocol, approach, rules)

    async def solved(state: TaskState, generate: Generate) -> TaskState:
        if not _in_turns(state):
            return await generate(state)
        return await _Player(state, options).play(generate)

    return solved


@solver
def agent_episode(
    make: Callable[[list[Tool]], Agent | Solver],
    approach: str = "act",
    rules: str | list[str] | dict[str, Any] = "",
) -> Solver:
    """Return the solver that lets your own agent play the episodes, by tools.

    ``make`` creates one for each sample: ``lambda tools: react(tools=tools)``. The episode ends
    when the agent stops, or by itself: then tools say so, and the sample is *completed*. Calls that
    Inspect answers itself, such as those of unknown tools, are no turns. Raises `ProblemError` for
    unknown names.
    """
    options = PlayOptions.of("tools", approach, rules)

    async def solved(state: TaskState, generate: Generate) -> TaskState:
        if not _in_turns(state):
            return await generate(state)
        return await _Player(state, options).lend(make, generate)

    return solved


def _in_turns(state: TaskState) -> bool:
    task = state.metadata.get("task")
    return isinstance(task, str) and task in TASKS and TASKS[task].in_turns


class _Player:
    """Plays the episode of one sample of Inspect.

    Whatever ends it, including limits and errors, the output of the sample is the transcript so
    far; it is empty after an error before the first turn.
    """

    def __init__(self, state: TaskState, options: PlayOptions) -> None:
        self.state = state
        self.options = options
        sample = unpack(state.metadata[PACKED])
        self.about = {"sample": sample.id, "problem": sample.problem, "model": str(state.model)}
        self.episode: Episode[Any] = options.start(sample)
        self.tools = Toolbox(self.episode.problem, self.episode.words)
        self.limited = False
        self.said: list[str] = []
        state.store.set(TURNS, self.said)

    async def play(self, generate: Generate) -> TaskState:
        if self.options.tools:
            self.state.tools = [*self.tools.definitions(self._call)]
        try:
            while not self.episode.done:
                self.state = await generate(self.state, tool_calls="none")
                self.state.messages.extend(self._answers(self.state.output))
                if self.state.output.stop_reason == "model_length":
                    break  # the context is full
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
        """Write the transcript and its measures to the sample."""
        self.state.output = self._output()
        how = {"protocol": self.options.protocol, "stopped": self.episode.stopped}
        self.state.metadata[EPISODE] = how | self.episode.result.as_row()

    def _answers(self, output: ModelOutput) -> Sequence[ChatMessage]:
        """Return the replies to a message of the model."""
        calls = output.message.tool_calls or [] if self.options.tools else []
        if calls:
            return [*map(self._answer, calls)]
        text = output.completion
        reply = self._no_call(text) if self.options.tools else self._turn(text)
        return [] if self.episode.done else [ChatMessageUser(content=reply)]

    def _answer(self, call: ToolCall) -> ChatMessage:
        reply = self._called(call)
        return ChatMessageTool(content=reply, tool_call_id=call.id, function=call.function)

    def _called(self, call: ToolCall) -> str:
        """Return the reply to a call; one after the end of the run is no turn."""
        return _OVER if self.episode.done else self._turn(self.tools.text(call))

    def _call(self, name: str, arguments: Any) -> str:
        call = ToolCall(id="", function=name, arguments=dict(arguments))
        reply = self._called(call)
        self.state.completed = self.state.completed or self.episode.done
        return reply

    def _no_call(self, text: str) -> str:
        """Return the reply to a text without calls, which can only claim to be finished."""
        before = self.episode
        turn = read_turn(
            before.problem, text, policy=before.policy, words=before.words, state=before.state
        ).turn
        reply = self._turn(text if turn.said in _SILENT and not turn.look else "")
        return reply if turn.said is Said.FINISHED else _CALL

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
