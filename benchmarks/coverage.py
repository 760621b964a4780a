"""How often 95% intervals contain the truth, and how often tests find what is or is not there.

    python benchmarks/coverage.py [NAME …] [--rounds 2000] [--markdown]

Every line draws its data that many times anew, with a seed of its own, from a distribution whose
truth is known. With 2,000 rounds a coverage of 95% is printed as 94 to 96%.
"""

from __future__ import annotations

import argparse
import time
from functools import lru_cache
from typing import Any

import numpy as np
from coverage_case import RESAMPLES, Case, holds, rate
from coverage_data import (
    by_size,
    clustered,
    differing,
    epochs,
    even,
    lopsided,
    pairs,
    rare,
    two_tasks,
)
from coverage_ranks import rank_cases
from coverage_rough import rough_cases

from plangauge.statistics import (
    ALPHA,
    StatisticsError,
    bonett_price,
    bootstrap,
    components,
    consistency,
    contrast,
    correlate,
    correlation,
    detectable_flip,
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


def linear_slope(rng: np.random.Generator, problems: int, answers: int) -> bool | None:
    sizes, own, about = by_size(rng, problems, answers)
    values = 1 - 0.05 * sizes + 0.1 * own + rng.normal(0, 0.02, len(sizes)) * sizes
    return holds(linear(values, {"size": sizes}, about).coefficients["size"], -0.05)


def linear_of_own(rng: np.random.Generator, problems: int) -> bool | None:
    """Five answers to each problem, which all have its size and its own effect."""
    sizes, own, about = by_size(rng, problems, 5)
    if len(np.unique(sizes)) == 1:
        return None
    values = 1 - 0.05 * sizes + 0.3 * own + rng.normal(0, 0.1, len(sizes))
    return holds(linear(values, {"size": sizes}, about).coefficients["size"], -0.05)


def logistic_of_own(rng: np.random.Generator, problems: int) -> bool | None:
    """Ten answers to each problem, which all have its size."""
    sizes, _, about = by_size(rng, problems, 10)
    right = rng.random(len(sizes)) < 1 / (1 + np.exp(0.5 * (sizes - 6)))
    try:
        return holds(logistic(right, {"size": sizes}, about).coefficients["size"], -0.5)
    except StatisticsError:  # one size, or separated
        return None


def linear_of_unequal(rng: np.random.Generator, problems: int) -> bool | None:
    """Answers that have the problem's size and its own effect, most of them to one in five."""
    noise, about = lopsided(rng, problems)
    sizes = rng.integers(2, 12, problems)[about]
    return holds(linear(noise - 0.3 * sizes, {"size": sizes}, about).coefficients["size"], -0.3)


def parity_of_own(rng: np.random.Generator, problems: int) -> bool | None:
    """Five sequences of each problem, of all lengths."""
    _, own, about = by_size(rng, problems, 5)
    lengths = rng.integers(2, 12, len(about))
    values = 0.8 - 0.03 * lengths + 0.1 * (lengths % 2) + 0.15 * own
    values += rng.normal(0, 0.1, len(values))
    return holds(parity(lengths, values, about).difference, 0.1)


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


def seldom(rng: np.random.Generator, chance: float, every: bool) -> bool | None:
    """Draw five answers to each of 50 questions with the same chance."""
    about = np.repeat(np.arange(50), 5)
    truth = chance**2 if every else 1 - (1 - chance) ** 2
    return holds(passing(2, rng.random(250) < chance, about.tolist(), every=every), truth)


def split(rng: np.random.Generator, chance: float) -> bool | None:
    """Draw five answers to each of 50 questions, most of which are always or never right."""
    about = np.repeat(np.arange(50), 5)
    chances = rng.beta(chance / 2, (1 - chance) / 2, 50)[about]
    truth = chance * (chance / 2 + 1) / 1.5  # the mean of the square
    return holds(passing(2, rng.random(250) < chances, about.tolist(), every=True), truth)


def power_of_flips(rng: np.random.Generator, n: int, rows: int) -> bool:
    gain = detectable_flip(0.2 / np.sqrt(n), n, alpha=ALPHA / rows)
    assert gain is not None
    return sign_flip(rng.normal(gain, 0.2, n)) <= ALPHA / rows


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


def mean_case(draw: Any, truth: float, n: int, wanted: str = "93–97%") -> Case:
    return Case("mean", draw.__name__, f"{n}", lambda rng: holds(mean(draw(rng, n)), truth), wanted)


def bootstrap_case(draw: Any, truth: float, n: int, wanted: str = "93–97%") -> Case:
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


def shares_contrast_case(n: int, ahead: float, behind: float, wanted: str = "93–97%") -> Case:
    return Case(
        "bonett_price", f"{ahead:.0%} and {behind:.0%} differ", f"{n}",
        lambda rng: holds(bonett_price(*differing(rng, n, ahead, behind), n), ahead - behind),
        wanted,
    )  # fmt: skip


def cases() -> list[Case]:
    many, few, fine = "93–97%", "(few)", "≤ 5%"
    size, power = fine, "about 80%"
    return [
        *(wilson_case(n) for n in (10, 20, 50, 200)),
        *(shares_case(p, a) for p, a in ((30, 3), (100, 5))),
        *(Case("share", "right where above 0, unequal", f"{n}, 1 or 20 each",
               lambda rng, n=n: holds(share((found := lopsided(rng, n))[0] > 0, found[1]), 0.5),
               rough) for n, rough in ((20, few), (50, many))),
        mean_case(even, 0.5, 5, few),
        *(mean_case(even, 0.5, n) for n in (20, 100)),
        *(mean_case(rare, 0.15, n) for n in (20, 100)),
        *(clustered_case(mean, p, a) for p, a in ((20, 5), (100, 3))),
        *(Case("mean", "unequal samples", f"{n}, 1 or 20 each",
               lambda rng, n=n: holds(mean(*lopsided(rng, n)), 0), rough)
          for n, rough in ((20, few), (50, few), (100, many))),
        bootstrap_case(even, 0.5, 10, few),
        *(bootstrap_case(even, 0.5, n) for n in (20, 50, 200)),
        bootstrap_case(rare, 0.15, 20, few),
        *(bootstrap_case(rare, 0.15, n) for n in (50, 100, 200)),
        *(clustered_case(bootstrap, p, a, resamples=RESAMPLES) for p, a in ((30, 5), (100, 3))),
        *(contrast_case(n) for n in (10, 20, 50, 200)),
        shares_contrast_case(20, 0.2, 0.1, few),
        *(shares_contrast_case(n, 0.2, 0.1) for n in (50, 200)),
        shares_contrast_case(200, 0.05, 0.02, "≥ 93%"),
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
               "≥ 93%")
          for n in (50, 200)),
        *(Case(name, data, "50 × 5", lambda rng, kind=kind: repeated(rng, 50, kind))
          for name, data, kind in (("passing", "pass@2", "one"), ("passing", "pass^2", "all"),
                                   ("consistency", "right or not", "same"))),
        *(Case("passing", f"pass{'^' if every else '@'}2, chance {chance}", "50 × 5",
               lambda rng, chance=chance, every=every: seldom(rng, chance, every), "≥ 93%")
          for chance, every in ((0.9, False), (0.95, False), (0.98, False), (0.02, False),
                                (0.05, True), (0.98, True))),
        *(Case("passing", f"pass^2, most always or never, chance {chance}", "50 × 5",
               lambda rng, chance=chance: split(rng, chance), "≥ 93%")
          for chance in (0.05, 0.5, 0.95)),
        *(Case("components", "ICC, normal", f"{p} × {a}",
               lambda rng, p=p, a=a: intraclass(rng, p, a)) for p, a in ((20, 3), (100, 5))),
        Case("linear", "slope, clustered, unequal spread", "40 × 3",
             lambda rng: linear_slope(rng, 40, 3)),
        *(Case(fit, data, f"{n} × {answers}", lambda rng, n=n, once=once: once(rng, n),
               few if n < 20 else many)
          for fit, data, answers, once in (
              ("linear", "slope, of the problem's size", 5, linear_of_own),
              ("logistic", "slope, of the problem's size", 10, logistic_of_own),
              ("parity", "odd minus even, within problems", 5, parity_of_own))
          for n in (5, 8, 12, 20, 40)),
        *(Case("linear", "slope, unequal samples", f"{n}, 1 or 20 each",
               lambda rng, n=n: linear_of_unequal(rng, n), few) for n in (20, 50)),
        *(Case("logistic", "slope", f"{n}", lambda rng, n=n: logistic_slope(rng, n))
          for n in (100, 300)),
        Case("logistic", "slope, three copies each", "150 × 3",
             lambda rng: logistic_clustered(rng, 150)),
        Case("parity", "odd minus even, with a trend", "60", lambda rng: parity_gap(rng, 60)),
        *(Case("sign_flip", "rejects, no difference", f"{n}",
               lambda rng, n=n: nothing_found(rng, n), size) for n in (10, 50)),
        *(Case("mcnemar", "rejects, no difference", f"{n}",
               lambda rng, n=n: mcnemar(*differing(rng, n, 0.15, 0.15)) <= ALPHA, size)
          for n in (50, 200)),
        Case("holm", "any of 7 rejected, no differences", "7 × 30", family, size),
        *(Case("detectable_flip", "found" if rows == 1 else f"found, one of {rows} rows", f"{n}",
               lambda rng, n=n, rows=rows: power_of_flips(rng, n, rows), power)
          for n, rows in ((6, 1), (8, 1), (12, 1), (20, 1), (60, 1), (9, 7), (12, 7), (15, 7),
                          (20, 7))),
        Case("detectable_share", "found by McNemar", "200",
             lambda rng: power_of_shares(rng, 200, 0.2), power),
        *rank_cases(),
        *rough_cases(),
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
