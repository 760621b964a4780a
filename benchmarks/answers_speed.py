"""How many set answers are read and scored per second, on one core, and in how much memory.

    python benchmarks/answers_speed.py [--problems 100] [--rows 10000 100000 1000000]

A suite is made of Blocksworld and Depots problems, with every task whose answer is a set, and it is
answered again and again, in several forms, three in four answers being spoilt. `score SUITE` then
reads, scores and writes them, from file to file, in a process of its own for each number of rows.
What it prints as *after the first* leaves out what each question costs when it is first answered.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import count, islice
from pathlib import Path
from random import Random
from statistics import median

from plangauge.suites import Suite
from plangauge.tasks import TASKS

TASK_NAMES = (
    "applicability", "state-comprehension", "positive-effects", "negative-effects", "effects",
    "state-tracking",
)  # fmt: skip
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


def told(truth, form, rng, level):
    if isinstance(truth, dict):
        return " ".join(f"[{', '.join(spoilt(terms, rng, level))}]" for terms in truth.values())
    return form(spoilt(truth, rng, level))


def responses(suite):
    """Yield rows for ever: the suite from its beginning to its end, epoch after epoch."""
    rng, forms, samples = Random(0), list(FORMS.values()), list(suite)
    for epoch in count(1):
        for number, sample in enumerate(samples):
            form = forms[(number + epoch) % len(forms)]
            text = told(sample.truth, form, rng, (number // len(forms) + epoch) % 4)
            yield {"id": sample.id, "response": text, "epoch": epoch}


def make_suite(folder, problems):
    from plangauge.suites.build import DomainSpec, Request, build_suite

    chosen = [DomainSpec.of("blocksworld"), DomainSpec.of("depots")]
    return build_suite(folder / "suite", chosen, Request(count=problems, tasks=TASK_NAMES))


def scored(folder, file):
    """Score a file in this process; print the seconds of CPU and the peak of memory."""
    from plangauge.scoring.suite import RunOptions, score_suite

    suite = Suite.load(folder / "suite")
    start = time.process_time()
    run = score_suite(suite, [file], folder / "run", options=RunOptions(format="jsonl"))
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak /= 1024 if sys.platform != "darwin" else 1024**2
    print(json.dumps({"seconds": seconds, "peak": peak, "records": run.manifest["records"]}))


def end_to_end(folder, suite, sizes):
    first = None
    for size in (min(len(suite), sizes[0]), *sizes):
        file = folder / "responses.jsonl"
        with file.open("w") as out:
            for row in islice(responses(suite), size):
                out.write(json.dumps(row) + "\n")
        command = [sys.executable, __file__, "--child", str(folder), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        got = json.loads(done.stdout)
        seconds, line = (
            got["seconds"],
            f"{size:>9,} rows: {size / got['seconds']:>7,.0f} per second",
        )
        if first is None:
            first = size, seconds
            line += ", each the first to its question"
        elif size > first[0]:
            later = (size - first[0]) / (seconds - first[1])
            line += f", {later:>7,.0f} after the first; {seconds:.1f} s of CPU"
        print(f"{line}; peak {got['peak']:,.0f} MB", flush=True)


def by_form(suite, repeats=7):
    """Print the median time of reading and scoring an answer of each form, over some passes."""
    rng, samples = Random(0), [*islice(suite, 0, None, 7)]
    judges = [TASKS[s.task].judging(s.question(), s.words) for s in samples]
    print(f"\n{'microseconds per answer':<24}{'right':>8}{'spoilt':>8}")
    for name, form in FORMS.items():
        shown = []
        for levels in ((0,), (1, 2, 3)):
            work = [(judge, told(s.truth, form, rng, level)) for level in levels
                    for judge, s in zip(judges, samples, strict=True)]  # fmt: skip
            shown.append(median(timed(work) for _ in range(repeats)))
        print(f"{name:<24}{shown[0]:>8.0f}{shown[1]:>8.0f}")


def timed(work):
    start = time.process_time()
    for judge, text in work:
        judge(text)
    return (time.process_time() - start) / len(work) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=100, help="problems per domain")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        folder, file = map(Path, options.child)
        scored(folder, file)
        return
    with tempfile.TemporaryDirectory() as name:
        suite = make_suite(Path(name), options.problems)
        print(f"{len(suite):,} questions about {2 * options.problems:,} problems")
        end_to_end(Path(name), suite, options.rows)
        by_form(suite)


if __name__ == "__main__":
    main()
