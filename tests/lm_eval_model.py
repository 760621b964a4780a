"""A model of lm-evaluation-harness that gives prepared answers, in the order of the requests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager


class Prepared(LM):
    """Answers what a function says of the messages; ``asked`` are these."""

    tokenizer_name = "prepared"

    def __init__(self, answer: Callable[[str], str | None]) -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[list[dict[str, str]]] = []
        self.options: list[Mapping[str, Any]] = []

    def apply_chat_template(self, messages: Any, add_generation_prompt: bool = True) -> str:
        del add_generation_prompt
        return json.dumps(messages)

    def generate_until(self, requests: Any, disable_tqdm: bool = False) -> list[str | None]:
        del disable_tqdm
        self.asked += [json.loads(request.args[0]) for request in requests]
        self.options += [request.args[1] for request in requests]
        return [self.answer(messages[-1]["content"]) for messages in self.asked]

    def loglikelihood(self, requests: Any, disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: Any, disable_tqdm: bool = False) -> list[float]:
        raise NotImplementedError


def evaluated(folder: Path, group: str, model: LM, logs: Path | None = None) -> Any:
    """Return the results of lm-eval's own runner, and let it write its logs."""
    tracker = EvaluationTracker(output_path=None if logs is None else str(logs))
    results = simple_evaluate(
        model=model,
        model_args={"pretrained": "maker/prepared"},
        tasks=[group],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        evaluation_tracker=tracker,
        apply_chat_template=True,
    )
    assert results is not None
    samples = results["samples"]
    if logs is not None:  # as its command line does
        stored = {key: value for key, value in results.items() if key != "samples"}
        tracker.save_results_aggregated(results=stored, samples=samples)
        for task, rows in samples.items():
            tracker.save_results_samples(task_name=task, samples=rows)
    return results
