"""Print the tables about ACPBench Hard in published.md, as Markdown.

python docs/make_acpbench.py FOLDER [ANSWERS [GROUP ...]]

FOLDER is a checkout of IBM/ACPBench. ANSWERS is a file (.jsonl.gz) of answers to its questions, with
``id``, ``text`` and the original's ``score``; neither is part of this project. Without groups all are
compared, which takes half an hour.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from plangauge.benchmarks.acpbench import needed, scorer
from plangauge.benchmarks.acpbench.questions import ENDINGS, GROUPS, Group, rows_of
from plangauge.suites import Sample
from plangauge.tasks import TASKS, Question
from plangauge.worlds.pddl import read_problem

TRUTHS = ("group", "questions", "true", "false", "undecided")
SCORES = ("group", "answers", "original's score as recomputed", "right for us only",
          "right for the original only", "undecided")  # fmt: skip
EXAMPLES = 2


def main(folder: Path, answers: Path | None, groups: Sequence[str]) -> None:
    """Compare truths and scores, and print them."""
    given = answers_of(answers) if answers else {}
    truths, scores, notes = [], [], list[str]()
    for name in groups or GROUPS:
        group, found, marks = GROUPS[name], Counter[bool | None](), Counter[str]()
        examples: dict[str, list[str]] = defaultdict(list)
        for row in rows(folder, name):
            question = asked(row, group)
            agrees = group.agrees(group.published(row), question)
            found[agrees] += 1
            if agrees is False:
                examples["published truth that is wrong"].append(f"{row['id']}: {row['answer']}")
            for answer in given.get(str(row["id"]), ()):
                if answer["group"] == name:
                    judged(question, row, name, answer, marks, examples)
        truths.append((name, sum(found.values()), found[True], found[False], found[None]))
        wanted = ("answers", "same", "ours", "theirs", "open")
        scores.append((name, *(marks[mark] for mark in wanted)))
        notes += [
            f"* {name}, {what}: {each}"
            for what, texts in examples.items()
            for each in sorted(texts, key=len)[:EXAMPLES]
        ]
    print(table(TRUTHS, truths), *([table(SCORES, scores)] if given else ()), sep="\n\n")
    print(*notes, sep="\n")


def answers_of(file: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the answers in a file by the id of their question."""
    short = {"reach": "reachable_atom", "areach": "reachable_action", "land": "landmarks",
             "just": "action_justification", "val": "validation", "nexta": "goal_closer"}  # fmt: skip
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for each in map(json.loads, lines):
            found[str(each["id"])].append({**each, "group": f"{short[each['task']]}_gen"})
    return found


def rows(folder: Path, group: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a group in the files below a folder."""
    for file in sorted(folder.rglob("*.gen.*")):
        if file.name.endswith(ENDINGS):
            yield from (row for row in rows_of(file) if row["group"] == group)


def asked(row: dict[str, Any], group: Group) -> Question[int]:
    """Return the question of a row."""
    problem = read_problem(row["PDDL_domain"], row["PDDL_problem"])
    return TASKS[group.task].question(problem, group.actions(row, problem))


def judged(
    question: Question[int],
    row: dict[str, Any],
    name: str,
    answer: dict[str, Any],
    marks: Counter[str],
    examples: dict[str, list[str]],
) -> None:
    """Count how our score of an answer compares with the original's."""
    task, text = TASKS[question.task], answer["text"]
    sample = Sample.of(question, str(row["id"]), "x/y", "", **needed(row, name))
    theirs, ours = answer["score"], task.judge(question, text).scores[task.binary]
    marks["answers"] += 1
    again = scorer(sample, question)(text)
    marks["same"] += again == theirs
    if again != theirs:
        examples[f"as_published {again}, original {theirs}"].append(f"{row['id']}: {text!r}")
    marks["open"] += ours is None
    if ours is not None and ours != theirs:
        marks["ours" if ours else "theirs"] += 1
        what = "right for us only" if ours else "right for the original only"
        examples[f"{what} ({answer['kind']})"].append(f"{row['id']}: {text!r}")


def table(head: Sequence[str], body: Sequence[Sequence[Any]]) -> str:
    """Return a table in Markdown; all columns but the first are numbers."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *body]
    return "\n".join(
        "| " + " | ".join(f"{x:,}" if isinstance(x, int) else x for x in line) + " |"
        for line in lines
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None, sys.argv[3:])
