"""Play episodes by Inspect with its mock model, by text and by tools; no network is needed.

    pip install -e '.[inspect]'
    python docs/run_inspect_episodes.py

Put the name of a model, such as "openai/gpt-5-mini", in the place of the mock model to run it. Exits
with 1 where a player who knows a plan does not reach the goal, or where the log, scored again, says
anything else than the run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import read_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from plangauge.integrations.inspect.running import Settings, run_suite
from plangauge.integrations.responses import lines_of
from plangauge.scoring.suite import score_suite
from plangauge.suites.build import DomainSpec, Request, build_suite

Plans = Mapping[str, Sequence[str]]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = [DomainSpec.of("blocksworld", {"blocks": 4}), DomainSpec.of("ferry")]
        suite = build_suite(folder / "suite", chosen, Request(count=2, tasks=("acting",)))
        plans = {sample.prompt: sample.references[0] for sample in suite}

        well = True
        for protocol in ("text", "tools"):
            how = Settings({}, {"display": "none"}, acting={"protocol": protocol})
            output = folder / protocol
            done = run_suite(suite.path, [player(plans)], output, how)  # or ["openai/gpt-5-mini"]
            assert done.run is not None
            again = score_suite(suite, [*done.logs], folder / f"{protocol}-again", lines=lines_of)
            well = well and [*again] == [*done.run] and done.complete

            first = (read_eval_log(str(done.logs[0])).samples or [])[0]
            for message in first.messages[-4:]:
                calls = getattr(message, "tool_calls", None) or ()
                said = [f"{call.function}{tuple(call.arguments.values())}" for call in calls]
                print(f"{message.role:9} {' '.join(said) or message.text}")
            for record in done.run:
                print(
                    f"{record.sample}: {record.notes['outcome']} in {record.notes['turns']} turns"
                )
                well = well and record.notes["outcome"] == "solved_with_mistakes"
        return 0 if well else 1


def player(plans: Plans) -> Model:
    """Return a model that tries something impossible, and then does what a plan says.

    Without ``usage`` the mock model would fetch an encoding to count tokens with.
    """

    def output(messages: list[Any], tools: list[Any], *others: object) -> ModelOutput:
        del others
        prompt = next(message.text for message in messages if message.role == "user")
        turn = sum(message.role == "assistant" for message in messages)
        steps = ["(fly away)", *plans[prompt], "You are finished."]
        said = call(steps[turn], tools) if tools else ModelOutput.from_content("m", steps[turn])
        said.usage = ModelUsage(input_tokens=0, output_tokens=0, total_tokens=0)
        return said

    return get_model("mockllm/player", custom_outputs=output)


def call(step: str, tools: list[Any]) -> ModelOutput:
    """Return the call of the tool that a step is, whether there is one or not."""
    if not step.startswith("("):
        return ModelOutput.for_tool_call("m", "finish", {})
    name, *args = step.strip("()").split()
    named = next((tool.parameters.required for tool in tools if tool.name == name), ["where"])
    return ModelOutput.for_tool_call("m", name, dict(zip(named, args, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
