"""Write docs/datasets.md: what the default suites consist of.

python docs/make_datasets.py            write it
python docs/make_datasets.py --check    exit with 1 where it is not up to date

Needs the extra planner and, the first time, some minutes; plans that were found are kept.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev
from tempfile import TemporaryDirectory
from typing import Any

from kept import keep

from plangauge.domains.base import DOMAINS, goal_facts
from plangauge.domains.blocksworld import SIZES, optimal_length
from plangauge.domains.generate import source
from plangauge.planners import Limits, Pddl, solve_many
from plangauge.suites import Sample, Suite
from plangauge.suites.base import actions_in
from plangauge.suites.build import DomainSpec, Request, build_suite

PAGE = Path(__file__).resolve().parent / "datasets.md"
JOBS = 2
COUNT = 500
STARTS = ("chain", "neutral", "subset", "random")
OTHERS = ("depots", "logistics", "ferry", "gripper", "satellite")
SUITES = {
    **{f"blocksworld, {start}": ("blocksworld", {"start": start}) for start in STARTS},
    **{name: (name, {}) for name in OTHERS},
}
QUESTIONS = ("blocksworld, chain", *OTHERS)
TASKS = ("applicability", "state-comprehension", "positive-effects", "negative-effects",
         "state-tracking", "plan")  # fmt: skip
HIGHEST = {
    "astar": {size: size - 1 for size in range(3, 9)},
    "fast-downward": {size: size - 1 for size in range(3, 11)} | {11: 5, 12: 3},
}
"""Planner → number of blocks → up to how many of them are stacked in the chains it is asked about."""

SEEDS = range(10)

HEAD = """\
# Datasets: what the default suites consist of

Written by `docs/make_datasets.py`. The suites are those of `plangauge generate DOMAIN --seed 0`, 500 problems each. A cell gives the mean
(standard deviation), least–most, or a single number if all are equal.
"""

SOURCES = """\
## Sources

The paper: Murthy, Mink and Sanneman, *Metrics for Holistic Evaluation of LLM Reasoning about Action, Change, and Planning*. It
prints counts and mean lengths, but neither data nor generator. PlanBench: Valmeekam et al., *PlanBench: An Extensible Benchmark for
Evaluating Large Language Models on Planning and Reasoning about Change*, 2023; counted in its files `blocksworld/generated` and
`depots/generated_basic`, the lengths found by an optimal planner.
"""


@dataclass(frozen=True)
class Described:
    """What is counted in a problem."""

    objects: int
    initial: int
    goal: int
    applicable: int
    branching: float
    length: int


def describe(sample: Sample) -> Described:
    domain = DOMAINS[sample.domain]
    problem = domain.problem(sample.texts.problem)
    world, plan = problem.world, actions_in(sample.references[0])
    states = [problem.initial]
    for action in plan:
        states.append(world.successor(states[-1], action))
    widths = [sum(1 for _ in world.applicable(state)) for state in states[:-1]]
    goal = goal_facts(problem)
    facts = world.facts(problem.initial)
    sizes = (len(world.objects), len(facts), len(goal), widths[0])
    return Described(*sizes, branching=mean(widths), length=len(plan))


def cell(values: Sequence[float], digits: int = 2) -> str:
    low, high = (f"{bound:.{digits if bound % 1 else 0}f}" for bound in (min(values), max(values)))
    if low == high:
        return low
    return f"{mean(values):.2f} ({stdev(values):.2f}), {low}–{high}"


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: int = 1) -> str:
    """Return a table whose columns from ``right`` on are of numbers."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * right}{'--:|' * (len(head) - right)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)


def problems_part(described: dict[str, list[Described]]) -> str:
    head = ["suite", "objects", "initial facts", "goal facts", "applicable actions",
            "branching", "optimal length"]  # fmt: skip
    fields = ("objects", "initial", "goal", "applicable", "branching", "length")
    rows = [
        [name, *(cell([getattr(each, field) for each in found], 1) for field in fields)]
        for name, found in described.items()
    ]
    return f"""\
## Problems

Initial facts are all facts that are true, including static facts and those that prompts leave to be inferred. *Applicable actions* are
those of the initial state; *branching* is their mean number along an optimal plan.

{table(head, rows)}
"""


