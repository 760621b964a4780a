"""Speed of the plan metrics: pairs of texts, all pairs, and one pair of very long plans.

    python benchmarks/metrics_speed.py

Beside GAICo where it is installed (pip install gaico). The methods take turns in every round, and
medians over the rounds are compared, so that other load on the machine hits all of them alike. Both
compute LCS and Jaccard; before the clock starts it is checked that they agree.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from statistics import median

from plangauge.compat import gaico as ours
from plangauge.metrics import align, compare, pairwise, score_pairs

ROUNDS = 7


def plan_text(rng: random.Random, length: int, vocabulary: int = 100) -> str:
    numbers = [rng.randrange(vocabulary) for _ in range(length)]
    return ", ".join(f"act{n % 10}(obj{n // 10},loc{n % 7})" for n in numbers)


def similar(rng: random.Random, text: str) -> str:
    """Drop, replace and swap about a fifth of the actions."""
    actions = text.split(", ")
    for _ in range(len(actions) // 10):
        actions.pop(rng.randrange(len(actions)))
        i, j = rng.randrange(len(actions)), rng.randrange(len(actions))
        actions[i], actions[j] = actions[j], actions[i]
    return ", ".join(actions)


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def race(tasks: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            times[name].append(seconds(task))
    return {name: median(values) for name, values in times.items()}


def gaico_metrics() -> tuple | None:
    try:
        from gaico.metrics.structured import PlanningJaccard, PlanningLCS
    except ImportError:
        print("GAICo is not installed, so there are no ratios: pip install gaico\n")
        return None
    return PlanningLCS(), PlanningJaccard()


def pairs(length: int, count: int, theirs: tuple | None) -> None:
    rng = random.Random(length)
    references = [plan_text(rng, length) for _ in range(count)]
    candidates = [similar(rng, text) for text in references]
    names = ["lcs", "jaccard"]
    new = ours.PlanningLCS(), ours.PlanningJaccard()
    published = ours.PlanningLCS(as_published=True), ours.PlanningJaccard(as_published=True)
    few = slice(max(2, count // 100) if length >= 1000 else count // 5)
    tasks: dict[str, tuple[int, Callable[[], object]]] = {
        "score_pairs, braces": (
            count,
            lambda: score_pairs(candidates, references, names, notation="braces"),
        ),
        "score_pairs, auto": (count, lambda: score_pairs(candidates, references, names)),
        "compat": (count, lambda: [m.calculate(candidates, references) for m in new]),
        "compat, as published": (
            count,
            lambda: [m.calculate(candidates, references) for m in published],
        ),
    }
    if theirs:
        some = candidates[few], references[few]
        tasks["GAICo"] = len(some[0]), lambda: [m.calculate(*some) for m in theirs]
        assert [m.calculate(*some) for m in theirs] == [m.calculate(*some) for m in published]
    times = race({name: task for name, (_, task) in tasks.items()})
    print(f"LCS and Jaccard from texts, length {length}, {count} pairs, us per pair")
    per_pair = {name: 1e6 * times[name] / n for name, (n, _) in tasks.items()}
    for name, value in per_pair.items():
        beside = f"{per_pair['GAICo'] / value:9.1f}x" if theirs else ""
        print(f"  {name:22}{value:12.1f}{beside}")


def all_pairs(count: int, length: int) -> None:
    rng = random.Random(count)
    plans = [[rng.randrange(100) for _ in range(length)] for _ in range(count)]
    print(f"all pairs of {count} plans of length {length}, us per pair")
    for metric in ("lcs", "jaccard", "f1", "levenshtein"):
        took = race({metric: lambda metric=metric: pairwise(plans, metric)}, rounds=3)[metric]
        print(f"  {metric:22}{1e6 * took / count**2:12.3f}")


def long_pair(vocabulary: int) -> None:
    rng = random.Random(vocabulary)
    one, other = ([rng.randrange(vocabulary) for _ in range(100_000)] for _ in range(2))
    print(f"one pair of 100000 actions each, {vocabulary} different ones, seconds")
    print(f"  {'lcs':22}{seconds(lambda: compare(one, other).lcs):12.2f}")
    print(f"  {'align':22}{seconds(lambda: align(one, other)):12.2f}")


def main() -> None:
    theirs = gaico_metrics()
    pairs(20, 2000, theirs)
    pairs(200, 300, theirs)
    pairs(1000, 100, theirs)
    all_pairs(500, 20)
    all_pairs(100, 200)
    for vocabulary in (1000, 100_000):
        long_pair(vocabulary)


if __name__ == "__main__":
    main()
