"""Steps a second of CPU in the environments for training: symbolic ones, and turns of text.

python benchmarks/environments.py [--blocks 5] [--steps 100000]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from plangauge.integrations.environments import TextEpisode
from plangauge.integrations.environments.gymnasium import SymbolicPlanEnv
from plangauge.integrations.rewards import suite_rows
from plangauge.suites.build import DomainSpec, Request, build_suite


def main() -> None:
    """Print both rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=100_000)
    given = parser.parse_args()
    domain = DomainSpec.of("blocksworld", {"blocks": given.blocks})
    with TemporaryDirectory() as folder:
        suite = build_suite(Path(folder) / "s", [domain], Request(count=1, tasks=("acting",)))
        info = next(suite_rows(suite))["info"]
    print(f"symbolic: {symbolic(info, given.steps):,.0f} steps a second of CPU")
    print(f"text: {textual(info, given.steps // 50):,.0f} turns a second of CPU")


def symbolic(info: dict[str, str], steps: int) -> float:
    """Return the rate of a random walk through applicable actions, resets included.

    The actions are drawn before, which takes Gymnasium many times longer than a step.
    """
    environment = SymbolicPlanEnv(info)
    _, seen = environment.reset(seed=1)
    environment.action_space.seed(1)
    walk = []
    for _ in range(steps):
        walk.append(environment.action_space.sample(seen["action_mask"]))
        _, _, ended, truncated, seen = environment.step(walk[-1])
        if ended or truncated:
            _, seen = environment.reset()
    environment.reset(seed=1)
    start = process_time()
    for action in walk:
        _, _, ended, truncated, _ = environment.step(action)
        if ended or truncated:
            environment.reset()
    return steps / (process_time() - start)


def textual(info: dict[str, str], turns: int) -> float:
    """Return the rate of turns of a player who follows the reference plan, ends included."""
    plan = [*json.loads(info["question"])["references"][0], "You are finished."]
    start, done = process_time(), 0
    while done < turns:
        episode = TextEpisode(info)
        for text in plan:
            episode.act(text)
        done += len(plan)
    return done / (process_time() - start)


if __name__ == "__main__":
    main()
