"""Gymnasium: episodes of texts, and symbolic states with masks for agents without language.

Tried with 1.4.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from plangauge.core.errors import ProblemError, needing
from plangauge.core.model import Action, Fact
from plangauge.integrations.environments.text import TextEpisode
from plangauge.integrations.rewards.rows import question_in, shaped
from plangauge.reachability.problems import FactBits, ground_problem, instance_of

with needing("gymnasium", "gymnasium"):
    import gymnasium
    from gymnasium import spaces

_MOST_STATES = 200_000
"""How many states a process remembers; then it begins anew."""


class Node(NamedTuple):
    """A state, as it is observed, and what can be done in it."""

    state: Any
    observed: np.ndarray[Any, Any]
    """A bit for each fact."""
    mask: np.ndarray[Any, Any]
    """Whether each action can be executed."""
    successors: dict[int, Any]
    """Number of an action that can be executed → the state after it."""
    reached: bool
    """Whether the goal holds."""


class DecisionProcess:
    """The problem of a row: ``actions`` are its ground actions, ``facts`` what can become true.

    Raises `ProblemError` for a row without a question, and `Unsupported` for worlds other than
    PDDL's.
    """

    def __init__(self, info: Mapping[str, Any]) -> None:
        question = question_in(info)
        if question is None:
            raise ProblemError("info has no question")
        self._shaping = shaped(question)  # keeps the problem prepared
        self._problem = self._shaping.scorer.question.problem
        self._world = self._problem.world
        ground = ground_problem(self._problem)
        self.actions: tuple[Action, ...] = tuple(each.action for each in ground.actions)
        bits = FactBits(instance_of(self._problem), ground)
        self.facts: tuple[Fact, ...] = tuple(fact for fact in bits.universe() if bits.of(fact))
        self._places = {fact: place for place, fact in enumerate(self.facts)}
        self._numbers = {action: number for number, action in enumerate(self.actions)}
        self._nodes: dict[Any, Node] = {}

    @property
    def start(self) -> Node:
        """The initial state."""
        return self.node(self._problem.initial)

    def node(self, state: Any) -> Node:
        """Return what is known of a state; the states visited last are remembered."""
        found = self._nodes.get(state)
        if found is None:
            if len(self._nodes) >= _MOST_STATES:
                self._nodes.clear()
            found = self._nodes[state] = self._visit(state)
        return found

    def true(self, node: Node) -> list[Fact]:
        """Return the facts that are true, also those that never change, sorted."""
        return sorted(self._world.facts(node.state), key=str)

    def _visit(self, state: Any) -> Node:
        world = self._world
        after = ((action, world.successor(state, action)) for action in world.applicable(state))
        successors = {self._numbers[action]: each for action, each in after if each is not None}
        mask = np.zeros(len(self.actions), dtype=np.int8)
        mask[[*successors]] = 1
        observed = np.zeros(len(self.facts), dtype=np.int8)
        true = (self._places.get(fact) for fact in world.facts(state))
        observed[[place for place in true if place is not None]] = 1
        goals = self._problem.goals
        reached = all(world.holds(state, part) for goal in goals for part in goal.conditions)
        return Node(state, observed, mask, successors, reached)


__all__ = ["SymbolicPlanEnv", "TextPlanEnv"]

_LONGEST = 100_000


class TextPlanEnv(gymnasium.Env[str, str]):
    """Episodes of texts about the rows of `suite_rows`; ``reset(seed=…)`` draws one of them.

    Observations have printable ASCII characters only; others are shown as ``?``.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - Gymnasium's interface

    def __init__(
        self,
        infos: Sequence[Mapping[str, Any]],
        *,
        shaped: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if not infos:
            raise ProblemError("an environment needs at least one question")
        self.render_mode = render_mode
        self._infos, self._shaped = [*infos], shaped
        text = spaces.Text(min_length=0, max_length=_LONGEST, charset=string.printable)
        self.action_space = self.observation_space = text
        self._episode = TextEpisode(self._infos[0], shaped=shaped)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode, of the row ``options["row"]`` or of one drawn at random."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(len(self._infos)))
        row = self._infos[(options or {}).get("row", drawn)]
        self._episode = TextEpisode(row, shaped=self._shaped)
        return _printable(self._episode.observe()), {"instructions": self._episode.instructions()}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Return what follows a turn."""
        found = self._episode.act(str(action))
        ended = found.done and not found.truncated
        return _printable(found.observation), found.reward, ended, found.truncated, found.info

    def render(self) -> str:
        """Return the last observation."""
        return _printable(self._episode.observe())


def _printable(text: str) -> str:
    """Return a text in printable ASCII, and not longer than an observation may be."""
    return "".join(c if c in string.printable else "?" for c in text[-_LONGEST:])


with needing("gymnasium", "gymnasium"):
    import gymnasium
    from gymnasium import spaces

_STEPS = 200


class SymbolicPlanEnv(gymnasium.Env[Any, Any]):
    """A PDDL problem as a Markov decision process, for agents that do not use language.

    An observation has a bit for each fact that can become true (`facts`), an action is the number
    of a ground action (`actions`), and ``info["action_mask"]`` says which can be executed; another
    one changes nothing. Reaching the goal earns 1 and ends the episode; it is truncated after
    ``steps`` actions. Raises what `DecisionProcess` does.

    >>> from plangauge.integrations.environments.text import example
    >>> environment = SymbolicPlanEnv(example())
    >>> state, info = environment.reset(seed=0)
    >>> [str(environment.actions[n]) for n in info["action_mask"].nonzero()[0]]
    ['(unstack b c)']
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - Gymnasium's interface

    def __init__(
        self, info: Mapping[str, Any], *, steps: int = _STEPS, render_mode: str | None = None
    ) -> None:
        self.render_mode = render_mode
        self._process = DecisionProcess(info)
        self.actions, self.facts = self._process.actions, self._process.facts
        self.action_space = spaces.Discrete(len(self.actions))
        self.observation_space = spaces.MultiBinary(len(self.facts))
        self._steps, self._left = steps, steps
        self._node = self._process.start

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return to the initial state; there are no options."""
        super().reset(seed=seed)
        self._left, self._node = self._steps, self._process.start
        return self._node.observed.copy(), {"action_mask": self._node.mask.copy()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what follows an action; one that is masked out changes nothing."""
        after = self._node.successors.get(int(action))
        if after is not None:
            self._node = self._process.node(after)
        self._left -= 1
        node = self._node
        info = {"action_mask": node.mask.copy()}
        truncated = self._left <= 0 and not node.reached
        return node.observed.copy(), float(node.reached), node.reached, truncated, info

    def render(self) -> str:
        """Return the facts that are true, one in each line."""
        return "\n".join(map(str, self._process.true(self._node)))