def beside_part(described: dict[str, list[Described]]) -> str:
    depots = described["depots"]
    lengths = {name: cell([each.length for each in described[name]]) for name in described}
    head = ["", "here", "the paper", "PlanBench"]
    rows = [
        ["Blocksworld: problems", COUNT, "500 (in figures 501)", 501],
        [
            "blocks",
            cell([each.objects for each in described["blocksworld, chain"]]),
            "3–12",
            "7.25, 3–12",
        ],
        *(
            [f"optimal length, `{start}`", lengths[f"blocksworld, {start}"], *theirs]
            for start, theirs in zip(
                STARTS, (["18.7", ""], ["", "12.50"], [""] * 2, [""] * 2), strict=True
            )
        ),
        ["Depots: problems", COUNT, "500", 501],
        ["objects", cell([each.objects for each in depots]), "18", "18"],
        ["initial facts", cell([each.initial for each in depots]), "", "25"],
        ["applicable actions", cell([each.applicable for each in depots]), "", "14.24"],
        ["optimal length", lengths["depots"], "12", "12.08, 5–16"],
    ]
    return f"""\
## Beside the paper and PlanBench

{table(head, rows)}

The paper's problems have PlanBench's numbers of blocks and of objects, and its printed example has the letters of one of
PlanBench's problems. Only its initial states in Blocksworld must be different: PlanBench's, with all blocks on the table, have a mean
optimum of 12.5. `chain` gives the paper's mean, its printed example and its words ("a subset of blocks are in a stack, and the
problems require unstacking and re-stacking"), so it is the default; that the authors did the same is not proven. The mean
does not depend on the seed; over {len(SEEDS)} seeds, 500 problems each, it is

{table(["", *(f"`{start}`" for start in STARTS)], [["mean optimal length", *map(by_seed, STARTS)]])}
"""


def by_seed(start: str) -> str:
    domain = DOMAINS["blocksworld"]
    sets = (map(domain.problem, domain.generate_many(seed, COUNT, start=start)) for seed in SEEDS)
    return cell([mean(len(domain.optimal_plan(each)) for each in found) for found in sets])


def blocks_part(described: dict[str, list[Described]]) -> str:
    by_size: dict[str, dict[int, list[int]]] = {start: defaultdict(list) for start in STARTS}
    for start in STARTS:
        for each in described[f"blocksworld, {start}"]:
            by_size[start][each.objects].append(each.length)
    head = ["blocks", "problems here", "PlanBench", *(f"`{start}`" for start in STARTS)]
    rows = [
        [
            size,
            len(by_size["chain"][size]),
            number,
            *(cell(by_size[start][size]) for start in STARTS),
        ]
        for size, number in SIZES.items()
    ]
    return f"""\
## Blocksworld by number of blocks

The number of problems with each number of blocks, and the optimal length for each kind of initial state.

{table(head, rows)}
"""


