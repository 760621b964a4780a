"""How many answers to the Embodied Agent Interface's other modules are judged per second.

    python benchmarks/eagent_modules_speed.py [--rounds 3]

Needs the data: ``plangauge fetch eai``. The answers are the true goals and operators of all tasks,
and forms of them with a part left out, in a fence, or in prose; operators are compared without
planning. Loading is not measured; the first round warms up. One core, CPU time.
"""

from __future__ import annotations

import argparse
import json
import time

from plangauge.households.eagent import goals_behavior, goals_virtualhome, transitions
from plangauge.households.fetch import data_root


def forms(text):
    """Return a text as models write it."""
    yield text
    yield f"```json\n{text}\n```"
    yield f"Here is the answer: {text} I hope it helps."


def virtualhome_goals(task):
    names = {full: name for name, full in task.ids.items()}
    nodes = [{"name": names.get(a, a), "state": s} for a, s in sorted(task.exact["node"])]
    edges = [
        {"from_name": names.get(a, a), "relation": relation, "to_name": names.get(b, b)}
        for a, b, relation in sorted(task.exact["edge"])
    ]
    actions = [{"action": names[0], "description": "it is to be done"} for names in task.actions]
    for edited in (nodes, nodes[1:]):
        goals = {"node goals": edited, "edge goals": edges, "action goals": actions}
        yield from forms(json.dumps(goals, indent=1))


def behavior_goals(task):
    conditions = [list(condition) for options in task.goals for condition in options[0]]
    for edited in (conditions, conditions[1:]):
        yield from forms(json.dumps({"node goals": [], "edge goals": edited}))


def operators(task):
    texts = [
        f"(:action {name}\n  :parameters {each.parameters}\n  :precondition {each.precondition}\n"
        f"  :effect {each.effect}\n)"
        for name, each in task.asked.items()
    ]
    for edited in (texts, texts[1:]):
        yield from forms(json.dumps({"output": "\n".join(edited)}))


def compare(task, entry, as_published):
    found = transitions.read(entry["llm_output"], as_published)
    return None if found is None else transitions.compared(task, found, as_published)


def measured(name, dataset, judge, answers, rounds):
    tasks = dataset.load(data_root())
    asked = [(t, {"llm_output": text}) for t in tasks.values() for text in answers(t)]
    for published in (False, True):
        rates = []
        for _ in range(rounds + 1):
            start = time.process_time()
            for task, entry in asked:
                judge(task, entry, published)
            rates.append(len(asked) / (time.process_time() - start))
        way = "as published" if published else "by default"
        low, high = min(rates[1:]), max(rates[1:])
        numbers = f"{low:,.0f} to {high:,.0f} of {len(asked):,} answers a second"
        print(f"{name}, {dataset.name}, {way}: {numbers}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    for module, answers in (
        (goals_virtualhome, virtualhome_goals),
        (goals_behavior, behavior_goals),
    ):
        measured("goals", module.DATASET, module.evaluate, answers, rounds)
    for dataset in transitions.DATASETS.values():
        measured("operators", dataset, compare, operators, rounds)


if __name__ == "__main__":
    main()
