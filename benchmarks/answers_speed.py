"""How many set answers are read and scored per second, on one core.

    python benchmarks/answers_speed.py [--problems 200]

The questions are those of every task with a set as its answer, over generated Blocksworld and
Depots problems; each answer is written in one of several forms, three in four of them spoilt.
Problems and true answers are made beforehand, and one pass over half of the answers warms up.
"""

from __future__ import annotations

import argparse
import time
from random import Random

from plangauge.domains.base import DOMAINS
from plangauge.tasks import TASKS

FORMS = {
    "strict list": lambda terms: f"[{', '.join(terms)}]",
    "lines": "\n".join,
    "numbered lines": lambda terms: "\n".join(f"{n}. {t}" for n, t in enumerate(terms, 1)),
    "functional": lambda terms: f"[{', '.join(map(functional, terms))}]",
    "JSON": lambda terms: "[" + ", ".join(f'"{term}"' for term in terms) + "]",
    "prose and fence": lambda terms: (
        "Let me think about the state (see above) step by step. The preconditions matter.\n\n"
        "So the answer is:\n```pddl\n" + "\n".join(terms) + "\n```\nLet me know if I can help."
    ),
    "reasoning and marker": lambda terms: (
        f"<think>{terms[0] if terms else ''} may hold. " + "Let us see whether it does. " * 20
        + f"</think>\n**Final Answer:** [{', '.join(terms)}]"
    ),
}  # fmt: skip


def functional(term):
    name, *args = term[1:-1].split()
    return f"{name}({', '.join(args)})"


def spoilt(terms, rng, level):
    terms = list(terms)
    if level and terms:
        terms.pop(int(rng.random() * len(terms)))
    if level > 1 and terms:
        terms += [" ".join((*terms[0][1:-1].split(), "x")).join("()"), terms[-1]]
    if level > 2:
        terms.reverse()
    return terms


def answers(problems):
    rng = Random(0)
    for name in ("blocksworld", "depots"):
        domain = DOMAINS[name]
        for _ in range(problems):
            problem = domain.problem(domain.generate(rng))
            for task in map(TASKS.__getitem__, TASKS):
                if "plan" in task.name or (question := task.ask(problem, rng)) is None:
                    continue
                for level, form in enumerate(FORMS.values()):
                    yield task, question, told(question.truth, form, rng, level % 4)


def told(truth, form, rng, level):
    if isinstance(truth, dict):
        return " ".join(f"[{', '.join(spoilt(terms, rng, level))}]" for terms in truth.values())
    return form(spoilt(truth, rng, level))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=200, help="problems per domain")
    made = list(answers(parser.parse_args().problems))
    for task, question, text in made[::2]:
        task.judge(question, text)
    start = time.process_time()
    total = sum(task.judge(question, text).scores["iou"] for task, question, text in made)
    taken = time.process_time() - start
    size = sum(len(text) for *_, text in made)
    print(f"{len(made):,} answers ({size:,} characters) in {taken:.2f} s of CPU:", end=" ")
    print(f"{len(made) / taken:,.0f} per second; mean IoU {total / len(made):.3f}")


if __name__ == "__main__":
    main()
