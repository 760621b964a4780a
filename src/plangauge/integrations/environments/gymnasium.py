"""Gymnasium: episodes of texts, and of symbolic states with action masks. Tried with 1.4.

>>> from plangauge.integrations.environments.gymnasium import SymbolicPlanEnv
>>> from plangauge.integrations.environments.text import example
>>> environment = SymbolicPlanEnv(example())
>>> state, info = environment.reset(seed=0)
>>> [str(environment.actions[n]) for n in info["action_mask"].nonzero()[0]]
['(unstack b c)']
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plangauge.core.errors import MissingExtra, ProblemError
from plangauge.core.model import Action, Fact
from plangauge.integrations.environments.text import TextEpisode
from plangauge.integrations.rewards.rows import question_in, shaped
from plangauge.reachability.problems import FactBits, ground_problem, instance_of

try:
    import gymnasium
    import numpy as np
    from gymnasium import spaces
except ImportError:
    raise MissingExtra("gymnasium", "gymnasium") from None

_LONGEST = 100_000
_MOST_STATES = 200_000
"""How many states a symbolic environment remembers; then it begins anew."""
_STEPS = 200


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


class _Node(NamedTuple):
    """A state as it is observed, and what can be done in it."""

    observed: np.ndarray[Any, Any]
    mask: np.ndarray[Any, Any]
    successors: dict[int, int]
    reached: bool


class SymbolicPlanEnv(gymnasium.Env[Any, Any]):
    """A PDDL problem as a Markov decision process, for agents that do not use language.

    An observation has a bit for each fact that can become true (`facts`), an action is the number
    of a ground action (`actions`), and ``info["action_mask"]`` says which can be executed; another
    one changes nothing. Reaching the goal earns 1 and ends the episode; it is truncated after
    ``steps`` actions.

    Raises `ProblemError` for a row without a question, and `Unsupported` for other worlds.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - Gymnasium's interface

    def __init__(
        self, info: Mapping[str, Any], *, steps: int = _STEPS, render_mode: str | None = None
    ) -> None:
        question = question_in(info)
        if question is None:
            raise ProblemError("info has no question")
        self.render_mode = render_mode
        self._shaping = shaped(question)  # keeps the problem prepared
        self._problem = self._shaping.scorer.question.problem
        ground = ground_problem(self._problem)
        self.actions: tuple[Action, ...] = tuple(each.action for each in ground.actions)
        bits = FactBits(instance_of(self._problem), ground)
        known = ((fact, bits.of(fact)) for fact in bits.universe())
        self.facts: tuple[Fact, ...] = tuple(fact for fact, bit in known if bit)
        self._places = {fact: place for place, fact in enumerate(self.facts)}
        self.action_space = spaces.Discrete(len(self.actions))
        self.observation_space = spaces.MultiBinary(len(self.facts))
        self._numbers = {action: number for number, action in enumerate(self.actions)}
        self._nodes: dict[Any, _Node] = {}
        self._steps, self._left = steps, steps
        self._state = self._problem.initial
        self._node = self._visit(self._state)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Return to the initial state; there are no options."""
        del options
        super().reset(seed=seed)
        self._left = self._steps
        self._state = self._problem.initial
        self._node = self._visit(self._state)
        return self._node.observed.copy(), {"action_mask": self._node.mask.copy()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what follows an action; one that is masked out changes nothing."""
        after = self._node.successors.get(int(action))
        if after is not None:
            self._state = after
            self._node = self._nodes.get(after) or self._visit(after)
        self._left -= 1
        node = self._node
        info = {"action_mask": node.mask.copy()}
        truncated = self._left <= 0 and not node.reached
        return node.observed.copy(), float(node.reached), node.reached, truncated, info

    def render(self) -> str:
        """Return the facts that are true, one in each line."""
        return "\n".join(sorted(map(str, self._problem.world.facts(self._state))))

    def _visit(self, state: Any) -> _Node:
        if state in self._nodes:
            return self._nodes[state]
        if len(self._nodes) >= _MOST_STATES:
            self._nodes.clear()
        world = self._problem.world
        successors: dict[int, int] = {}
        for action in world.applicable(state):
            after = world.successor(state, action)
            if after is not None:
                successors[self._numbers[action]] = after
        mask = np.zeros(len(self.actions), dtype=np.int8)
        mask[[*successors]] = 1
        observed = np.zeros(len(self.facts), dtype=np.int8)
        true = (self._places.get(fact) for fact in world.facts(state))
        observed[[place for place in true if place is not None]] = 1
        goals = self._problem.goals
        reached = all(world.holds(state, part) for goal in goals for part in goal.conditions)
        node = self._nodes[state] = _Node(observed, mask, successors, reached)
        return node


def _printable(text: str) -> str:
    """Return a text in printable ASCII, and not longer than an observation may be."""
    return "".join(c if c in string.printable else "?" for c in text[-_LONGEST:])
