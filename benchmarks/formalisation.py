"""How long it takes to compare two problems in PDDL, of up to 30 objects.

Run it with the Python of the project's environment: ``python benchmarks/formalisation.py``. It
prints the median and the longest CPU time of each kind of pair, and what decided.
"""

from __future__ import annotations

import time
from collections import Counter
from random import Random
from statistics import median

from plangauge.domains.base import DOMAINS
from plangauge.formalisation.problems import compare_problems
from plangauge.formalisation.writing import write_problem
from plangauge.pddl.instance import read_instance

REPEATS = 20
KINDS = (
    "renamed",
    "entailed facts stated",
    "another initial state",
    "another goal",
    "a part of the goal missing",
)


def towers(rng, blocks):
    """Return the facts of random towers, complete."""
    order, facts, top = rng.sample(blocks, len(blocks)), [], None
    for block in order:
        if top is None or rng.random() < 0.3:
            facts += [f"(clear {top})"] if top else []
            facts.append(f"(on-table {block})")
        else:
            facts.append(f"(on {block} {top})")
        top = block
    return [*facts, f"(clear {top})"]


def blocks_pair(kind, seed, objects=30):
    rng = Random(seed)
    blocks = [f"b{n}" for n in range(objects)]
    init, goal = ["(arm-empty)", *towers(rng, blocks)], towers(rng, blocks)

    def text(names, init, goal):
        made = f"(define (problem p) (:domain blocksworld) (:objects {' '.join(blocks)} - block)"
        made += f" (:init {' '.join(init)}) (:goal (and {' '.join(goal)})))"
        words = made.replace("(", " ( ").replace(")", " ) ").split()
        return " ".join(names.get(word, word) for word in words)

    some = [fact for fact in goal if not fact.startswith("(on-table ")]
    names = dict(zip(blocks, rng.sample(blocks, objects), strict=True))
    gold = text({}, init, some if kind == "entailed facts stated" else goal)
    if kind == "renamed":
        return gold, text(names, rng.sample(init, len(init)), goal)
    if kind == "entailed facts stated":
        return gold, text(names, init, goal)
    if kind == "another initial state":
        return gold, text(names, ["(arm-empty)", *towers(rng, blocks)], goal)
    if kind == "a part of the goal missing":
        on = [fact for fact in goal if fact.startswith("(on ")]
        return gold, text(names, init, [fact for fact in some if fact != on[len(on) // 2]])
    return gold, text(names, init, [*goal[:-2], f"(holding {goal[-1].split()[-1][:-1]})"])


def generated(name, seed, **parameters):
    domain = DOMAINS[name]
    text = domain.generate(Random(seed), **parameters)
    instance = read_instance(domain.declarations, text)
    other = write_problem(instance)
    for number, old in enumerate(instance.objects):
        if old not in domain.declarations.constants:
            other = other.replace(f" {old})", f" thing{number})").replace(
                f" {old} ", f" thing{number} "
            )
    return text, write_problem(instance), len(instance.objects)


def measure(label, domain, pairs):
    times, layers = [], Counter()
    for one, other in pairs:
        start = time.process_time()
        found = compare_problems(domain, one, other)
        times.append(1000 * (time.process_time() - start))
        layers[f"{found.equivalent} by {found.decided_by}"] += 1
    decided = ", ".join(f"{count} {what}" for what, count in layers.items())
    print(f"{label:<40} median {median(times):6.1f} ms, longest {max(times):6.1f} ms: {decided}")


def main():
    blocks = DOMAINS["blocksworld"].declarations
    for kind in KINDS:
        pairs = [blocks_pair(kind, seed) for seed in range(REPEATS)]
        measure(f"30 blocks, {kind}", blocks, pairs)
    for name in DOMAINS:
        if DOMAINS[name].generator is not None and not DOMAINS[name].declarations.features:
            made = [generated(name, seed) for seed in range(REPEATS)]
            label = f"{name}, {max(count for _, _, count in made)} objects, written anew"
            measure(label, DOMAINS[name].declarations, [pair[:2] for pair in made])


if __name__ == "__main__":
    main()
