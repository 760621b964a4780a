"""How far published readings of published answers agree with ours, per model: a table for docs/tasks.md.

    python docs/make_agreement.py ../shared/conformance/planbench [--show CLASS]

The folder holds PlanBench's records, problems and words, as described in the README beside it.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plangauge.batch.files import Options, problem_in, words_in
from plangauge.evaluate import validate

TASKS = ("task_1_plan_generation", "task_1_plan_generation_zero_shot")
DOMAINS = ("blocksworld", "mystery_blocksworld")
CLASSES = ("theirs drops steps", "theirs repeats or adds steps", "both")


def records(folder: Path) -> Iterator[tuple[dict[str, Any], str]]:
    with gzip.open(folder / "records.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            domain = record["domain"].removesuffix("_3")
            if record["task"] in TASKS and domain in DOMAINS and record.get("strict_status"):
                yield record, domain


def steps(extracted: str | list[str]) -> list[str]:
    lines = extracted if isinstance(extracted, list) else extracted.split("\n")
    return [line.strip() for line in lines if line.strip()]


def within(some: list[str], every: list[str]) -> bool:
    rest = iter(every)
    return all(step in rest for step in some)


def classify(ours: list[str], theirs: list[str]) -> str:
    if within(theirs, ours):
        return CLASSES[0]
    return CLASSES[1] if within(ours, theirs) else CLASSES[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", choices=CLASSES, help="print the answers of one class")
    options = parser.parse_args()
    files = Options(str(options.folder))
    counts: dict[str, Counter[str]] = {}
    for record, domain in records(options.folder):
        row = {"domain": f"pddl/{record['pddl_domain']}", "words": f"words/{domain}.json",
               "problem": f"pddl/{record['pddl_instance']}"}  # fmt: skip
        answer = record["llm_raw_response"]
        verdict = validate(problem_in(row, files), answer, words=words_in(row, files))
        here = counts.setdefault(record["engine"], Counter())
        here["answers"] += 1
        here["ours"] += verdict.valid
        here["theirs"] += record["strict_status"] == "valid"
        if verdict.valid != (record["strict_status"] == "valid"):
            plan = verdict.reading.plan
            ours = [str(action) for action in plan.actions] if plan else []
            sort = classify(ours, steps(record["extracted_llm_plan"]))
            here[sort] += 1
            if sort == options.show:
                print(
                    f"#{record['id']} valid: {verdict.valid}\nours: {ours}\n"
                    f"theirs: {steps(record['extracted_llm_plan'])}\n{answer}\n{'-' * 40}"
                )
    show(counts)


def show(counts: dict[str, Counter[str]]) -> None:
    print(f"| model | answers | valid, ours | valid, theirs | agree | {' | '.join(CLASSES)} |")
    print("|---|" + "--:|" * (4 + len(CLASSES)))
    total: Counter[str] = sum(counts.values(), Counter())
    for model, count in [*sorted(counts.items()), ("all", total)]:
        differ = [count[sort] for sort in CLASSES]
        agree = f"{1 - sum(differ) / count['answers']:.2%}"
        cells = (count["answers"], count["ours"], count["theirs"], agree, *differ)
        print(f"| {model} | {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
