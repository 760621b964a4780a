"""How long reading an answer takes: CPU time in microseconds, on one core.

    python benchmarks/reading_speed.py                           plans of the built-in domains
    python benchmarks/reading_speed.py --records FOLDER          and PlanBench's published answers
    python benchmarks/reading_speed.py --profile "sentences"     where the time of one form goes

Walks of applicable actions are written in several forms; no text is read twice. *first* is the
first answer about a problem, for which its vocabulary is made; *later* are the others. FOLDER has
PlanBench's ``records.jsonl.gz`` with ``pddl/`` and ``words/``, as
``../shared/conformance/planbench``. At the end, what making the vocabularies of problems with more
and more objects takes.
"""

from __future__ import annotations

import argparse
import cProfile
import gzip
import json
import pstats
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from random import Random

from plangauge import Action, read_problem
from plangauge.domains.base import DOMAINS, Domain
from plangauge.domains.words import Words
from plangauge.reading import read_plan, vocabulary_of
from plangauge.worlds.base import Problem

Say = Callable[[Action], str]


def spoken(actions: Sequence[Action], say: Say) -> list[str]:
    return [say(action) for action in actions]


def call(action: Action) -> str:
    return f"{action.name}({', '.join(action.args)})"


def row(action: Action) -> dict[str, object]:
    return {"action": action.name, "args": [*action.args]}


def numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{n}. {line}" for n, line in enumerate(lines, 1))


FORMS: dict[str, Callable[[Sequence[Action], Say], str]] = {
    "sentences": lambda plan, say: "\n".join(spoken(plan, say)) + "\n[PLAN END]\n",
    "sentences, numbered": lambda plan, say: numbered(
        [s.capitalize() + "." for s in spoken(plan, say)]
    ),
    "sentences in a paragraph": lambda plan, say: (
        "Let me think about the goal first. " + " ".join(f"Then {s}." for s in spoken(plan, say))
        + " This reaches the goal."
    ),
    "sentences behind a remark": lambda plan, say: (
        "To reach the goal, we have to clear the way first, so here is my plan:\n\n"
        + numbered([f"**{s.capitalize()}**" for s in spoken(plan, say)])
        + "\n\nAfter these steps, the goal is reached."
    ),
    "PDDL": lambda plan, _say: "\n".join(map(str, plan)),
    "PDDL, numbered": lambda plan, _say: numbered([*map(str, plan)]),
    "PDDL behind a remark": lambda plan, _say: "Here is my plan:\n" + "\n".join(map(str, plan)),
    "PDDL in a fence": lambda plan, _say: (
        "Here is my plan:\n```pddl\n" + "\n".join(map(str, plan)) + "\n```"
    ),
    "calls": lambda plan, _say: ", ".join(map(call, plan)),
    "calls, numbered": lambda plan, _say: numbered([*map(call, plan)]),
    "a list": lambda plan, _say: f"[{', '.join(map(str, plan))}]",
    "JSON": lambda plan, _say: json.dumps([row(action) for action in plan]),
    "JSON behind a remark": lambda plan, _say: (
        "Here is my plan: " + json.dumps([row(action) for action in plan])
    ),
}  # fmt: skip


def walks(problem: Problem[int], rng: Random, length: int) -> Iterator[list[Action]]:
    """Yield plans that can be executed."""
    while True:
        state, plan = problem.initial, []
        for _ in range(length):
            actions = [*islice(problem.world.applicable(state), 30)]
            if not actions:
                break
            plan.append(rng.choice(actions))
            state = problem.world.successor(state, plan[-1])
        yield plan


def generated() -> list[Domain]:
    """Return the built-in domains whose problems are drawn."""
    return [home for home in DOMAINS.values() if home.generator is not None]


def timed(read: Callable[[], object]) -> float:
    """Return microseconds of CPU."""
    start = time.process_time_ns()
    read()
    return (time.process_time_ns() - start) / 1000


def shown(name: str, first: Sequence[float], later: Sequence[float]) -> None:
    numbers = (statistics.fmean(first), statistics.fmean(later), statistics.median(later))
    every = statistics.fmean((*first, *later))
    print(f"{name:<28}" + "".join(f"{n:>9,.0f}" for n in (*numbers, every)))


