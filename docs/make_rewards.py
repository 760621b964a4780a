"""Write the tables of docs/rewards.md: what answers earn that need no planning.

python docs/make_rewards.py            write it
python docs/make_rewards.py --check    exit with 1 where it is not up to date
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from kept import keep

from plangauge.integrations.rewards import Reward, suite_rows
from plangauge.scoring.baselines import BASELINES
from plangauge.suites import Sample
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.tasks import TASKS, general_tasks
from plangauge.tasks.acting import NAME as ACTING
from plangauge.tasks.base import unversioned

PAGE = Path(__file__).resolve().parent / "rewards.md"
BEGIN, END = "<!-- written by make_rewards.py -->\n", "<!-- end -->\n"
COPIES = "<!-- copies, written by make_rewards.py -->\n"
DOMAINS: dict[str, dict[str, int | str]] = {
    "blocksworld": {"blocks": 4, "start": "random"},
    "depots": {"depots": 1, "trucks": 1, "crates": 2},
    "ferry": {"locations": 3, "cars": 2},
    "gripper": {"rooms": 2, "balls": 3},
    "logistics": {"packages": 1},
    "satellite": {"satellites": 1, "directions": 3, "images": 2},
}
"""Those with a generator, in which every task's prompt is copied."""
EACH = 5
TASKS_SHOWN = ("plan-v1", "applicability-v1")
PROBLEMS = 20
HUGE = 1_000_000
MANY = 1
"""On so many questions are the huge answers tried."""

Answer: TypeAlias = Callable[[Sample], "str | None"]


def written(sample: Sample, terms: list[str]) -> str:
    return TASKS[sample.task].written(sample.question(), terms)


def truth(sample: Sample) -> list[str]:
    assert isinstance(sample.truth, list)
    return sample.truth


def baseline(name: str) -> Answer:
    return lambda sample: BASELINES[name].respond(sample).text


def goal(sample: Sample) -> str:
    conditions = sample.question().problem.goals[0].conditions
    return f"[{', '.join(map(str, conditions))}]"


def back_and_forth(sample: Sample) -> list[str]:
    """Return an action and the one that undoes it."""
    problem = sample.question().problem
    world = problem.world
    for first in world.applicable(problem.initial):
        after = world.successor(problem.initial, first)
        for second in world.applicable(after) if after is not None else ():
            if world.successor(after, second) == problem.initial:
                return [str(first), str(second)]
    raise ValueError(f"{sample.id}: nothing can be undone")


def filled(text: str) -> Answer:
    return lambda _: (text * (HUGE // len(text) + 1))[:HUGE]


def lists(sample: Sample, ends: range) -> str:
    steps = truth(sample)
    return "\n\n".join(written(sample, steps[:end]) for end in ends)


def plans(sample: Sample, ends: range) -> str:
    steps = truth(sample)
    return "\n\n".join(
        f"Plan {number}:\n" + "\n".join(steps[:end]) for number, end in enumerate(ends, start=1)
    )


ANSWERS: dict[str, Answer] = {
    "the true answer": lambda sample: written(sample, truth(sample)),
    "nothing": lambda _: "",
    "a list of nothing, `[]`": lambda _: "[]",
    "1 MB of the letter a": filled("a"),
    "1 MB of opening brackets": filled("("),
    "1 MB of one right action": lambda sample: filled(f"{truth(sample)[0]} ")(sample),
    "more than 1 MB, then the true answer": lambda sample: (
        "a" * HUGE + "\n" + written(sample, truth(sample))
    ),
    "the true answer ten times in one list": lambda s: written(s, truth(s) * 10),
    "the prompt": lambda sample: sample.prompt,
    "the goal as the answer": goal,
    "all actions there are": baseline("everything"),
    "one action and what undoes it": lambda s: written(s, back_and_forth(s)),
    "… a hundred times": lambda s: written(s, back_and_forth(s) * 100),
    "… twice, then the true answer": lambda s: written(s, back_and_forth(s) * 2 + truth(s)),
    "every beginning of the true plan, the longest last": lambda s: plans(
        s, range(1, len(truth(s)) + 1)
    ),
    "every beginning of the true plan, the shortest last": lambda s: plans(
        s, range(len(truth(s)), 0, -1)
    ),
    "the same as lists with nothing between, the longest last": lambda s: lists(
        s, range(1, len(truth(s)) + 1)
    ),
    "the true answer without its last step": lambda s: written(s, truth(s)[:-1]),
    "the first half of the true answer": baseline("truncated-truth"),
    "the true answer in another order": baseline("shuffled-truth"),
    "as many random actions": baseline("random-applicable"),
    "always what satisfies most of the goal at once": baseline("greedy-planner"),
}
OF_PLANS = tuple(
    name
    for name in ANSWERS
    if "plan" in name or "step" in name or "lists" in name or "at once" in name
)


@cache
def earned() -> list[tuple[str, str, list[float]]]:
    """Return task, answer and the rewards of it, where it makes sense for the task."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = [DomainSpec.of("blocksworld", {"blocks": 4, "start": "random"})]
        request = Request(count=PROBLEMS, tasks=("plan", "applicability"))
        suite = build_suite(Path(folder) / "suite", chosen, request)
        pairs = [*zip(suite, suite_rows(suite), strict=True)]
    reward = Reward()
    found = []
    for task in TASKS_SHOWN:
        asked = [(sample, row["info"]) for sample, row in pairs if sample.task == task]
        for name, answer in ANSWERS.items():
            if name in OF_PLANS and task != "plan-v1":
                continue
            some = asked[:MANY] if "1 MB" in name else asked
            values = [reward.value(answer(sample), info) for sample, info in some]
            found.append((task, name, [value for value in values if value is not None]))
    return found


def table() -> str:
    cells = {(task, name): values for task, name, values in earned()}
    lines = [
        "| answer | plan: mean | most | applicable actions: mean | most |",
        "|---|---|---|---|---|",
    ]
    for name in ANSWERS:
        found = [cells.get((task, name)) for task in TASKS_SHOWN]
        shown = [f"{mean(v):.2f} | {max(v):.2f}" if v else " | " for v in found]
        lines.append(f"| {name} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


@cache
def copied() -> dict[str, dict[str, list[float]]]:
    """Return what the prompt as the answer earns, by task and domain."""
    tasks = tuple(name for name in general_tasks() if name != ACTING)
    with tempfile.TemporaryDirectory() as folder:
        chosen = [DomainSpec.of(name, parameters) for name, parameters in DOMAINS.items()]
        request = Request(count=EACH, tasks=tuple(map(unversioned, tasks)))
        suite = build_suite(Path(folder) / "suite", chosen, request)
        pairs = [*zip(suite, suite_rows(suite), strict=True)]
    reward = Reward()
    found: dict[str, dict[str, list[float]]] = {name: {} for name in tasks}
    for sample, row in pairs:
        value = reward.value(sample.prompt, row["info"])
        assert value is not None
        found[sample.task].setdefault(sample.domain, []).append(value)
    return found


def copies() -> str:
    lines = [f"| the prompt as the answer | {' | '.join(DOMAINS)} |", "|---" * 7 + "|"]
    for task, earned_by in copied().items():
        shown = (f"{mean(earned_by[name]):.2f}" for name in DOMAINS)
        lines.append(f"| {unversioned(task)} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    new = PAGE.read_text(encoding="utf-8")
    for begin, made in ((BEGIN, table()), (COPIES, copies())):
        before, _, rest = new.partition(begin)
        new = f"{before}{begin}{made}{END}{rest.partition(END)[2]}"
    return keep(PAGE, new, "make_rewards.py", check="--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
