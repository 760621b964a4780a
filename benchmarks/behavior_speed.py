"""How many responses to BEHAVIOR tasks are evaluated per second, on one core.

    plangauge fetch eai
    python benchmarks/behavior_speed.py [--rounds 10]

The responses are the plans by people that come with the data of the Embodied Agent Interface, as
they are and spoilt: a step left out, two steps swapped, another object, a bracket in the prose
before the plan, or cut off. One round over all of them warms up. Time is that of the processor.
"""

from __future__ import annotations

import argparse
import json
import time
from random import Random

from plangauge.households.eagent import behavior
from plangauge.households.fetch import EAI, data_root

PLANS = (
    f"{EAI.folder}/behavior_eval/evaluation/action_sequencing/resources/human_annotations/*.json"
)


def dropped(steps, rng):
    steps.pop(rng.randrange(len(steps)))


def swapped(steps, rng):
    at = rng.randrange(len(steps) - 1)
    steps[at], steps[at + 1] = steps[at + 1], steps[at]


def mistaken(steps, rng):
    one, other = rng.choice(steps), rng.choice(steps)
    one["object"] = other["object"]


def responses(root):
    rng = Random(0)
    found = []
    for file in sorted(root.glob(PLANS)):
        text = file.read_text()
        found.append((file.stem, text))
        for spoil in (dropped, swapped, mistaken):
            steps = json.loads(text)
            spoil(steps, rng)
            found.append((file.stem, f"```json\n{json.dumps(steps, indent=4)}\n```"))
        found.append((file.stem, f"As in [1], I propose this plan:\n{text}"))
        found.append((file.stem, text[: len(text) // 2]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    root = data_root()
    began = time.process_time()
    tasks = behavior.load(root)
    print(f"{len(tasks)} tasks loaded in {time.process_time() - began:.2f} s")
    asked = responses(root)
    for as_published in (False, True):
        steps = 0
        for name, text in asked:
            steps += len(behavior.evaluate(tasks[name], {"llm_output": text}, as_published).read)
        began = time.process_time()
        for _ in range(rounds):
            for name, text in asked:
                behavior.evaluate(tasks[name], {"llm_output": text}, as_published)
        rate = rounds * len(asked) / (time.process_time() - began)
        mode = "as published" if as_published else "by default"
        print(f"{mode:12}  {rate:7,.0f} responses/s ({steps / len(asked):.0f} steps on average)")


if __name__ == "__main__":
    main()
