"""Benchmark a model: the examples of benchmarking.md, with a server that stands in for the model."""

from __future__ import annotations

import sys

from guide import SERVER, Guide


def the_same() -> None:
    from plangauge import Run

    asked = {record.sample: record for record in Run.load("run")}
    by_inspect = {record.sample: record for record in Run.load("out/run")}
    same = [name for name in asked if asked[name].scores == by_inspect[name].scores]
    print(f"{len(same)} of {len(asked)} records have the same scores")


def wrong_plans() -> None:
    from plangauge import Run

    for record in Run.load("run"):
        if record.fault and record.task == "plan-v1":
            step, message = record.notes["step"], record.notes["message"]
            where = "no plan could be read" if step is None else f"step {step + 1}, {message}"
            print(f"{record.sample}  {record.fault}: {where}")


def main() -> int:
    guide = Guide(__file__)
    suite = "plangauge generate blocksworld ferry --count 10 --tasks applicability,effects,plan -o suite"
    guide.run(suite)
    guide.run("plangauge show suite ferry/0001/effects-v1")
    ask = f"plangauge answer suite --server {SERVER} --model my-model --max-tokens 4000 -o my-model.jsonl"
    with guide.server("suite"):
        if guide.can("Ask it", "openai"):
            guide.run(ask)
            guide.run("plangauge score suite my-model.jsonl -o run")
            guide.run("plangauge overview run")
            guide.python(wrong_plans)
            guide.run(
                "plangauge answer suite --baseline random-applicable -o chance.jsonl",
                "plangauge score suite chance.jsonl -o chance",
                "plangauge overview run chance --by model,task",
                lines=9,
            )
        if guide.can("Compare, and look", "openai", "scipy", "vl_convert"):
            guide.run("plangauge compare-runs run chance --task plan")
            guide.run("plangauge report run chance -o report.html", lines=0)
        if guide.can("Through Inspect", "openai", "inspect_ai"):
            guide.run(
                "export LOCAL_API_KEY=none",
                f"plangauge run suite --model openai-api/local/my-model --model-base-url {SERVER} -o out",
            )
            guide.run("plangauge overview out/run --by task", lines=4)
            guide.python(the_same)
    return guide.finish()


if __name__ == "__main__":
    sys.exit(main())
