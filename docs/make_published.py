"""Draw images/planbench.svg: which of PlanBench's published models plan best.

python docs/make_published.py FOLDER

FOLDER holds PlanBench's records (records.jsonl.gz), problems (pddl) and words (words/DOMAIN.json),
which are no part of this project.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plangauge.domains.folders import load_domain_folder
from plangauge.reports.figures import FigureStyle, chart
from plangauge.scoring.suite import Policy, score_suite
from plangauge.suites.build import DomainSpec, Request, build_suite

FIGURE = Path(__file__).resolve().parent / "images" / "planbench.svg"
DOMAINS = {
    "blocksworld": "Blocksworld",
    "blocksworld_3": "Blocksworld, 3 blocks",
    "mystery_blocksworld": "Mystery",
    "mystery_blocksworld_3": "Mystery, 3 blocks",
}
TASKS = ("task_1_plan_generation", "task_1_plan_generation_zero_shot")
FEWEST = 20
"""A model that has fewer answers in a domain was hardly asked there, and is left out."""


def main(folder: Path) -> None:
    """Score the published answers and draw the figure."""
    with TemporaryDirectory() as place:
        home = Path(place)
        rows = list(answers(folder))
        for domain, name in DOMAINS.items():
            copy_problems(folder, [row for row in rows if row["domain"] == domain], home / name)
        specs = [DomainSpec(load_domain_folder(home / name)) for name in DOMAINS.values()]
        suite = build_suite(home / "suite", specs, Request(1000, tasks=("plan-v1",)))
        responses = home / "responses.jsonl"
        with responses.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in responses_of(rows))
        run = score_suite(suite, [responses], home / "run", Policy(missing="skip"))
        figure = chart("ranking", [run], by=("model", "domain"))
        figure.write(FIGURE, FigureStyle(title="", width=8.0))
        for panel in figure.numbers.panels:
            print(panel.column)
            for row in panel.ranking.rows:
                print(f"  {row.model:25} {row.value:6.1%} of {row.n}")


def answers(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the answers with a plan in words of all models that were asked in both ways."""
    with gzip.open(folder / "records.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [
            row
            for row in map(json.loads, lines)
            if row["tree"] == "llm_planning_analysis"
            and row["domain"] in DOMAINS
            and row["task"] in TASKS
            and row["engine"] != "gpt-3.5-turbo-instruct"  # was asked in one way only
        ]
    count = Counter((row["domain"], row["engine"]) for row in found)
    return (row for row in found if count[row["domain"], row["engine"]] >= FEWEST)


def copy_problems(folder: Path, rows: list[dict[str, Any]], target: Path) -> None:
    """Make a folder of the domain and problems that answers are about, with their words."""
    target.mkdir()
    pddl = folder / "pddl"
    shutil.copy(pddl / rows[0]["pddl_domain"], target / "domain.pddl")
    words = rows[0]["domain"].removesuffix("_3")
    shutil.copy(folder / "words" / f"{words}.json", target / "words.json")
    for row in rows:
        shutil.copy(pddl / row["pddl_instance"], target / f"{row['instance_id']}.pddl")


def responses_of(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield answers as rows of a file of responses; those to the same question are epochs."""
    epochs: Counter[tuple[str, str]] = Counter()
    for row in rows:
        ident, model = f"{DOMAINS[row['domain']]}/{row['instance_id']}/plan-v1", row["engine"]
        yield {
            "id": ident,
            "response": row["llm_raw_response"],
            "model": model,
            "epoch": epochs[ident, model],
        }
        epochs[ident, model] += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
