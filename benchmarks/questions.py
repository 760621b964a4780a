"""How long questions of the tasks that are asked by name take to draw, and answers to judge.

    python benchmarks/questions.py [DOMAIN …] [--count 1000] [--answers 5000] [--tasks landmark-v1]

Problems are made, and their reference plans found, before the clock starts; each question is about
a problem of its own, which is read anew. Drawing includes the true answer with its proof. Answers
are the true one and the options in turn, to one question. Seconds are of CPU, in one process.
"""

from __future__ import annotations

import argparse
import time
from itertools import cycle, islice
from random import Random

from plangauge.domains.base import DOMAINS
from plangauge.suites.build import find_references
from plangauge.tasks import TASKS


def requested() -> list[str]:
    """Return the names of the tasks that are asked by name, in one answer."""
    return [name for name, task in TASKS.items() if task.on_request and not task.in_turns]


def drawn(domain, made, task):
    """Return the questions about some problems, and the seconds that drawing them took."""
    problems = [(domain.problem(text), plans) for text, plans in made]
    began = time.process_time()
    questions = [task.ask(problem, Random(0), plans) for problem, plans in problems]
    return [question for question in questions if question], time.process_time() - began


def judged(task, question, count):
    """Return how many answers are judged a second."""
    texts = [task.written(question, question.truth), "None", "yes", "(a b)", *question.options]
    judge = task.judging(question)
    began = time.process_time()
    for text in islice(cycle(texts), count):
        judge(text)
    return count / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("domains", nargs="*", default=["blocksworld"])
    parser.add_argument("--count", type=int, default=1000, help="problems")
    parser.add_argument("--answers", type=int, default=5000)
    parser.add_argument("--tasks", nargs="*", default=requested())
    options = parser.parse_args()
    for name in options.domains:
        domain = DOMAINS[name]
        texts = [domain.generate(Random(seed)) for seed in range(options.count)]
        pairs = [(text, domain.problem(text)) for text in texts]
        plans = [found.plans for found in find_references(domain, pairs, 1, "auto")]
        print(f"{name}: {options.count:,} problems")
        for task in map(TASKS.__getitem__, options.tasks):
            questions, seconds = drawn(domain, list(zip(texts, plans, strict=True)), task)
            speed = f"{judged(task, questions[0], options.answers):9,.0f}/s" if questions else ""
            print(f"  {task.name:28} {len(questions):6,} in {seconds:6.1f} s {speed}", flush=True)


if __name__ == "__main__":
    main()
