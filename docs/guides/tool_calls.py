"""Test an agent's tool calls: the examples of tool_calls.md, with what three agents have called."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from guide import SERVER, Guide

COURIER = "plangauge validate courier/domain.pddl courier/p01.pddl"


def first_faults() -> None:
    from pathlib import Path

    import plangauge

    problem = plangauge.load_problem("courier/domain.pddl", "courier/p01.pddl")
    for name in ("openai", "anthropic", "plain"):
        verdict = plangauge.validate(problem, Path(f"courier/{name}.json").read_text())
        print(name, verdict.valid, verdict.goal_fraction)
        if first := verdict.first_fault:
            print(f"    step {first.step + 1}, {first.action}, {first.fault}: {first.message}")


def from_the_client() -> None:
    from openai import OpenAI

    import plangauge

    problem = plangauge.load_problem("courier/domain.pddl", "courier/p01.pddl")
    tools = [
        {
            "type": "function",
            "function": {
                "name": name.replace("-", "_"),
                "parameters": {
                    "type": "object",
                    "properties": {parameter: {"type": "string"} for parameter in parameters},
                    "required": [*parameters],
                },
            },
        }
        for name, parameters in problem.world.parameters.items()
    ]
    client = OpenAI()
    task = {"role": "user", "content": "Bring the tea from the market to the depot."}
    reply = client.chat.completions.create(model="my-agent", messages=[task], tools=tools)
    verdict = plangauge.validate(problem, reply.model_dump_json())
    print(verdict.valid, verdict.as_row()["fault"], verdict.as_row()["message"])


def against_a_reference() -> None:
    from pathlib import Path

    from plangauge import METRICS, align, parse_plan

    called = parse_plan(Path("courier/openai.json").read_text())
    wanted = parse_plan(Path("courier/anthropic.json").read_text())
    print(METRICS["lcs"](called, wanted), METRICS["any_order_match"](called, wanted))
    for row in align(called, wanted):
        print(row.change, *map(str, row.step))


def faults_of_all() -> None:
    import json
    from collections import Counter
    from pathlib import Path

    rows = [json.loads(line) for line in Path("verdicts.jsonl").read_text().splitlines()]
    print(sum(row["valid"] for row in rows), "of", len(rows), "reach the goal")
    print(Counter(row["fault"] for row in rows if row["fault"]))


def main() -> int:
    guide = Guide(__file__)
    guide.copy("courier")
    guide.file("courier/domain.pddl")
    guide.file("courier/p01.pddl")
    guide.file("courier/openai.json")
    guide.run(f"{COURIER} courier/openai.json", status=1)
    guide.python(first_faults)
    with guide.server("courier/reply.json"):
        if guide.can("From the client", "openai"):
            guide.run(f"export OPENAI_BASE_URL={SERVER} OPENAI_API_KEY=none")
            guide.python(from_the_client)
    guide.run("plangauge compare courier/openai.json courier/anthropic.json", lines=14)
    guide.python(against_a_reference)
    write_rows()
    guide.run("plangauge validate --batch runs.jsonl --root courier -o verdicts.jsonl")
    guide.python(faults_of_all)
    guide.run(
        "plangauge generate courier --tasks plan -o suite",
        "plangauge score suite answers.jsonl -o run",
        "plangauge overview run --by model,task",
    )
    return guide.finish()


def write_rows() -> None:
    """Write a row for each log: for `validate --batch`, and for a suite."""
    with Path("runs.jsonl").open("w") as runs, Path("answers.jsonl").open("w") as answers:
        for name in ("openai", "anthropic", "plain"):
            said = {"response": Path(f"courier/{name}.json").read_text()}
            files = {"domain": "domain.pddl", "problem": "p01.pddl"}
            runs.write(json.dumps({"id": name} | files | said) + "\n")
            answers.write(json.dumps({"id": "courier/p01/plan-v1", "model": name} | said) + "\n")


if __name__ == "__main__":
    sys.exit(main())
