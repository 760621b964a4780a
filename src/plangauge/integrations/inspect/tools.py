"""The actions of a world as tools, and calls of tools as texts of turns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from inspect_ai.tool import ToolCall, ToolDef, ToolParam, ToolParams

from plangauge.core.model import Action
from plangauge.domains.words import Words
from plangauge.episodes import Said
from plangauge.episodes.reading import read_turn
from plangauge.suites.prompts import variables
from plangauge.worlds.base import Problem

LOOK, FINISH = "look_around", "finish"
SAID = {LOOK: "Look around.", FINISH: "You are finished."}
"""The texts of the tools that are not actions."""

_DESCRIPTIONS = {
    LOOK: "Be told the state. Nothing is changed.",
    FINISH: "Say that the goal is reached, which ends the run.",
}

_NO_TOOL = "(no-such-tool)"
"""The text of a call that must not be executed as any action."""

_MOST_LISTED = 40
_MOST_IN_ALL = 600
"""How many objects may be listed for an argument, and for all arguments together."""

_LONGEST = 80
_MOST_ARGUMENTS = 20
_ODD = re.compile(r"[^\w.-]+")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Toolbox:
    """The tools of a problem: one for each action schema, `LOOK` and `FINISH`.

    >>> from plangauge.domains.base import DOMAINS
    >>> blocks = DOMAINS["blocksworld"]
    >>> problem = blocks.problem("(define (problem p) (:domain blocksworld) (:objects b c - block)"
    ...     "(:init (arm-empty) (on b c) (on-table c) (clear b)) (:goal (on-table b)))")
    >>> tools = Toolbox(problem, blocks.words)
    >>> tools.text(ToolCall("1", "unstack", {"block1": "b", "block2": "c"}))
    '(unstack b c)'
    >>> tools.text(ToolCall("2", "unstack", {"block1": "You are finished."})), tools.text(
    ...     ToolCall("3", "done", {}))
    ('(unstack You_are_finished. ?block2)', '(no-such-tool)')
    """

    problem: Problem[Any]
    words: Words | None

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Name of a tool → name of its action."""
        named: dict[str, str] = {}
        for action in self.problem.world.schemas:
            name = _NOT_IN_NAMES.sub("_", action)[: _LONGEST // 2] or "action"
            while name in named or name in SAID:
                name += "_"
            named[name] = action
        return named

    @cached_property
    def said(self) -> Mapping[str, str]:
        """Name of a tool that is not an action → its text.

        There is no `LOOK` where looking around is an action.
        """
        turn = read_turn(self.problem, SAID[LOOK], words=self.words).turn
        looks = turn.said is Said.LOOK_AROUND
        return {name: text for name, text in SAID.items() if looks or name != LOOK}

    def definitions(self, execute: Callable[[str, Mapping[str, Any]], Any]) -> list[ToolDef]:
        """Return the tools for Inspect; ``execute`` is called with a name and arguments."""
        tools = [(name, *self._action(action)) for name, action in self.names.items()]
        tools += [(name, _DESCRIPTIONS[name], ToolParams()) for name in self.said]
        return [_tool(name, text, given, execute) for name, text, given in tools]

    def text(self, call: ToolCall) -> str:
        """Return the text of a call as a turn: a fixed phrase, or an action in parentheses.

        A call of an unknown tool or with wrong arguments is a turn that fails: no action in it can
        be executed, and it is no claim to be finished, whatever its texts are.
        """
        action = self.names.get(call.function)
        given = call.arguments if isinstance(call.arguments, dict) else {}
        broken = call.parse_error is not None
        if call.function in self.said and not given and not broken:
            return self.said[call.function]
        if action is None or broken:
            odd = ["?malformed"] if broken else []
            return self._failing(call.function, [*odd, *map(self._token, given.values())])
        wanted = [*self._arguments(action)]
        args = [self._token(given[name]) if name in given else f"?{name}" for name in wanted]
        extra = [self._token(value) for name, value in given.items() if name not in wanted]
        if extra or any(arg not in self.problem.world.objects for arg in args):
            return self._failing(action, [*args, *extra])
        return str(Action(action, tuple(args)))

    def _failing(self, name: str, args: list[str]) -> str:
        """Return an action in parentheses, unless it could be read as an executable one."""
        called = _ODD.sub("_", name)[:_LONGEST] or "nothing"
        text = str(Action(called, tuple(args[:_MOST_ARGUMENTS])))
        turn = read_turn(self.problem, text, words=self.words).turn
        world = self.problem.world
        possible = any(
            action.name in world.schemas
            and len(action.args) == len(world.schemas[action.name])
            and {*action.args} <= {*world.objects}
            for action in turn.actions
        )
        fails = turn.said in (Said.ACTIONS, Said.UNREADABLE) and not turn.look
        return text if fails and not possible else _NO_TOOL

    def _token(self, value: object) -> str:
        """Return a value as one word; the name of an object as it is."""
        text = value if isinstance(value, str) else _as_json(value)
        if text.strip() in self.problem.world.objects:
            return text.strip()
        return _ODD.sub("_", text[: 2 * _LONGEST])[:_LONGEST] or "nothing"

    def _arguments(self, action: str) -> Mapping[str, str]:
        """Return the names of the arguments of an action → their types."""
        types = self.problem.world.schemas[action]
        named: dict[str, str] = {}
        for variable, type_ in zip(variables(types), types, strict=True):
            name = _NOT_IN_NAMES.sub("_", variable[1:]).replace("-", "_")
            while name in named:
                name += "_"
            named[name] = type_
        return named

    def _action(self, action: str) -> tuple[str, ToolParams]:
        """Return the description of a tool, and its parameters."""
        arguments = self._arguments(action)
        thing = Action(action, tuple(f"<{name}>" for name in arguments))
        said = (self.words or Words()).say(thing)
        properties = {name: self._parameter(type_) for name, type_ in arguments.items()}
        text = said if said == str(thing) else f"{said[:1].upper()}{said[1:]}."
        return text, ToolParams(properties=properties, required=[*properties])

    def _parameter(self, type_: str) -> ToolParam:
        world = self.problem.world
        kind = " or ".join(type_.strip("()").removeprefix("either ").split())
        fit = [name for name in world.objects if world.is_a(name, type_)]
        listed = 0 < len(fit) <= _MOST_LISTED and self._few
        description = f"The name of an object{'' if kind == 'object' else f' of type {kind}'}."
        return ToolParam(type="string", description=description, enum=[*fit] if listed else None)

    @cached_property
    def _few(self) -> bool:
        """Whether all arguments together can list their objects."""
        world = self.problem.world
        types = [type_ for arguments in world.schemas.values() for type_ in arguments]
        fit = {type_: sum(world.is_a(name, type_) for name in world.objects) for type_ in {*types}}
        return sum(fit[type_] for type_ in types) <= _MOST_IN_ALL


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, default=str)
    except (ValueError, RecursionError):  # a cyclic value, or one nested too deeply
        return type(value).__name__


def _tool(
    name: str,
    text: str,
    parameters: ToolParams,
    execute: Callable[[str, Mapping[str, Any]], Any],
) -> ToolDef:
    async def called(**kwargs: Any) -> str:  # Inspect requires the name kwargs
        return str(execute(name, kwargs))

    return ToolDef(called, name, text, parameters)
