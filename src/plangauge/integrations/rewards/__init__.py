"""Verifiable rewards for training: batch functions that TRL and verifiers call, and their data.

A `Reward` scores a completion by one number in [0, 1], the sum of named parts with `Weights`. It
uses the row of a dataset made by `suite_dataset`, which is self-contained, so that workers need no
files. The only library required is `datasets`, for the table.
"""

from plangauge.integrations.rewards.parts import ALL_PARTS, PLAN_PARTS, SCORE, Weights
from plangauge.integrations.rewards.reward import PartReward, Reward, part_rewards, text_of
from plangauge.integrations.rewards.rows import check_rows, suite_dataset, suite_rows

__all__ = [
    "ALL_PARTS",
    "PLAN_PARTS",
    "SCORE",
    "PartReward",
    "Reward",
    "Weights",
    "check_rows",
    "part_rewards",
    "suite_dataset",
    "suite_rows",
    "text_of",
]
