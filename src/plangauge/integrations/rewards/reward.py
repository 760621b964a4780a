"""Rewards as functions, with the signatures that trainers call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from plangauge.errors import ProblemError
from plangauge.integrations.rewards.completions import text_of
from plangauge.integrations.rewards.parts import ALL_PARTS, Parts, Weights
from plangauge.integrations.rewards.rows import question_in, shaped

NAME = "plangauge"
"""What trainers call the reward in their logs."""

_LONGEST = 1_000_000
_KEPT = 4096
_LONGEST_KEPT = 20_000
"""How many judged completions are kept, and how long they may be.

Trainers call one function after the other for the same batch.
"""


@dataclass(frozen=True)
class Reward:
    """The reward of completions, in [0, 1]: `Weights.total` of their parts.

    It is called as TRL calls a reward function, with the columns of the dataset as lists. Whatever
    a completion is, it has a reward; one of more than ``longest`` characters is not read and counts
    as silence, so that the time is bounded. A row without a question of ours gets None, as TRL
    expects of what is not applicable; one with a broken question raises `ProblemError`, because
    nothing could be learned from a 0 that no completion has earned.

    It depends on nothing but its arguments, and can be pickled and shared between threads.
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

        Where the trainer gives ``log_extra`` and ``log_metric``, the parts are logged as
        ``plangauge/PART``: for each completion, and their mean where they are defined.
        """
        del prompts
        told = [self.parts(*pair) for pair in _pairs(completions, info)]
        _log(told, columns.get("log_extra"), columns.get("log_metric"))
        return [None if parts is None else self.weights.total(parts) for parts in told]

    def value(self, completion: object, info: object) -> float | None:
        """Return the reward of one completion, given the ``info`` of its row."""
        parts = self.parts(completion, info)
        return None if parts is None else self.weights.total(parts)

    def parts(self, completion: object, info: object) -> dict[str, float | None] | None:
        """Return the parts of one completion; None for a row without a question of ours."""
        question = question_in(info)
        if question is None:
            return None
        return _parts(question, self._read(completion))

    def record(self, completion: object, info: object) -> dict[str, Any] | None:
        """Return the record that ``plangauge score`` would write, as `Record.as_row` does."""
        question = question_in(info)
        return None if question is None else shaped(question).record(self._read(completion))

    def _read(self, completion: object) -> str | None:
        text = text_of(completion)
        return None if text is None or len(text) > self.longest else text


@dataclass(frozen=True)
class PartReward:
    """One part as a reward function of its own, for trainers that log and weigh each function.

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
        told = [self.reward.parts(*pair) for pair in _pairs(completions, info)]
        return [None if parts is None else parts.get(self.part) for parts in told]


@dataclass(frozen=True)
class RolloutReward:
    """The reward of one rollout, as a function of a verifiers rubric.

    Its rubric counts an exception as 0, which `check_rows` is for. Raises `ProblemError` for a row
    without a question of ours.
    """

    reward: Reward = field(default_factory=Reward)

    @property
    def __name__(self) -> str:
        """The name in logs."""
        return NAME

    def __call__(self, completion: Any, info: Any, **state: Any) -> float:
        """Return the reward of a completion, given the ``info`` of its row."""
        del state
        value = self.reward.value(completion, info)
        if value is None:
            raise ProblemError("info has no question; suite_rows makes rows that have one")
        return value


def part_rewards(reward: Reward | None = None) -> tuple[list[PartReward], list[float]]:
    """Return a function for each part and their weights, for ``reward_funcs, reward_weights``.

    Their weighted sum is the reward, but for questions without a reference plan: where TRL leaves
    out a part that is not defined, `Reward` gives its weight to validity.
    """
    whole = reward or Reward()
    return [PartReward(part, whole) for part in ALL_PARTS], [*map(whole.weights.of, ALL_PARTS)]


def _pairs(completions: Sequence[Any], info: Sequence[Any] | None) -> list[tuple[Any, Any]]:
    if info is None:
        raise ProblemError("the dataset has no column 'info'; suite_dataset makes one that has")
    if len(info) != len(completions):
        raise ProblemError(f"{len(completions)} completions, but {len(info)} rows of 'info'")
    return [*zip(completions, info, strict=True)]


def _parts(question: str, text: str | None) -> dict[str, float | None]:
    if text is not None and len(text) > _LONGEST_KEPT:
        return shaped(question).parts(text)
    return dict(_kept_parts(question, text))  # whoever gets it may do with it what they want


@lru_cache(maxsize=_KEPT)
def _kept_parts(question: str, text: str | None) -> Parts:
    return shaped(question).parts(text)


def _log(
    told: Sequence[Parts | None],
    log_extra: Callable[[str, list[Any]], None] | None,
    log_metric: Callable[[str, float], None] | None,
) -> None:
    for part in ALL_PARTS if log_extra or log_metric else ():
        values = [None if parts is None else parts.get(part) for parts in told]
        known = [value for value in values if value is not None]
        if log_extra is not None:
            log_extra(f"{NAME}/{part}", values)
        if log_metric is not None and known:
            log_metric(f"{NAME}/{part}", sum(known) / len(known))
