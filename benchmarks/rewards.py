"""How fast completions get their reward, beside naive simulation through unified-planning.

    python benchmarks/rewards.py [--problems N] [--rounds N]

Plans of 4 and 5 blocks as models write them, no completion twice: in PDDL's notation, in the
brackets that prompts ask for, in words, and in words behind a remark that no other completion has.
Every second plan is right. Rates are completions per second of CPU time of one
process, medians over rounds, each with problems that have not been seen before ("new") or with all
that was needed of them at hand ("known"). ``pip install unified-planning`` to compare.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from plangauge import Action
from plangauge.integrations.rewards import Reward, suite_rows
from plangauge.reading.notations.actions import read_action
from plangauge.suites import Sample, Suite
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.worlds.cache import CACHE

SIZES = (1, 8, 16)
FORMS = ("PDDL", "brackets", "words", "remark")
Batch = tuple[list[str], list[dict[str, str]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rounds = [
            [suite_of(Path(folder), options.problems // 2, size, seed) for size in (4, 5)]
            for seed in range(options.rounds)
        ]
        for form in FORMS:
            for size in SIZES:
                report(rounds, form, size)
        compare(rounds[0])
        for count in (100, 600):
            in_turn(suite_of(Path(folder) / "in turn", count, 5, count))


def in_turn(suite: Suite) -> None:
    """Print the rate where problems come in turn, with one new completion each time."""
    rng, rates = random.Random(0), []
    forget()
    for number in range(6):
        told = [batch for _, batch in batches_of([suite], "PDDL", 1, rng, number)]
        rates.append(len(told) / cpu(partial(rewarded, Reward(), told)))
    print(f"{len(suite)} problems in turn: {statistics.median(rates[1:]):,.0f} a second (known)")


def suite_of(folder: Path, problems: int, blocks: int, seed: int) -> Suite:
    """Return a suite of plans for so many blocks."""
    chosen = [DomainSpec.of("blocksworld", {"blocks": blocks, "start": "random"})]
    request = Request(count=problems, tasks=("plan",), seed=seed)
    return build_suite(folder / f"{blocks}-{seed}", chosen, request)


def report(rounds: list[list[Suite]], form: str, size: int) -> None:
    new, known, lengths = [], [], []
    for number, suites in enumerate(rounds):
        rng = random.Random(f"{form} {size} {number}")
        first, again = ([*batches_of(suites, form, size, rng, at)] for at in (0, size))
        forget()
        for batches, rates in ((first, new), (again, known)):
            told = [batch for _, batch in batches]
            count = sum(len(texts) for texts, _ in told)
            lengths += [len(text) for texts, _ in told for text in texts]
            rates.append(count / cpu(partial(rewarded, Reward(), told)))
    print(
        f"{form:8} {size:2} for each prompt, {statistics.mean(lengths):3.0f} characters:"
        f" {statistics.median(new):6,.0f} a second (new), {statistics.median(known):6,.0f} (known)"
    )


def forget() -> None:
    """Empty every cache of ours."""
    for module in [module for name, module in sys.modules.items() if name.startswith("plangauge")]:
        for value in list(vars(module).values()):
            if callable(clear := getattr(value, "cache_clear", None)):
                clear()
    CACHE.clear()


def rewarded(reward: Reward, batches: list[Batch]) -> list[list[float | None]]:
    return [reward(prompts=texts, completions=texts, info=info) for texts, info in batches]


def batches_of(
    suites: list[Suite], form: str, size: int, rng: random.Random, at: int = 0
) -> Iterator[tuple[Sample, Batch]]:
    """Yield each sample with so many completions; blank lines at their ends tell them apart."""
    for suite in suites:
        for sample, row in zip(suite, suite_rows(suite), strict=True):
            blanks = ["\n" * n for n in range(at, at + size)]
            texts = [completion(sample, form, rng) + blank for blank in blanks]
            yield sample, (texts, [row["info"]] * size)


def completion(sample: Sample, form: str, rng: random.Random) -> str:
    """Return the reference plan, one in two spoilt: cut, reordered, or with a step changed."""
    steps = [*(sample.truth or [])]
    kind = rng.choice(("right", "right", "right", "cut", "swapped", "other"))
    place = rng.randrange(len(steps))
    if kind == "cut":
        steps = steps[:place]
    elif kind == "swapped":
        rng.shuffle(steps)
    elif kind == "other":
        steps[place] = rng.choice(steps)
    if form == "PDDL":
        return "\n".join(steps)
    if form == "brackets":
        return f"[{', '.join(steps)}]"
    actions = [action for action in map(read_action, steps) if isinstance(action, Action)]
    told = [f"{n}. {sample.words.say(action)}" for n, action in enumerate(actions, start=1)]
    remark = [f"I have thought about it {rng.random()} times."] if form == "remark" else []
    return "\n".join([*remark, "Here is my plan:", *told])


def compare(suites: list[Suite]) -> None:
    """Print what naive simulation takes, of plans in PDDL's notation, beside ours."""
    if simulator(next(iter(suites[0]))) is None:
        print("(pip install unified-planning to compare)")
        return
    pairs = [*batches_of(suites, "PDDL", 16, random.Random(1))][::20]
    forget()
    ours = cpu(partial(rewarded, Reward(), [batch for _, batch in pairs]))
    theirs, same, count = 0.0, 0, 0
    for sample, (texts, info) in pairs:
        start = time.process_time()
        check = simulator(sample)
        assert check is not None
        valid = [check(text) for text in texts]
        theirs += time.process_time() - start
        values = Reward()(prompts=texts, completions=texts, info=info)
        same += sum(
            ((value or 0) > 0.5) == known for value, known in zip(values, valid, strict=True)
        )
        count += len(texts)
    print(
        f"unified-planning's simulator, 16 for each prompt (new): {count / theirs:,.0f} a second;"
    )
    print(f"  ours is {theirs / ours:,.0f} x as fast, same verdict on {same} of {count} plans")


def simulator(sample: Sample) -> Callable[[str], bool] | None:
    """Return what simulates a plan step by step, after reading the problem."""
    try:
        from unified_planning.engines import UPSequentialSimulator
        from unified_planning.io import PDDLReader
        from unified_planning.shortcuts import get_environment
    except ImportError:
        return None
    get_environment().credits_stream = None
    reader = PDDLReader()
    problem = reader.parse_problem_string(sample.texts.domain, sample.texts.problem)
    engine = UPSequentialSimulator(problem)

    def check(text: str) -> bool:
        state = engine.get_initial_state()
        for step in reader.parse_plan_string(problem, text).actions:
            after = engine.apply(state, step)
            if after is None:
                return False
            state = after
        return bool(engine.is_goal(state))

    return check


def cpu(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


if __name__ == "__main__":
    main()