def lengths_part(described: dict[str, list[Described]]) -> str:
    bounds = [*range(0, 48, 4)]
    head = ["suite", *(f"{low + 1}–{high}" for low, high in pairwise(bounds))]
    rows = []
    for name, found in described.items():
        bins = Counter((each.length - 1) // 4 for each in found)
        rows.append([name, *(bins[number] or "" for number in range(len(bounds) - 1))])
    return f"""\
## Distribution of optimal lengths

How many of the 500 problems have an optimal plan of each length.

{table(head, rows)}
"""


def questions_part(samples: dict[str, list[Sample]]) -> str:
    metas = {
        name: {
            task: [sample.meta for sample in found if sample.task == f"{task}-v1"] for task in TASKS
        }
        for name, found in samples.items()
    }
    sets = [each for found in metas.values() for task in TASKS[:-1] for each in found[task]]
    assert not any(each["baselines"]["empty"] for each in sets), "somewhere nothing is right"
    changed = [each["n_changed"] for found in metas.values() for each in found["state-tracking"]]
    head = ["suite", *TASKS]
    sizes = [
        [name, *(cell([*map(size, found[task])]) for task in TASKS)]
        for name, found in metas.items()
    ]
    scores = [
        [name, *(ignorant(task, found[task]) for task in TASKS)] for name, found in metas.items()
    ]
    idle = [[name, *idle_cells(found["applicability"])] for name, found in metas.items()]
    return f"""\
## Questions

The number of terms in the true answer, or of actions in the plan (`optimal-plan` asks for the same plans as `plan`):

{table(head, sizes)}

Mean IoU of answers without knowledge: copying the initial state (which in `state-comprehension` is the answer), and listing
every term that objects and types allow. Answering nothing scores 0 on every question about sets; the empty plan reaches the share of the goal under `plan`.

{table(head, scores)}

So a score in `state-tracking` means little by itself: two actions change few facts ({cell(changed)} over all domains), and a copy of the
initial state is nearly right. Compare it with the baseline, which every question has in its `meta`.

Actions that change nothing (a truck driven to where it is) can be executed, so they are part of the truth in `applicability`; an
answer that leaves them out, and is otherwise right, cannot score more than this. `iou_no_noop` does not count them.

{table(["suite", "actions that change nothing", "best mean IoU without them"], idle)}
"""


def size(meta: Mapping[str, Any]) -> int:
    return meta["length"] if "length" in meta else meta["n_truth"]


def ignorant(task: str, metas: list[Mapping[str, Any]]) -> str:
    """Return the scores of the answers that need no knowledge, copying first."""
    means = {
        key: f"{mean(m['baselines'][key] for m in metas):.3f}" for key in metas[0]["baselines"]
    }
    if task == "plan":
        return means["empty"]
    return f"{'–' if task == 'applicability' else means['copy_state']} / {means['everything']}"


def idle_cells(metas: list[Mapping[str, Any]]) -> tuple[str, str]:
    best = mean(1 - len(meta["no_ops"]) / meta["n_truth"] for meta in metas)
    return cell([len(meta["no_ops"]) for meta in metas]), f"{best:.3f}"


def optima_part() -> str:
    rows = [
        [blocks, cell([optimal_length(blocks, height) for height in range(2, blocks)]).split(", ")[-1],
         *(agreed(planner, blocks, highest.get(blocks, 0)) for planner, highest in HIGHEST.items())]
        for blocks in SIZES
    ]  # fmt: skip
    head = ["blocks", "closed form", *(f"`{planner}`" for planner in HIGHEST)]
    return f"""\
## The closed form, and what planners find

The optimum of `chain` with k of n blocks stacked is 2(n + k − 2). For one problem for every k from 2, the table shows how many have that optimum according to
planners that do not know the formula:

{table(head, rows)}

The omitted problems take planners minutes or more. The tests compare the closed form with all optimal plans of small problems, from
all kinds of initial states.
"""


def agreed(planner: str, blocks: int, highest: int) -> str:
    if not highest:
        return ""
    domain = DOMAINS["blocksworld"]
    heights = range(2, highest + 1)
    problems = [
        Pddl(domain.pddl, domain.generate(source(blocks, height), blocks=blocks, stacked=height))
        for height in heights
    ]
    found = solve_many(problems, planner, Limits(seconds=900), jobs=JOBS)
    same = [each.cost == optimal_length(blocks, k) for k, each in zip(heights, found, strict=True)]
    return f"{sum(same)} of {len(same)}" + (f" (k ≤ {highest})" if highest < blocks - 1 else "")


def build(name: str, folder: Path) -> list[Sample]:
    domain, parameters = SUITES[name]
    chosen = [DomainSpec.of(domain, parameters)]
    suite: Suite = build_suite(folder, chosen, Request(count=COUNT, planner="astar"), JOBS)
    return list(suite)


def page() -> str:
    with TemporaryDirectory() as folder:
        samples = {name: build(name, Path(folder) / str(i)) for i, name in enumerate(SUITES)}
    described = {
        name: [describe(sample) for sample in found if sample.task == "plan-v1"]
        for name, found in samples.items()
    }
    asked = {name: samples[name] for name in QUESTIONS}
    parts = [
        HEAD,
        problems_part(described),
        beside_part(described),
        blocks_part(described),
        lengths_part(described),
        questions_part(asked),
        optima_part(),
        SOURCES,
    ]
    return "\n".join(parts)


def main() -> int:
    return keep(PAGE, page(), "make_datasets.py", check="--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
