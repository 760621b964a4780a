"""How long the evaluation of many runs of AutoPlanBench takes, and in how much memory.

    python benchmarks/autoplanbench.py [--runs 10000] [--problems 100] [--turns 20] [--jobs 1 2]

It makes problems of Blocksworld with gold plans, and runs of them as AutoPlanBench writes them, a
file for each: a scripted player who sometimes errs, looks around and says that it is finished.
`autoplanbench evaluate` then executes every action again, from file to file, in a process of its
own; the fastest of several times counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from plangauge.domains.base import DOMAINS
from plangauge.planners.base import Pddl, solve

PROMPT = "I have the following restrictions on my actions. " * 60
"""Real files are 10 kB or so, most of which is the prompt."""


def write_data(home, count):
    """Write problems of 4 to 6 blocks and their plans; return these with the problems."""
    domain = DOMAINS["blocksworld"]
    for name in ("adapted_instances", "adapted_gold_plans"):
        (home / name).mkdir(parents=True)
    made = []
    for number in range(1, count + 1):
        text = domain.generate(Random(number), blocks=4 + number % 3)
        problem = domain.problem(text)
        plan = [str(action) for action in solve(Pddl(domain.pddl, text)).plan.actions]
        (home / "adapted_instances" / f"instance-{number}.pddl").write_text(text)
        gold = home / "adapted_gold_plans" / f"instance-{number}_gold_plan.txt"
        gold.write_text("\n".join([*plan, f"; cost = {len(plan)} (unit cost)"]))
        made.append((problem, plan))
    (home / "domain.pddl").write_text(domain.pddl)
    return made


def write_run(path, number, problem, plan, turns, rng):
    """Write a run of so many turns."""
    world, state = problem.world, problem.initial
    rows = [
        {"model_config": {"plan": {"model_path": "scripted", "examples_file": "x"}},
         "task": {"task_num": number}, "incremental": True, "planning_approach": "act",
         "max_steps": turns},
        {"plan_prompt": PROMPT, "translate_prompt": PROMPT},
        {"text": PROMPT[:500], "type": "World state"},
    ]  # fmt: skip
    left = list(plan)
    for _ in range(turns - 1):
        wrong = rng.random() < 0.2
        if rng.random() < 0.1:
            action, executable = "(look-around)", True
        elif wrong or not left:
            options = list(world.applicable(state))
            chosen = options[int(rng.random() * len(options))]
            executable = not wrong
            action = "(unstack nothing nothing)" if wrong else str(chosen)
            state = state if wrong else world.successor(state, chosen)
            left = left if wrong else []
        else:
            action, executable = left.pop(0), True
            state = world.successor(state, named(action))
        rows.append({"text": f"Let me {action}.", "type": "Plan Model"})
        rows.append({"text": action, "type": "Translation Model", "executable": executable})
        rows.append({"text": "Done." if executable else "I cannot.", "type": "Env Feedback"})
    rows.append({"text": "You are finished.", "type": "Plan Model"})
    rows.append({"text": "---", "type": "Translation Model"})
    goal = all(world.holds(state, part) for part in problem.goals[0].conditions)
    rows.append({"text": "Great!" if goal else "I am not finished yet.", "type": "Env Feedback"})
    rows.append({"success": goal, "reached_goal": goal, "executable": "NA", "n_steps": turns,
                 "step_reached_goal_first": "NA", "stopping_reason": "NA"})  # fmt: skip
    rows.append({"total_time": 1.5, "total_tokens": 9})
    path.write_text("\n".join(map(json.dumps, rows)))


def named(text):
    from plangauge.core.model import Action

    name, *args = text[1:-1].split()
    return Action(name, tuple(args))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--problems", type=int, default=100)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--times", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        made = write_data(root / "data" / "blocksworld", options.problems)
        (root / "out").mkdir()
        rng = Random(0)
        size = 0
        for run in range(options.runs):
            number = run % len(made) + 1
            date = f"2026-01-{run // 86_400 % 28 + 1:02}"
            clock = f"{run // 3600 % 24:02}-{run // 60 % 60:02}-{run % 60:02}"
            path = root / "out" / f"chat_instance-{number}_{date}-{clock}.jsonlines"
            write_run(path, number, *made[number - 1], options.turns, rng)
            size += path.stat().st_size
        told = f"{options.runs:,} runs of {options.turns} turns, {size / 1e6:.0f} MB"
        print(f"{told}, about {options.problems} problems")
        gold = str(root / "data" / "blocksworld" / "adapted_gold_plans")
        entry = {"generated_plans_path": str(root / "out"), "gold_plan_dir": gold,
                 "evaluation_results_file": str(root / "results.csv")}  # fmt: skip
        (root / "config.json").write_text(json.dumps({"data_to_eval": [entry]}))
        for extra in ([], ["--as-published"]):
            for jobs in options.jobs if not extra else [1]:
                measure(root, jobs, extra, options.times, options.runs)


def measure(root, jobs, extra, times, runs):
    command = [sys.executable, "-m", "plangauge", "autoplanbench", "evaluate"]
    command += ["-d", str(root / "config.json"), "--jobs", str(jobs), *extra]
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        taken.append(time.perf_counter() - start)
        assert done.returncode == 0, done.stderr
    fastest = min(taken)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    mode = " ".join(extra) or f"{jobs} process{'es' if jobs > 1 else ''}"
    print(f"{mode}: {fastest:.1f} s, {runs / fastest:,.0f} runs a second, at most {peak:.0f} MB")
    if not extra:
        summary = dict(line.split("\t") for line in (root / "results.csv").read_text().splitlines())
        wanted = {key: summary[key] for key in ("n_instances", "n_duplicates", "n_disagreements")}
        print("  ", wanted)


if __name__ == "__main__":
    main()
