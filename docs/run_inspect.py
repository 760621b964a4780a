"""Run a suite by Inspect with its mock model, and score the log again; no network is needed.

    pip install -e '.[inspect]'
    python docs/run_inspect.py

Put the name of a model, such as "openai/gpt-5-mini", in the place of the mock model to run it. Exits
with 1 where the log, scored again, says anything else than the run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai.log import read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from plangauge.integrations.inspect.running import Settings, run_suite
from plangauge.integrations.responses import lines_of
from plangauge.scoring.baselines import answers
from plangauge.scoring.suite import score_suite
from plangauge.suites import Suite
from plangauge.suites.build import DomainSpec, Request, build_suite

TASKS = ("applicability", "effects", "plan")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = [DomainSpec.of("blocksworld", {"blocks": 4}), DomainSpec.of("ferry")]
        suite = build_suite(folder / "suite", chosen, Request(count=3, tasks=TASKS))

        models = [mock("half", half_right(suite))]  # or ["openai/gpt-5-mini"]
        settings = Settings({"max_connections": 4}, {"display": "none"})
        done = run_suite(suite.path, models, folder / "out", settings)
        assert done.run is not None

        log = read_eval_log(str(done.logs[0]))
        assert log.results is not None
        for score in log.results.scores[:4]:
            shown = {key: round(score.metrics[key].value, 3) for key in ("mean", "stderr")}
            print(f"{score.name:12} {shown} of {score.scored_samples}")
        for sample in (log.samples or [])[1:4]:
            print(f"{sample.id}: {(sample.scores or {})['record'].explanation}")

        again = score_suite(suite, [*done.logs], folder / "again", lines=lines_of)
        same = [*again] == [*done.run]
        print(f"{len([*again])} records, {'the same' if same else 'not the same'} as in the run")
        return 0 if same and done.complete else 1


def half_right(suite: Suite) -> Callable[[str], str]:
    """Return what answers every second question rightly, the others by chance."""
    known: dict[str, str] = {}
    kinds = (answers(suite, "truth"), answers(suite, "random-applicable"))
    for number, (sample, *both) in enumerate(zip(suite, *kinds, strict=True)):
        known[sample.prompt] = both[number % 2].text or ""
    return lambda prompt: known[prompt]


def mock(name: str, answer: Callable[[str], str]) -> Model:
    """Return a model that answers what a function says.

    Without ``usage`` the mock model would fetch an encoding to count tokens with.
    """

    def output(messages: list[Any], *others: object) -> ModelOutput:
        del others
        said = ModelOutput.from_content(name, answer(messages[-1].text))
        said.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
        return said

    return get_model(f"mockllm/{name}", custom_outputs=output)


if __name__ == "__main__":
    sys.exit(main())
