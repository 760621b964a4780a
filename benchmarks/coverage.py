"""How often 95 % intervals contain the truth, and how often tests find what is or is not there.

    python benchmarks/coverage.py [NAME …] [--rounds 2000] [--markdown]

Every line draws its data that many times anew, with a seed of its own, from a distribution whose
truth is known. With 2,000 rounds a coverage of 95 % is printed as 94 to 96 %.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from plangauge.statistics import (
    ALPHA,
    bonett_price,
    bootstrap,
    components,
    consistency,
    contrast,
    correlate,
    correlation,
    detectable_mean,
    detectable_share,
    holm,
    linear,
    logistic,
    mcnemar,
    mean,
    parity,
    passing,
    share,
    sign_flip,
    stratified,
    wilson,
)

RESAMPLES = 1_999


@dataclass(frozen=True)
class Case:
    """A line of the table: what is drawn, and whether what was found is right."""

    name: str
    data: str
    size: str
    once: Callable[[np.random.Generator], bool | None]
    """Whether the interval holds the truth, or the test rejects; None: there is no interval."""
    wanted: str = "93–97 %"


def rate(case: Case, rounds: int) -> tuple[float, float]:
    """Return how often the answer is yes, of how many rounds that have one."""
    rng = np.random.default_rng(zlib.crc32(f"{case.name} {case.data} {case.size}".encode()))
    found = [each for each in (case.once(rng) for _ in range(rounds)) if each is not None]
    return sum(found) / len(found), len(found) / rounds


def holds(found: Any, truth: float) -> bool | None:
    """Return whether an interval contains the truth; None where there is no interval."""
    low, high = (found.low, found.high) if hasattr(found, "low") else found
    return None if low is None else bool(low <= truth <= high)


# What is drawn. Scores are twentieths, as shares of small sets are.


def even(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw scores around a half, which vary much."""
    return rng.binomial(20, rng.beta(0.8, 0.8, count)) / 20


