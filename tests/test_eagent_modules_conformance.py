"""The modules of the Embodied Agent Interface beside action sequencing count as the original does.

Every case was decided by the original itself. Needs the data of ``plangauge fetch eai``, and the
cases in a folder ``shared/conformance`` beside the checkout or in ``PLANGAUGE_CONFORMANCE``.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from sizes import one_in

from plangauge.core.errors import ProblemError
from plangauge.households.eagent import goals_behavior, goals_virtualhome
from plangauge.households.fetch import data_root

BESIDE = [parent / "shared" / "conformance" for parent in Path(__file__).resolve().parents]
CASES = Path(os.environ.get("PLANGAUGE_CONFORMANCE") or next(filter(Path.is_dir, BESIDE), "none"))
CASES /= "eai_modules"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="needs the cases with known results")


def rows(name):
    with gzip.open(CASES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def loaded(dataset):
    try:
        return dataset.load(data_root())
    except ProblemError:
        pytest.skip("needs the data of the Embodied Agent Interface: plangauge fetch eai")


@one_in(4)
def test_goals_in_virtualhome(step):
    tasks, evaluate = loaded(goals_virtualhome.DATASET), goals_virtualhome.evaluate
    for row in rows("goal_virtualhome")[::-step]:
        if row["kind"] == "summary":
            outcomes = [
                (each["identifier"], evaluate(tasks[each["identifier"]], each, True))
                for each in row["responses"]
            ]
            assert goals_virtualhome.DATASET.rates.summary(outcomes) == row["summary"]
            continue
        outcome = evaluate(tasks[row["identifier"]], row, True)
        if "error" in row:  # where the original ends
            assert outcome.fault == "parsing", row
        else:
            assert outcome.result == row["counts"], row


@one_in(4)
def test_goals_in_behavior(step):
    dataset, evaluate = goals_behavior.DATASET, goals_behavior.evaluate
    tasks = loaded(dataset)
    for row in rows("goal_behavior")[::-step]:
        listed = row["responses"] if row["kind"] == "summary" else [row]
        outcomes = [
            (each["identifier"], evaluate(tasks[each["identifier"]], each, True)) for each in listed
        ]
        if "error" in row:
            assert outcomes[0][1].fault == "parsing", row
        else:
            assert dataset.rates.summary(outcomes) == row["dataset"], row


@pytest.mark.parametrize("dataset", [goals_virtualhome, goals_behavior])
def test_the_right_goals_are_right_by_default(dataset):
    tasks = loaded(dataset.DATASET)
    for row in rows(f"goal_{dataset.DATASET.name}"):
        if row["kind"] == "gold":
            assert dataset.evaluate(tasks[row["identifier"]], row).scores["exact"] == 1