def by_form(options: argparse.Namespace) -> None:
    print(f"{'microseconds':<28}{'first':>9}{'later':>9}{'median':>9}{'mean':>9}")
    for form, write in FORMS.items():
        first, later, rng = [], [], Random(0)
        for home in generated():
            for _ in range(options.problems):
                text = home.generate(rng)
                problem = home.problem(text)
                for n, plan in enumerate(islice(walks(problem, rng, 12), options.answers)):
                    answer = write(plan, home.words.say)
                    spent = timed(
                        lambda p=problem, w=home.words, a=answer: read_plan(
                            a, vocabulary=vocabulary_of(p, w), problem=p
                        )
                    )
                    (later if n else first).append(spent)
        shown(form, first, later)


def by_record(folder: Path, most: int) -> None:
    """Print the times of PlanBench's published answers in words, problem by problem."""
    tasks = {"task_1_plan_generation", "task_1_plan_generation_zero_shot"}
    asked = defaultdict(list)
    with gzip.open(folder / "records.jsonl.gz", "rt") as lines:
        for line in lines:
            record = json.loads(line)
            domain = record["domain"].removesuffix("_3")
            if record["task"] in tasks and (folder / "words" / f"{domain}.json").exists():
                key = domain, record["pddl_domain"], record["pddl_instance"]
                asked[key].append(record["llm_raw_response"])
    times = defaultdict(lambda: ([], []))
    for (domain, *paths), answers in islice(asked.items(), 0, None, max(1, len(asked) // most)):
        words = json.loads((folder / "words" / f"{domain}.json").read_text())
        problem = read_problem(*((folder / "pddl" / path).read_text() for path in paths))
        own = Words(**words)
        for n, answer in enumerate(answers):
            spent = timed(
                lambda a=answer, p=problem, w=own: read_plan(
                    a, vocabulary=vocabulary_of(p, w), problem=p
                )
            )
            times[domain][bool(n)].append(spent)
    for domain, (first, later) in times.items():
        shown(f"PlanBench, {domain}", first, later)
    parts = [[*chain.from_iterable(pair[n] for pair in times.values())] for n in (0, 1)]
    shown(f"PlanBench, {sum(map(len, parts))} answers", *parts)


def by_objects() -> None:
    print(f"\n{'objects':<28}{'vocabulary and an answer':>27}")
    home = DOMAINS["blocksworld"]
    answer = "pick up block b1 from the table\nstack block b1 on top of block b2"
    for size in (5, 20, 100, 1000):
        spent = []
        for _ in range(5):
            names = [f"b{n}" for n in range(size)]
            init = " ".join(f"(on-table {name}) (clear {name})" for name in names)
            text = (
                f"(define (problem p) (:domain blocksworld) (:objects {' '.join(names)} - block)"
                f" (:init (arm-empty) {init}) (:goal (on b1 b2)))"
            )
            problem = home.problem(text)
            spent.append(
                timed(lambda p=problem: read_plan(answer, vocabulary=vocabulary_of(p, home.words)))
            )
        print(f"{size:<28}{statistics.median(spent):>27,.0f}")


def profile(form: str) -> None:
    rng, work = Random(0), []
    for home in generated():
        for _ in range(5):
            problem = home.problem(home.generate(rng))
            vocabulary = vocabulary_of(problem, home.words)
            for plan in islice(walks(problem, rng, 12), 40):
                work.append((FORMS[form](plan, home.words.say), vocabulary))
    profiler = cProfile.Profile()
    profiler.enable()
    for text, vocabulary in work:
        read_plan(text, vocabulary=vocabulary)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(35)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=5, help="of each domain")
    parser.add_argument("--answers", type=int, default=20, help="to each problem")
    parser.add_argument("--records", type=Path, metavar="FOLDER", help="PlanBench's answers")
    parser.add_argument("--most", type=int, default=150, help="PlanBench's problems")
    parser.add_argument("--profile", choices=[*FORMS], metavar="FORM")
    options = parser.parse_args()
    if options.profile:
        profile(options.profile)
        return
    by_form(options)
    if options.records:
        by_record(options.records, options.most)
    by_objects()


if __name__ == "__main__":
    main()
