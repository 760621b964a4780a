"""How many questions about reachability, landmarks and next actions are decided, and how fast.

    python benchmarks/reachability.py FOLDER [--tasks reach land] [--step 1] [--without alfred]

FOLDER is the folder ``dataset`` of ACPBench (github.com/IBM/ACPBench). Each of the questions of
ACPBench Hard is decided anew for every well-typed fact or applicable action, in one process;
seconds are of CPU. Of ``areach`` those actions are counted that the delete relaxation reaches; all
others are out of reach. Where a published answer and a proof disagree, the answer is listed.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import time
from collections import Counter
from pathlib import Path

from plangauge.core.errors import Error
from plangauge.reachability import Distances, Landmarks, Reachability
from plangauge.reachability.problems import ground_problem
from plangauge.worlds.pddl import read_problem


def rows(folder, task):
    """Yield the published questions of a task, with their split."""
    for file in sorted(Path(folder, task).glob("*.gen.json*")):
        opened = gzip.open if file.suffix == ".gz" else open
        with opened(file, "rt", encoding="utf-8") as text:
            for row in json.load(text):
                yield file.name.partition(".")[0], row


def published(row):
    answer = row["answer"]
    return ast.literal_eval(answer) if isinstance(answer, str) else answer


def lower(answers):
    return {answer.lower() for answer in answers}


def facts(problem, answer):
    verdicts = {str(fact)[1:-1]: verdict for fact, verdict in Reachability.of(problem).facts()}
    wrong = [known for known in answer if known in verdicts and verdicts[known].value]
    if not answer:
        wrong = [
            f"None, but {name}" for name, verdict in verdicts.items() if verdict.value is False
        ]
    return verdicts.values(), wrong[:1]


def actions(problem, answer):
    reach = Reachability.of(problem)
    ground = ground_problem(problem)
    found = [each.action for each in (*ground.actions, *ground.idle)]
    verdicts = {str(action): reach.action(action) for action in found}
    return verdicts.values(), [a for a in lower(answer) if a in verdicts and verdicts[a].value]


def landmarks(problem, answer):
    verdicts = {str(fact): verdict for fact, verdict in Landmarks.of(problem).facts()}
    return verdicts.values(), [
        f"{word} {fact}"
        for word, opposite in (("yes", False), ("no", True))
        for fact in sorted(lower(answer[word]))
        if fact in verdicts and verdicts[fact].value is opposite
    ]


def next_actions(problem, answer):
    distances = Distances.of(problem)
    found = distances.optimal_next
    if found is None:
        return [None], []
    best = set(map(str, found))
    wrong = lower(answer["yes"]) - best | lower(answer["no"]) & best
    if distances.cost != int(answer["opt"]):
        wrong.add(f"opt {answer['opt']}, not {distances.cost:g}")
    return [best], sorted(wrong)


TASKS = {"reach": facts, "areach": actions, "land": landmarks, "nexta": next_actions}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS)
    parser.add_argument("--step", type=int, default=1, help="one in so many questions")
    parser.add_argument("--without", default="", help="questions whose PDDL contains this")
    given = parser.parse_args()
    for task in given.tasks:
        count, open_in, wrong_in, seconds = 0, 0, 0, 0.0
        proofs = Counter()
        for split, row in [*rows(given.folder, task)][:: given.step]:
            if given.without and given.without in row["PDDL_domain"][:100]:
                continue
            begin = time.process_time()
            try:
                problem = read_problem(row["PDDL_domain"], row["PDDL_problem"])
                verdicts, wrong = TASKS[task](problem, published(row))
            except Error as error:
                print(task, split, row["id"], "cannot be decided:", error)
                continue
            spent = time.process_time() - begin
            found = Counter(
                str(verdict.proof) if hasattr(verdict, "proof") else
                "undecided" if verdict is None else "exact cost"
                for verdict in verdicts
            )  # fmt: skip
            count, seconds = count + 1, seconds + spent
            open_in += bool(found["undecided"])
            wrong_in += bool(wrong)
            proofs += found
            if wrong or found["undecided"]:
                print(f"  {task} {split} {row['id']} {spent:.1f} s", end="")
                print(f", undecided {found['undecided']} of {found.total()}", *wrong[:3], sep=", ")
        shares = ", ".join(f"{proof} {number}" for proof, number in sorted(proofs.items()))
        share = proofs["undecided"] / max(1, proofs.total())
        print(f"{task}: {count} questions, {seconds:.0f} s; {shares}")
        print(f"  undecided: {share:.2%}, in {open_in} questions; published otherwise: {wrong_in}")


if __name__ == "__main__":
    main()