def rare(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw scores of which seven in ten are 0: mean 0.15, skewed."""
    return np.where(rng.random(count) < 0.3, rng.binomial(20, 0.5, count) / 20, 0.0)


def clustered(rng: np.random.Generator, problems: int, answers: int) -> tuple[Any, Any]:
    """Draw scores that depend on the problem, with mean 0.5."""
    chances = np.repeat(rng.beta(1.6, 1.6, problems), answers)
    return rng.binomial(20, chances) / 20, np.repeat(np.arange(problems), answers)


def pairs(rng: np.random.Generator, problems: int, gain: float = 0.0) -> tuple[Any, Any]:
    """Draw scores of two models that find the same problems hard; one is better by the gain."""
    hard = rng.beta(1, 1, problems)
    return tuple(np.clip(rng.normal(hard * 0.5 + 0.2 + g, 0.1), 0, 1) for g in (gain, 0.0))


def differing(rng: np.random.Generator, n: int, ahead: float, behind: float) -> tuple[int, int]:
    """Draw how many of n pairs differ, so many for the one and so many for the other model."""
    found = rng.multinomial(n, [ahead, behind, 1 - ahead - behind])
    return int(found[0]), int(found[1])


def epochs(rng: np.random.Generator, problems: int, answers: int) -> tuple[Any, Any]:
    """Draw what is right of several answers; the chance varies evenly between problems."""
    chances = np.repeat(rng.random(problems), answers)
    return (rng.random(len(chances)) < chances).astype(float), np.repeat(
        np.arange(problems), answers
    )


def by_size(rng: np.random.Generator, problems: int, answers: int = 1) -> tuple[Any, Any, Any]:
    """Draw lengths and the problem's own effect, which answers share."""
    sizes = np.repeat(rng.integers(2, 12, problems), answers).astype(float)
    return sizes, np.repeat(rng.normal(0, 1, problems), answers), np.repeat(
        np.arange(problems), answers
    )  # fmt: skip


def linear_slope(rng: np.random.Generator, problems: int, answers: int) -> bool | None:
    sizes, own, about = by_size(rng, problems, answers)
    values = 1 - 0.05 * sizes + 0.1 * own + rng.normal(0, 0.02, len(sizes)) * sizes
    return holds(linear(values, {"size": sizes}, about).coefficients["size"], -0.05)


def logistic_slope(rng: np.random.Generator, n: int) -> bool | None:
    sizes, _, _ = by_size(rng, n)
    right = rng.random(n) < 1 / (1 + np.exp(-(2 - 0.4 * sizes)))
    return holds(logistic(right, {"size": sizes}).coefficients["size"], -0.4)


def logistic_clustered(rng: np.random.Generator, problems: int) -> bool | None:
    """Copies of one answer: the slope is that of the answers drawn."""
    sizes, _, _ = by_size(rng, problems)
    right = rng.random(problems) < 1 / (1 + np.exp(-(2 - 0.4 * sizes)))
    fit = logistic(
        np.repeat(right, 3), {"size": np.repeat(sizes, 3)}, np.repeat(np.arange(problems), 3)
    )
    return holds(fit.coefficients["size"], -0.4)


def parity_gap(rng: np.random.Generator, problems: int) -> bool | None:
    lengths, own, about = by_size(rng, problems, 1)
    values = 0.8 - 0.03 * lengths + 0.1 * (lengths % 2) + 0.15 * own
    return holds(parity(lengths, values, about).difference, 0.1)


def domains(rng: np.random.Generator, sizes: tuple[int, ...], weights: Any) -> bool | None:
    values = np.concatenate([rng.binomial(20, 0.2 + 0.15 * i, n) / 20 + rng.normal(0, 0.1 * i, n)
                             for i, n in enumerate(sizes)])  # fmt: skip
    names = np.repeat(np.arange(len(sizes)), sizes)
    share_of = np.asarray(sizes) / sum(sizes) if weights == "values" else 1 / len(sizes)
    truth = float(((0.2 + 0.15 * np.arange(len(sizes))) * share_of).sum())
    return holds(stratified(values, names, weights=weights).overall, truth)


def ranked(rng: np.random.Generator, n: int) -> bool | None:
    """Draw normal pairs with correlation 0.6, of which Spearman's is 6/π · arcsin(0.3)."""
    one = rng.normal(size=n)
    other = 0.6 * one + 0.8 * rng.normal(size=n)
    return holds(correlate(one, other), 6 / np.pi * np.arcsin(0.3))


@lru_cache(maxsize=1)
def true_rank_correlation() -> float:
    found = correlation(*two_tasks(np.random.default_rng(1), 1_000_000))
    assert found is not None
    return found


def two_tasks(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Draw scores of two tasks, with many ties, that depend on how hard a problem is."""
    easy = rng.beta(0.8, 0.8, n)
    return rng.binomial(20, easy) / 20, rng.binomial(3, easy) / 3


def product_moment(rng: np.random.Generator, n: int) -> bool | None:
    one = rng.normal(size=n)
    return holds(correlate(one, 0.6 * one + 0.8 * rng.normal(size=n), "pearson"), 0.6)


def intraclass(rng: np.random.Generator, problems: int, answers: int) -> bool | None:
    about = np.repeat(np.arange(problems), answers)
    values = rng.normal(0, 1, problems)[about] + rng.normal(0, 1, len(about))
    return holds(components(values, about), 0.5)


def repeated(rng: np.random.Generator, problems: int, kind: str) -> bool | None:
    """Draw five answers to each; with chances U(0, 1), pass@2 is 2/3, pass^2 is 1/3."""
    right, about = epochs(rng, problems, 5)
    if kind == "same":
        return holds(consistency(right.tolist(), about.tolist()), 2 / 3)
    found = passing(2, right, about.tolist(), about, every=kind == "all")
    return holds(found, 1 / 3 if kind == "all" else 2 / 3)


def power_of_means(rng: np.random.Generator, n: int) -> bool:
    spread = 0.2
    gain = detectable_mean(spread / np.sqrt(n), n)
    return sign_flip(rng.normal(gain, spread, n), resamples=RESAMPLES) <= ALPHA


@lru_cache(maxsize=9)
def found_by_mcnemar(n: int, discordant: float) -> float:
    gain = detectable_share(n, discordant)
    assert gain is not None
    return gain


def power_of_shares(rng: np.random.Generator, n: int, discordant: float) -> bool:
    gain = found_by_mcnemar(n, discordant)
    return mcnemar(*differing(rng, n, (discordant + gain) / 2, (discordant - gain) / 2)) <= ALPHA


def nothing_found(rng: np.random.Generator, n: int) -> bool:
    one, other = pairs(rng, n)
    return sign_flip(one - other, resamples=RESAMPLES) <= ALPHA


def family(rng: np.random.Generator) -> bool:
    """Return whether any of seven tests of nothing is called shown."""
    found = [sign_flip(rng.normal(size=30), resamples=RESAMPLES) for _ in range(7)]
    return min(value for value in holm(found) if value is not None) <= ALPHA


def wilson_case(n: int) -> Case:
    def once(rng: np.random.Generator) -> bool | None:
        chance = rng.uniform(0.05, 0.95)
        found = wilson(int(rng.binomial(n, chance)), n)
        return None if found is None else holds(found, chance)

    return Case("wilson", "chance from 0.05 to 0.95", f"{n}", once)


def shares_case(problems: int, answers: int) -> Case:
    def once(rng: np.random.Generator) -> bool | None:
        right, about = epochs(rng, problems, answers)
        return holds(share(right == 1, about), 0.5)

    return Case("share", "clustered", f"{problems} × {answers}", once)


def mean_case(draw: Any, truth: float, n: int, wanted: str = "93–97 %") -> Case:
    return Case("mean", draw.__name__, f"{n}", lambda rng: holds(mean(draw(rng, n)), truth), wanted)


def bootstrap_case(draw: Any, truth: float, n: int, wanted: str = "93–97 %") -> Case:
    return Case(
        "bootstrap", draw.__name__, f"{n}",
        lambda rng: holds(bootstrap(draw(rng, n), resamples=RESAMPLES), truth), wanted,
    )  # fmt: skip


def clustered_case(estimate: Any, problems: int, answers: int, **more: Any) -> Case:
    return Case(
        estimate.__name__, "clustered", f"{problems} × {answers}",
        lambda rng: holds(estimate(*clustered(rng, problems, answers), **more), 0.5),
    )  # fmt: skip


def contrast_case(n: int) -> Case:
    """The true difference is that of the clipped scores, which are rarely clipped."""
    return Case(
        "contrast", "graded pairs", f"{n}",
        lambda rng: holds(contrast(*pairs(rng, n, 0.05), resamples=RESAMPLES), 0.05),
    )  # fmt: skip


def shares_contrast_case(n: int, ahead: float, behind: float, wanted: str = "93–97 %") -> Case:
    return Case(
        "bonett_price", f"{ahead:.0%} and {behind:.0%} differ", f"{n}",
        lambda rng: holds(bonett_price(*differing(rng, n, ahead, behind), n), ahead - behind),
        wanted,
    )  # fmt: skip


def cases() -> list[Case]:
    many, few, fine = "93–97 %", "(few)", "≤ 5 %"
    size, power = fine, "≥ 80 %"
    return [
        *(wilson_case(n) for n in (10, 20, 50, 200)),
        *(shares_case(p, a) for p, a in ((30, 3), (100, 5))),
        mean_case(even, 0.5, 5, few),
        *(mean_case(even, 0.5, n) for n in (20, 100)),
        *(mean_case(rare, 0.15, n) for n in (20, 100)),
        *(clustered_case(mean, p, a) for p, a in ((20, 5), (100, 3))),
        bootstrap_case(even, 0.5, 10, few),
        *(bootstrap_case(even, 0.5, n) for n in (20, 50, 200)),
        bootstrap_case(rare, 0.15, 20, few),
        *(bootstrap_case(rare, 0.15, n) for n in (50, 100, 200)),
        *(clustered_case(bootstrap, p, a, resamples=RESAMPLES) for p, a in ((30, 5), (100, 3))),
        *(contrast_case(n) for n in (10, 20, 50, 200)),
        shares_contrast_case(20, 0.2, 0.1, few),
        *(shares_contrast_case(n, 0.2, 0.1) for n in (50, 200)),
        shares_contrast_case(200, 0.05, 0.02),
        Case("stratified", "4 domains, values", "4 × 20",
             lambda rng: domains(rng, (20, 20, 20, 20), "values"), many),
        Case("stratified", "3 domains, domains", "10 + 20 + 60",
             lambda rng: domains(rng, (10, 20, 60), "strata"), many),
        *(Case("correlate", "Pearson, normal", f"{n}", lambda rng, n=n: product_moment(rng, n))
          for n in (20, 100)),
        *(Case("correlate", "Spearman, normal", f"{n}", lambda rng, n=n: ranked(rng, n))
          for n in (20, 100)),
        *(Case("correlate", "Spearman, scores of two tasks", f"{n}",
               lambda rng, n=n: holds(correlate(*two_tasks(rng, n)), true_rank_correlation()),
               "≥ 93 %")
          for n in (50, 200)),
        *(Case(name, data, "50 × 5", lambda rng, kind=kind: repeated(rng, 50, kind))
          for name, data, kind in (("passing", "pass@2", "one"), ("passing", "pass^2", "all"),
                                   ("consistency", "right or not", "same"))),
        *(Case("components", "ICC, normal", f"{p} × {a}",
               lambda rng, p=p, a=a: intraclass(rng, p, a)) for p, a in ((20, 3), (100, 5))),
        Case("linear", "slope, clustered, unequal spread", "40 × 3",
             lambda rng: linear_slope(rng, 40, 3)),
        *(Case("logistic", "slope", f"{n}", lambda rng, n=n: logistic_slope(rng, n))
          for n in (100, 300)),
        Case("logistic", "slope, three copies each", "150 × 3",
             lambda rng: logistic_clustered(rng, 150)),
        Case("parity", "odd less even, with a trend", "60", lambda rng: parity_gap(rng, 60)),
        *(Case("sign_flip", "rejects, no difference", f"{n}",
               lambda rng, n=n: nothing_found(rng, n), size) for n in (10, 50)),
        *(Case("mcnemar", "rejects, no difference", f"{n}",
               lambda rng, n=n: mcnemar(*differing(rng, n, 0.15, 0.15)) <= ALPHA, size)
          for n in (50, 200)),
        Case("holm", "any of 7 rejected, no differences", "7 × 30", family, size),
        Case("detectable_mean", "found by the sign flip", "60",
             lambda rng: power_of_means(rng, 60), power),
        Case("detectable_share", "found by McNemar", "200",
             lambda rng: power_of_shares(rng, 200, 0.2), power),
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only these functions")
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    started = time.perf_counter()
    if options.markdown:
        print("| function | data | n | found | wanted |\n|---|---|--:|--:|---|")
    for case in cases():
        if not options.names or case.name in options.names:
            found, there = rate(case, options.rounds)
            told = f"{found:.1%}" + (f" ({there:.0%} have one)" if there < 1 else "")
            cells = (f"`{case.name}`", case.data, case.size, told, case.wanted)
            line = f"| {' | '.join(cells)} |" if options.markdown else (
                "{:18} {:34} {:>12}  {:>8}  {}".format(case.name, *cells[1:])
            )  # fmt: skip
            print(line, flush=True)
    print(f"\n{options.rounds:,} rounds each, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
