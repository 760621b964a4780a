"""A report over PlanBench's published answers, and how far its verdicts are ours.

    python benchmarks/published_answers.py LLMs-Planning/plan-bench … [--folder DIR] [--show CAUSE]

Each path is imported as ``plangauge import planbench`` does it and scored; report.html shows all
of it. Printed are tables of agreement by model and by task, and of the causes of other verdicts.
``--show`` prints the answers of one cause instead, to be read by a person.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from plangauge.benchmarks import import_source
from plangauge.benchmarks.planbench.questions import published_facts, short_names
from plangauge.domains.words import Words
from plangauge.integrations.responses import responses_of
from plangauge.reports.page import Material, make_page
from plangauge.scoring.records import Record, Run
from plangauge.scoring.suite import Policy, score_suite
from plangauge.suites import Suite

CRITERIA = {"plan-v1": "valid", "optimal-plan-v1": "optimal", "state-tracking-v1": "exact"}
CAUSES = {
    "twice": "the plan stands there twice, as a draft and as the plan, and is read as one of both",
    "more": "explanations, drafts, other plans, or denied facts are read as steps or facts",
    "fewer": "steps or facts are left out",
    "more and fewer": "both of these",
    "nothing": "nothing is read",
    "whole goal": "the same plan, which misses a goal that the prompt states, and PlanBench not",
    "same": "the same steps or facts are read",
}
"""What PlanBench has read, compared with us, where the verdicts differ."""


@dataclass(frozen=True)
class Answer:
    """An answer with both readings and verdicts."""

    model: str
    sample: str
    text: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    right: bool
    right_theirs: bool
    tracking: bool

    @property
    def task(self) -> str:
        return self.sample.rpartition("/")[2]

    @property
    def same(self) -> bool:
        return self.right == self.right_theirs

    @property
    def cause(self) -> str:
        """The cause of another verdict, as far as the readings tell."""
        ours, theirs = self.ours, self.theirs
        if not theirs:
            return "nothing"
        if sorted(ours) == sorted(theirs) if self.tracking else ours == theirs:
            return "whole goal" if "plan_reuse" in self.task else "same"
        if self.tracking:
            more, fewer = not set(theirs) <= set(ours), not set(ours) <= set(theirs)
        else:
            more, fewer = not _within(theirs, ours), not _within(ours, theirs)
        if more and not fewer:
            return "twice" if not self.tracking and _is_twice(ours, theirs) else "more"
        return "more and fewer" if more else "fewer"


def answers_of(run: Run, suite: Suite, files: Iterable[Path]) -> Iterator[Answer]:
    """Yield the answers on which PlanBench has a verdict."""
    published = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            published[row["model"], row["id"], row["epoch"]] = row
    words = lru_cache(lambda domain: Words.load(suite.path / "problems" / domain / "words.json"))
    for record in run:
        row = published[record.model, record.sample, record.epoch]
        if isinstance(row.get("llm_correct"), bool):
            yield _answer(record, row, words(record.domain))


def _answer(record: Record, row: dict[str, Any], words: Words) -> Answer:
    tracking = record.task == "state-tracking-v1"
    told = row.get("extracted_llm_plan") or ()
    theirs = sorted(published_facts(told, words) or ()) if tracking else _steps(told, words)
    return Answer(
        record.model,
        record.sample,
        row["response"],
        tuple(record.read or ()),
        tuple(theirs),
        bool(record.scores[CRITERIA[record.task]]),
        row["llm_correct"],
        tracking,
    )


def _steps(plan: str | Sequence[str], words: Words) -> Iterator[str]:
    """Yield the steps of a published plan, with objects as they are called in PDDL."""
    objects = short_names(words)
    for line in plan.split("\n") if isinstance(plan, str) else plan:
        if parts := line.replace("(", " ").replace(")", " ").lower().split():
            yield f"({' '.join([parts[0], *(objects.get(arg, arg) for arg in parts[1:])])})"


def _within(some: Sequence[str], every: Sequence[str]) -> bool:
    rest = iter(every)
    return all(step in rest for step in some)


def _is_twice(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Tell whether a plan is made of another one, whole, at least twice, and perhaps more."""
    return all(theirs.count(step) >= 2 * ours.count(step) for step in ours)


def tables(found: Sequence[Answer]) -> str:
    differ = [answer for answer in found if not answer.same]
    causes = Counter((answer.cause, answer.right) for answer in differ)
    rows = [
        [f"*{cause}*", meaning, causes[cause, True] or "", causes[cause, False] or ""]
        for cause, meaning in CAUSES.items()
    ]
    parts = (
        _table("model", found, lambda answer: answer.model),
        _table("task", found, lambda answer: answer.task),
        f"{len(differ)} of {len(found):,} verdicts differ.",
        _lines(["cause", "what PlanBench has read", "right, ours", "right, theirs"], rows),
    )
    return "\n\n".join(parts)


def _table(head: str, found: Sequence[Answer], by: Callable[[Answer], str]) -> str:
    names = sorted({by(answer) for answer in found})
    rows = [_row(name, [answer for answer in found if by(answer) == name]) for name in names]
    columns = [head, "answers", "right, ours", "right, theirs", "same verdict"]
    return _lines(columns, [*rows, _row("all", found)])


def _row(name: str, found: Sequence[Answer]) -> list[object]:
    ours, theirs = sum(a.right for a in found), sum(a.right_theirs for a in found)
    same = sum(answer.same for answer in found) / len(found)
    return [name, f"{len(found):,}", f"{ours:,}", f"{theirs:,}", f"{same:.2%}"]


def _lines(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---|" + "--:|" * (len(head) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def show(answer: Answer) -> None:
    print(f"{answer.model} {answer.sample}: ours {answer.right}, theirs {answer.right_theirs}")
    print(f"ours: {', '.join(answer.ours)}\ntheirs: {', '.join(answer.theirs)}")
    print(f"{answer.text}\n{'-' * 40}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, help="where all is kept (default: nowhere)")
    parser.add_argument("--show", choices=CAUSES, metavar="CAUSE", help=", ".join(CAUSES))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        runs: list[Run] = []
        found: list[Answer] = []
        for path in given.paths:
            done = import_source("planbench", path, folder / path.name)
            assert done.responses is not None
            files = sorted((done.responses / "models").glob("*.jsonl"))
            target = folder / f"run-{path.name}"
            runs.append(score_suite(done.suite, files, target, Policy(missing="skip")))
            found += answers_of(runs[-1], done.suite, files)
        if given.show:
            for answer in found:
                if not answer.same and answer.cause == given.show:
                    show(answer)
            return
        print(tables(found))
        page = make_page(runs, Material.find(runs, read=responses_of))
        page.write(folder / "report.html")
        print(f"\nreport.html: {page.records:,} answers, {len(page.data) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
