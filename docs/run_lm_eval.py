"""Run a suite by lm-evaluation-harness with a scripted model, and score its logs again; no network is needed.

    pip install -e '.[lm-eval]'
    python docs/run_lm_eval.py

Put a model of lm-eval in the place of the scripted one to run it. Exits with 1 where the logged samples,
scored again, say anything else than lm-eval.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

from plangauge.integrations.lm_eval.folder import write_folder
from plangauge.integrations.responses import lines_of
from plangauge.scoring.baselines import answers
from plangauge.scoring.records import Record
from plangauge.scoring.suite import score_suite
from plangauge.suites import Suite
from plangauge.suites.build import DomainSpec, Request, build_suite

TASKS = ("applicability", "effects", "plan")
LOOKED_AT = ("right", "unreadable", "iou", "executable_prefix", "action_distance")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = [DomainSpec.of("blocksworld", {"blocks": 4}), DomainSpec.of("ferry")]
        request = Request(count=5, tasks=TASKS, name="small")
        suite = build_suite(folder / "suite", chosen, request)

        group = write_folder(suite, folder / "tasks").group
        logs = EvaluationTracker(output_path=str(folder / "logs"))
        results = simple_evaluate(
            model=Scripted(
                half_right(suite)
            ),  # or "hf", with model_args="pretrained=Qwen/Qwen3-8B"
            model_args={"pretrained": "half"},
            tasks=[group],
            task_manager=TaskManager(include_path=str(folder / "tasks"), include_defaults=False),
            apply_chat_template=True,
            evaluation_tracker=logs,
        )
        assert results is not None
        samples = results.pop("samples")
        for task, values in results["results"].items():
            means = {key: values.get(f"{key},none") for key in LOOKED_AT}
            print(task, {key: round(mean, 3) for key, mean in means.items() if mean is not None})

        logs.save_results_aggregated(results, samples)
        for task, rows in samples.items():
            logs.save_results_samples(task, rows)
        files = sorted((folder / "logs").rglob("samples_*.jsonl"))
        run = score_suite(suite, files, folder / "run", lines=partial(lines_of, suite=suite))

        told = {row["doc"]["id"]: row for rows in samples.values() for row in rows}
        same = [says(told[record.sample], record) for record in run]
        print(f"{len(same)} records, {sum(same)} of them say what lm-eval says")
        return 0 if all(same) and len(same) == len(suite) else 1


def says(row: dict[str, Any], record: Record) -> bool:
    """Return whether a logged sample has the scores of a record; what is not defined is not there."""
    return all(row.get(name) == value for name, value in record.scores.items())


def half_right(suite: Suite) -> Callable[[str], str]:
    """Return what answers every second question rightly, the others by chance."""
    known: dict[str, str] = {}
    kinds = (answers(suite, "truth"), answers(suite, "random-applicable"))
    for number, (sample, *both) in enumerate(zip(suite, *kinds, strict=True)):
        known[sample.prompt] = both[number % 2].text or ""
    return lambda prompt: known[prompt]


class Scripted(LM):
    """A model that answers what a function says."""

    tokenizer_name = "scripted"

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__()
        self.answer = answer

    def apply_chat_template(
        self, chat_history: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        del add_generation_prompt
        return json.dumps(chat_history)

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        del disable_tqdm
        return [self.answer(json.loads(request.args[0])[-1]["content"]) for request in requests]

    def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
        raise NotImplementedError


if __name__ == "__main__":
    sys.exit(main())
