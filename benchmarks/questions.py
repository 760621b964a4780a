"""How long questions of the tasks that are asked by name take to draw, and answers to judge.

    python benchmarks/questions.py [DOMAIN …] [--count 200] [--answers 5000] [--tasks landmark-v1]

Problems are made, and their reference plans found, before the clock starts; each question is about
a problem of its own, which is read anew. Drawing includes the true answer with its proof. Answers
are to one question: the true one and the options in turn, and then answers that all differ, in four
forms, once all that they name was asked about. Seconds are of CPU, in one process.
"""

from __future__ import annotations

import argparse
import time
from itertools import cycle, islice, product
from random import Random

from plangauge.domains.base import DOMAINS
from plangauge.suites.build import find_references
from plangauge.tasks import TASKS


def requested() -> list[str]:
    """Return the names of the tasks that are asked by name, in one answer."""
    return [
        name
        for name, task in TASKS.items()
        if task.availability == "on request" and not task.in_turns
    ]


def drawn(domain, made, task):
    """Return the questions about some problems, and the seconds that drawing them took."""
    problems = [(domain.problem(text), plans) for text, plans in made]
    began = time.process_time()
    questions = [task.ask(problem, Random(0), plans) for problem, plans in problems]
    return [question for question in questions if question], time.process_time() - began


def repeated(task, question, count):
    """Return answers that are given again and again."""
    texts = [task.written(question, question.truth), "None", "yes", "(a b)", *question.options]
    return list(islice(cycle(texts), count))


def differing(task, question, count):
    """Return answers of which no two are the same."""
    world, truth = question.problem.world, question.truth
    steps = [*map(str, world.applicable(question.problem.initial))]
    if isinstance(truth, list) and task.answer in ("plan", "facts"):
        terms = steps if task.answer == "plan" else sorted(map(str, world.facts(world.initial())))
        changed = product(terms, repeat=3)
        values = (task.written(question, [*some, *truth[3:]]) for some in changed)
    elif task.answer in ("action", "fact"):
        terms = world.schemas if task.answer == "action" else world.predicates
        values = (
            f"({' '.join((name, *args))})"
            for name, types in terms.items()
            for args in product(world.objects, repeat=len(types))
        )
    elif task.answer == "number":
        values = map(str, range(count))
    else:
        values = [task.written(question, truth)]
    values = [*islice(values, count)]
    texts = (form.format(value) for form in FORMS for value in values)
    found = list(dict.fromkeys(islice(texts, count)))
    return (
        found
        if len(found) > len(FORMS)
        else [f"I looked {n} times. {found[0]}" for n in range(count)]
    )


FORMS = ("{}", "Answer: {}", "**Final answer:** {}", "The answer is {}")


def speed(judge, texts):
    """Return how many answers are judged a second."""
    began = time.process_time()
    for text in texts:
        judge(text)
    return len(texts) / (time.process_time() - began)


def judged(task, question, count):
    """Return how many answers are judged a second: the same ones, and those that all differ."""
    judge = task.judging(question)
    same = speed(judge, repeated(task, question, count))
    known = differing(task, question, count)
    speed(judge, known)
    return same, speed(task.judging(question), [f"{text} " for text in known])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("domains", nargs="*", default=["blocksworld"])
    parser.add_argument("--count", type=int, default=200, help="problems")
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
            rates = judged(task, questions[0], options.answers) if questions else ()
            shown = "".join(f"{rate:9,.0f}/s" for rate in rates)
            each = 1000 * seconds / max(1, len(questions))
            print(f"  {task.name:28} {len(questions):6,}, {each:5.1f} ms each {shown}", flush=True)


if __name__ == "__main__":
    main()
