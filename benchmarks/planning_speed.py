"""How long optimal planning takes: the built-in search beside Fast Downward.

    python benchmarks/planning_speed.py [--problems 10] [--seed 0] [--seconds 120]

Blocksworld from 3 to 9 blocks (random towers, one goal tower), Depots of 18 objects, and the
demonstration problems; per row the median and the worst time of each planner, in seconds, and the
ratio of the medians. A problem that is not solved within the limit counts as the limit.

    python benchmarks/planning_speed.py --references 500 [DOMAIN …] [--planner auto] [--jobs 2]

What `plangauge generate` needs for the reference plans of the default suites, with an empty cache:
seconds of CPU, of all processes together, and of wall time. Blocksworld's plans come from a closed
form, whatever the planner.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from importlib.resources import files
from itertools import pairwise
from random import Random
from statistics import mean, median
from tempfile import TemporaryDirectory

from plangauge.core.errors import MissingExtra, PlannerError
from plangauge.domains.base import DOMAINS
from plangauge.planners import PLANNERS, Limits, Pddl
from plangauge.suites.build import find_references

RIVALS = ("astar", "fast-downward")
SUITES = ("blocksworld", "depots", "logistics", "ferry", "gripper", "satellite")
DEMOS = ("blocksworld", "depots", "logistics", "briefcase")


def text(*path: str) -> str:
    return files("plangauge.domains").joinpath(*path).read_text(encoding="utf-8")


def towers(random: Random, blocks: list[str]) -> list[str]:
    order = random.sample(blocks, len(blocks))
    facts = []
    below = None
    for block in order:
        if below is None or random.random() < 0.35:
            if below:
                facts.append(f"(clear {below})")
            facts.append(f"(on-table {block})")
        else:
            facts.append(f"(on {block} {below})")
        below = block
    return [*facts, f"(clear {below})", "(arm-empty)"]


def blocksworld(random: Random, size: int) -> Pddl:
    blocks = [f"b{i}" for i in range(size)]
    order = random.sample(blocks, size)
    goal = " ".join(f"(on {upper} {lower})" for lower, upper in pairwise(order))
    return Pddl(
        text("blocksworld", "domain.pddl"),
        f"(define (problem random) (:domain blocksworld) (:objects {' '.join(blocks)} - block)"
        f" (:init {' '.join(towers(random, blocks))}) (:goal (and {goal})))",
    )


def stacks(random: Random, crates: list[str], pallets: list[str]) -> dict[str, list[str]]:
    piles: dict[str, list[str]] = {pallet: [] for pallet in pallets}
    for crate in crates:
        piles[random.choice(pallets)].append(crate)
    return piles


def depots(random: Random) -> Pddl:
    """Return a problem as PlanBench has them: 4 places, 3 trucks, 3 crates, 18 objects."""
    places = ["depot0", "depot1", "depot2", "distributor0"]
    pallets = [f"pallet{i}" for i in range(4)]
    trucks = [f"truck{i}" for i in range(3)]
    crates = [f"crate{i}" for i in range(3)]
    facts = []
    for i, place in enumerate(places):
        facts += [f"(at pallet{i} {place})", f"(at hoist{i} {place})", f"(available hoist{i})"]
    facts += [f"(at {truck} {random.choice(places)})" for truck in trucks]
    for i, pile in enumerate(stacks(random, crates, pallets).values()):
        for below, crate in zip([f"pallet{i}", *pile], pile, strict=False):
            facts += [f"(on {crate} {below})", f"(at {crate} {places[i]})"]
        facts.append(f"(clear {[f'pallet{i}', *pile][-1]})")
    goal = [
        f"(on {crate} {below})"
        for pallet, pile in stacks(random, crates, pallets).items()
        for below, crate in zip([pallet, *pile], pile, strict=False)
    ]
    if random.random() < 0.28:
        goal.pop(random.randrange(len(goal)))
    return Pddl(
        text("depots", "domain.pddl"),
        "(define (problem random) (:domain depots) (:objects depot0 depot1 depot2 - depot"
        f" distributor0 - distributor {' '.join(trucks)} - truck {' '.join(crates)} - crate"
        f" {' '.join(pallets)} - pallet hoist0 hoist1 hoist2 hoist3 - hoist)"
        f" (:init {' '.join(facts)}) (:goal (and {' '.join(goal)})))",
    )


def measure(name: str, problem: Pddl, limits: Limits) -> tuple[float, float | None]:
    """Return the time in seconds and the cost; None where the limit was reached."""
    start = time.perf_counter()
    try:
        cost: float | None = PLANNERS[name].run(problem, limits, 1).cost
    except PlannerError:
        cost = None
    return time.perf_counter() - start, cost


def installed(name: str) -> bool:
    try:
        PLANNERS[name].version()
    except MissingExtra:
        return False
    return True


def report(label: str, problems: list[Pddl], rivals: list[str], limits: Limits) -> None:
    rows = [[measure(name, problem, limits) for name in rivals] for problem in problems]
    for row in rows:
        costs = {cost for _, cost in row if cost is not None}
        assert len(costs) <= 1, f"{label}: the planners disagree: {costs}"
    cells = []
    medians = []
    for column in range(len(rivals)):
        times = [row[column][0] for row in rows]
        solved = sum(row[column][1] is not None for row in rows)
        medians.append(median(times))
        cells.append(f"{medians[-1]:9.2f} {max(times):8.2f} {solved:4}/{len(rows)}")
    ratio = f"{medians[0] / medians[1]:8.2f}" if len(medians) > 1 else ""
    print(f"{label:24}", *cells, ratio, flush=True)


def cpu() -> float:
    """Return the seconds of CPU of this process and of those that it has started."""
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usage)


def references(names: list[str], options: argparse.Namespace) -> None:
    total = 0.0
    for name in names:
        domain = DOMAINS[name]
        texts = domain.generate_many(options.seed, options.references)
        problems = [(text, domain.problem(text)) for text in texts]
        start, began = time.perf_counter(), cpu()
        with TemporaryDirectory() as folder:
            os.environ["PLANGAUGE_CACHE"] = folder
            found = list(find_references(domain, problems, 1, options.planner, options.jobs))
        taken, wall = cpu() - began, time.perf_counter() - start
        total += taken
        plans = [each.plans[0] for each in found if each.plans]
        print(
            f"{name:12} {len(plans):4}/{len(found)} in {taken:6.1f} s of CPU, {wall:6.1f} s,"
            f" mean length {mean(map(len, plans)):.2f}",
            flush=True,
        )
    print(f"{'all':12} {total:17.1f} s of CPU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("domains", nargs="*", default=SUITES)
    parser.add_argument("--references", type=int, default=0)
    parser.add_argument("--planner", default="auto")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    limits = Limits(seconds=options.seconds)
    if options.references:
        references(options.domains, options)
        return
    rivals = [name for name in RIVALS if installed(name)]
    print(f"{'':24}", *(f"{name:>15}: median, worst, solved" for name in rivals), "ratio")
    for size in range(3, 10):
        random = Random(f"{options.seed} blocksworld {size}")
        made = [blocksworld(random, size) for _ in range(options.problems)]
        report(f"blocksworld, {size} blocks", made, rivals, limits)
    random = Random(f"{options.seed} depots")
    made = [depots(random) for _ in range(options.problems)]
    report("depots, 18 objects", made, rivals, limits)
    for name in DEMOS:
        demo = Pddl(text(name, "domain.pddl"), text(name, "demo", "problem.pddl"))
        report(f"demo, {name}", [demo], rivals, limits)


if __name__ == "__main__":
    main()
