"""Verifiable rewards for training: batch functions that TRL and verifiers call, and their data.

A `Reward` is what plangauge says of a completion as one number in [0, 1], put together from named
parts by `Weights`. It reads the row of a dataset that `suite_dataset` makes, which holds all that
is needed, so that a worker needs no files. No foreign library is needed but `datasets`, for the
table.
"""

from plangauge.integrations.rewards.completions import text_of
from plangauge.integrations.rewards.parts import ALL_PARTS, PLAN_PARTS, SCORE, Weights
from plangauge.integrations.rewards.reward import PartReward, Reward, RolloutReward, part_rewards
from plangauge.integrations.rewards.rows import check_rows, suite_dataset, suite_rows

__all__ = [
    "ALL_PARTS",
    "PLAN_PARTS",
    "SCORE",
    "PartReward",
    "Reward",
    "RolloutReward",
    "Weights",
    "check_rows",
    "part_rewards",
    "suite_dataset",
    "suite_rows",
    "text_of",
]
