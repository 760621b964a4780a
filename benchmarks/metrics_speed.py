"""Speed of the plan metrics: pairs of texts, all pairs, and one pair of very long plans.

    python benchmarks/metrics_speed.py

Beside GAICo where it is installed (pip install gaico). The methods take turns in every round, and
medians over the rounds are compared, so that other load on the machine hits all of them alike.
Every method gets new texts in every round. The parser remembers how actions are written: it is fast
where the same few actions come again (100 of them), slow where hardly any does (100 000).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

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
    start = time.process_time()
    task()
    return time.process_time() - start


def gaico_metrics() -> tuple | None:
    try:
        from gaico.metrics.structured import PlanningJaccard, PlanningLCS
    except ImportError:
        print("GAICo is not installed, so there are no ratios: pip install gaico\n")
        return None
    return PlanningLCS(), PlanningJaccard()


def texts(rng: random.Random, length: int, count: int, vocabulary: int) -> tuple:
    references = [plan_text(rng, length, vocabulary) for _ in range(count)]
    return [similar(rng, text) for text in references], references


def pairs(length: int, count: int, vocabulary: int, theirs: tuple | None) -> None:
    """Time each method on texts that it has not seen before, new ones in every round."""
    rng = random.Random(length)
    names = ["lcs", "jaccard"]
    new = ours.PlanningLCS(), ours.PlanningJaccard()
    published = ours.PlanningLCS(as_published=True), ours.PlanningJaccard(as_published=True)
    tasks: dict[str, tuple[int, Callable[..., object]]] = {
        "score_pairs, braces": (count, lambda c, r: score_pairs(c, r, names, notation="braces")),
        "score_pairs, auto": (count, lambda c, r: score_pairs(c, r, names)),
        "compat": (count, lambda c, r: [m.calculate(c, r) for m in new]),
        "compat, as published": (count, lambda c, r: [m.calculate(c, r) for m in published]),
    }
    if theirs:
        few = max(2, count // 50) if length >= 1000 else count // 5
        tasks["GAICo"] = few, lambda c, r: [m.calculate(c, r) for m in theirs]
        some = texts(rng, length, 2, vocabulary)
        assert tasks["GAICo"][1](*some) == tasks["compat, as published"][1](*some)
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, (size, task) in tasks.items():
            some = texts(rng, length, size, vocabulary)
            times[name].append(1e6 * seconds(lambda task=task, some=some: task(*some)) / size)
    print(f"LCS and Jaccard from texts, length {length}, {vocabulary} actions, us per pair")
    print(f"  {'':22}{'median':>12}{'first':>12}{'ratio':>10}")
    for name, values in times.items():
        beside = f"{median(times['GAICo']) / median(values):9.1f}x" if theirs else ""
        print(f"  {name:22}{median(values):12.1f}{values[0]:12.1f}{beside}")


def all_pairs(count: int, length: int) -> None:
    """All pairs in us per pair; LCS beside rapidfuzz's, whose plans are already encoded as text."""
    rng = random.Random(count)
    plans = [[rng.randrange(100) for _ in range(length)] for _ in range(count)]
    texts = ["".join(map(chr, plan)) for plan in plans]
    print(f"all pairs of {count} plans of length {length}, us per pair")
    rows: dict[str, Callable[[], object]] = {
        metric: partial(pairwise, plans, metric)
        for metric in ("lcs", "jaccard", "f1", "levenshtein")
    }
    rows["lcs of rapidfuzz"] = partial(cdist, texts, texts, scorer=LCSseq.similarity)
    took: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, task in rows.items():
            took[name].append(seconds(task))
    for name, rounds in took.items():
        print(f"  {name:22}{1e6 * median(rounds) / count**2:12.3f}")


def long_pair(vocabulary: int) -> None:
    rng = random.Random(vocabulary)
    one, other = ([rng.randrange(vocabulary) for _ in range(100_000)] for _ in range(2))
    print(f"one pair of 100000 actions each, {vocabulary} different ones, seconds")
    print(f"  {'lcs':22}{seconds(lambda: compare(one, other).lcs):12.2f}")
    print(f"  {'align':22}{seconds(lambda: align(one, other)):12.2f}")


def main() -> None:
    theirs = gaico_metrics()
    for vocabulary in (100, 100_000):
        for length in (1, 2, 5, 20):
            pairs(length, 1000, vocabulary, theirs)
        pairs(200, 200, vocabulary, theirs)
        pairs(1000, 100, vocabulary, theirs)
    for length in (1, 5, 20, 64, 200):
        all_pairs(300, length)
    for vocabulary in (1000, 100_000):
        long_pair(vocabulary)


if __name__ == "__main__":
    main()
