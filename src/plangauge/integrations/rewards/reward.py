"""Rewards as functions, with the signatures that trainers call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from plangauge.core.errors import ProblemError
from plangauge.integrations.rewards.completions import text_of
from plangauge.integrations.rewards.parts import ALL_PARTS, Parts, Weights
from plangauge.integrations.rewards.rows import shaping

NAME = "plangauge"
"""The name of the reward in the logs of trainers."""

_LONGEST = 1_000_000


@dataclass(frozen=True)
class Reward:
    """The reward of completions, in [0, 1]: `Weights.total` of their parts.

    It has the signature of a reward function of TRL, with the columns of the dataset as lists.
    Every completion has a reward; one of more than ``longest`` characters is not read and counts as
    silence, which bounds the time. A row without a question of ours gets None, which means "not
    applicable" to TRL; one with a broken question raises `ProblemError`, because a 0 would mislead
    the training.

    It depends only on its arguments, and can be pickled and shared between threads.
    """

    weights: Weights = field(default_factory=Weights)
    longest: int = _LONGEST

    @property
    def __name__(self) -> str:
        """The name in logs."""
        return NAME

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        info: Sequence[Any] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the reward of each completion; None for a row without a question of ours.

        If the trainer gives ``log_extra`` and ``log_metric``, the parts are logged as
        ``plangauge/PART``: for each completion, and their mean where they are defined.
        """
        del prompts
        rewarded = [self.parts(*pair) for pair in _pairs(completions, info)]
        _log(rewarded, columns.get("log_extra"), columns.get("log_metric"))
        return [None if parts is None else self.weights.total(parts) for parts in rewarded]

    def value(self, completion: object, info: object) -> float | None:
        """Return the reward of one completion, given the ``info`` of its row."""
        parts = self.parts(completion, info)
        return None if parts is None else self.weights.total(parts)

    def parts(self, completion: object, info: object) -> dict[str, float | None] | None:
        """Return the parts of one completion; None for a row without a question of ours."""
        found = shaping(info)
        return None if found is None else found.parts(self._read(completion))

    def record(self, completion: object, info: object) -> dict[str, Any] | None:
        """Return the record that ``plangauge score`` would write, as `Record.as_row` does."""
        found = shaping(info)
        return None if found is None else found.record(self._read(completion))

    def _read(self, completion: object) -> str | None:
        text = text_of(completion)
        return None if text is None or len(text) > self.longest else text


@dataclass(frozen=True)
class PartReward:
    """One part as a separate reward function, for trainers that log and weigh each function.

    None where the part is not defined for a row, so that TRL leaves it out. Raises `ProblemError`
    for a part that does not exist.
    """

    part: str
    reward: Reward = field(default_factory=Reward)

    def __post_init__(self) -> None:
        if self.part not in ALL_PARTS:
            raise ProblemError(f"no part is named {self.part!r}; there are {', '.join(ALL_PARTS)}")

    @property
    def __name__(self) -> str:
        """The name in logs."""
        return self.part

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[Any],
        info: Sequence[Any] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the part of each completion."""
        del prompts, columns
        values = [self.reward.parts(*pair) for pair in _pairs(completions, info)]
        return [None if parts is None else parts.get(self.part) for parts in values]


def part_rewards(reward: Reward | None = None) -> tuple[list[PartReward], list[float]]:
    """Return a function for each part and their weights, for ``reward_funcs, reward_weights``.

    Their weighted sum is the reward, except for questions without a reference plan: TRL leaves out
    an undefined part, while `Reward` gives its weight to validity.
    """
    whole = reward or Reward()
    return [PartReward(part, whole) for part in ALL_PARTS], [*map(whole.weights.of, ALL_PARTS)]


def _pairs(completions: Sequence[Any], info: Sequence[Any] | None) -> list[tuple[Any, Any]]:
    if info is None:
        raise ProblemError("the dataset has no column 'info'; suite_dataset makes one that has")
    if len(info) != len(completions):
        raise ProblemError(f"{len(completions)} completions, but {len(info)} rows of 'info'")
    return [*zip(completions, info, strict=True)]


def _log(
    rows: Sequence[Parts | None],
    log_extra: Callable[[str, list[Any]], None] | None,
    log_metric: Callable[[str, float], None] | None,
) -> None:
    for part in ALL_PARTS if log_extra or log_metric else ():
        values = [None if parts is None else parts.get(part) for parts in rows]
        known = [value for value in values if value is not None]
        if log_extra is not None:
            log_extra(f"{NAME}/{part}", values)
        if log_metric is not None and known:
            log_metric(f"{NAME}/{part}", sum(known) / len(known))
