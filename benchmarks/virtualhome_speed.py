"""How fast VirtualHome tasks are loaded, and how many responses are evaluated per second.

    python benchmarks/virtualhome_speed.py [--rounds 3]

Needs the data: ``plangauge fetch eai``. Loading is measured in fresh processes, first with nothing
built, then from what was kept (the folder is a copy). The responses are the gold programs and
spoilt forms of them, in the notation that the prompt asks for; the first round warms up. One core.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from plangauge.households.eagent import virtualhome
from plangauge.households.fetch import BUILT, data_root

LOAD = """
import time; start = time.perf_counter()
from pathlib import Path
from plangauge.households.virtualhome.data import load
tasks = load(Path({root!r}))
counted = [task for task in tasks.values() if task.gold_reaches_goals]
print(len(tasks), len(counted), time.perf_counter() - start, time.process_time())
"""


def timed_load(root):
    done = subprocess.run(
        [sys.executable, "-c", LOAD.format(root=str(root))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [float(word) for word in done.stdout.split()]


def spoilt(actions, relevant, rng):
    """Return the plan itself, or with a step left out, moved, repeated or about another thing."""
    actions = list(actions)
    kind, place = rng.randrange(5), rng.randrange(len(actions))
    name, args = actions[place]
    if kind == 1:
        del actions[place]
    elif kind == 2:
        actions.append(actions.pop(place))
    elif kind == 3:
        actions.insert(place, (name, args))
    elif kind == 4 and args:
        actions[place] = (name, (rng.choice(relevant), *args[1:]))
    return actions


def written(actions):
    def pair(arg):
        kind, _, number = arg.rpartition("_")
        return f'"{kind}", "{number}"'

    members = (f'"{name}": [{", ".join(map(pair, args))}]' for name, args in actions)
    return "{" + ", ".join(members) + "}"


def responses(tasks):
    rng = Random(0)
    for task in tasks.values():
        if task.gold_reaches_goals:
            gold = [(action.name, action.args) for action in task.gold.actions]
            for _ in range(6):
                yield task, {"llm_output": written(spoilt(gold, task.relevant, rng) or gold)}


def loading():
    root = data_root()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for part in root.iterdir():
            if part.name != BUILT:
                (copy / part.name).symlink_to(part)
        for how in ("nothing built", "from what was built"):
            all_, counted, wall, cpu = timed_load(copy)
            print(f"{all_:.0f} tasks ({counted:.0f} counted), {how}: {wall:.2f} s, {cpu:.2f} s CPU")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    loading()
    asked = list(responses(virtualhome.load(data_root())))
    for name, as_published in (("by default", False), ("as published", True)):
        rates = []
        for number in range(options.rounds + 1):
            start = time.process_time()
            outcomes = [virtualhome.evaluate(task, entry, as_published) for task, entry in asked]
            if number:
                rates.append(len(asked) / (time.process_time() - start))
        executable = sum(outcome.executable for outcome in outcomes)
        print(
            f"{len(asked)} responses {name}: {min(rates):,.0f} to {max(rates):,.0f} per CPU second"
            f" ({executable} executable)"
        )


if __name__ == "__main__":
    main()
