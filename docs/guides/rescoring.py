"""Score logs again: the examples of rescoring.md; the same answers in four forms of logs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from guide import SERVER, Guide
from stand_in import said

from plangauge import Suite

LM_EVAL = f"""lm_eval --include_path folder --tasks plangauge_mine --model local-chat-completions \\
    --model_args model=my-model,base_url={SERVER}/chat/completions,num_concurrent=4 \\
    --apply_chat_template --log_samples -o lm-eval"""
INSPECT = f"""inspect eval plangauge/suite -T path=suite --log-dir logs \\
    --model openai-api/local/my-model --model-base-url {SERVER}"""


def compare_batch() -> None:
    from plangauge import Run

    plain = {record.sample: record.scores for record in Run.load("plain")}
    again = {record.sample: record.scores for record in Run.load("batch")}
    print(again == plain)


def compare_inspect() -> None:
    from pathlib import Path

    from inspect_ai.log import read_eval_log

    from plangauge import Run

    again = {record.sample: record.scores for record in Run.load("inspect")}
    print(again == {record.sample: record.scores for record in Run.load("plain")})

    (file,) = Path("logs").glob("*.eval")
    logged = {sample.id: sample.scores["record"].value for sample in read_eval_log(file).samples}
    same = [
        logged[sample][name] == value
        for sample, scores in again.items()
        for name, value in scores.items()
        if value is not None
    ]
    print(f"Inspect itself logged {sum(same)} of our {len(same)} scores")


def compare_lm_eval() -> None:
    import json
    from pathlib import Path

    from plangauge import Run

    again = {record.sample: record.scores for record in Run.load("lm-eval-run")}
    print(again == {record.sample: record.scores for record in Run.load("plain")})

    files = Path("lm-eval").rglob("samples_*.jsonl")
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    logged = {row["doc"]["id"]: row for row in rows}
    same = [
        logged[sample][name] == value
        for sample, scores in again.items()
        for name, value in scores.items()
        if value is not None
    ]
    print(f"lm-eval itself logged {sum(same)} of our {len(same)} scores")


def main() -> int:
    guide = Guide(__file__)
    guide.run(
        "plangauge generate blocksworld ferry --count 5 --tasks applicability,effects,plan "
        "--name mine -o suite"
    )
    suite = Suite.load("suite")
    write_rows(suite)
    guide.run("plangauge score suite my-model.jsonl -o plain")
    guide.run("plangauge overview plain --by model,task")
    write_batch(suite)
    guide.run("plangauge score suite batch_output.jsonl -o batch")
    guide.python(compare_batch)
    with guide.server("suite"):
        if guide.can("Inspect", "openai", "inspect_ai"):
            os.environ["LOCAL_API_KEY"] = "none"
            guide.run(INSPECT)
            guide.run("plangauge score suite logs/*.eval -o inspect")
            guide.python(compare_inspect)
        if guide.can("lm-evaluation-harness", "lm_eval"):
            guide.run("plangauge export lm-eval suite -o folder", LM_EVAL, lines=0)
            guide.run("plangauge score suite lm-eval/*/samples_*.jsonl -o lm-eval-run")
            guide.python(compare_lm_eval)
    return guide.finish()


def write_rows(suite: Suite) -> None:
    """Write the plainest log there is."""
    with Path("my-model.jsonl").open("w") as out:
        out.writelines(
            json.dumps({"id": ident, "response": text}) + "\n"
            for ident, text in said(suite).items()
        )


def write_batch(suite: Suite) -> None:
    """Write the same answers as OpenAI returns those of a batch, in another order."""
    with Path("batch_output.jsonl").open("w") as out:
        for ident, text in reversed(said(suite).items()):
            message = {"role": "assistant", "content": text}
            body = {
                "model": "my-model-2026-01-01",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320},
            }
            row = {
                "id": f"batch_req_{ident}",
                "custom_id": ident,
                "response": {"status_code": 200, "body": body},
                "error": None,
            }
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    sys.exit(main())
