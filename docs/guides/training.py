"""Train with rewards: the examples of training.md; TRL trains a tiny model."""

from __future__ import annotations

import sys

from guide import Guide


def some_rewards() -> None:
    from plangauge.integrations.rewards import Reward, suite_rows

    row = next(suite_rows("suite"))
    right = row["answer"]
    completions = {
        "right": f"<think>Which block is on top?</think> Final answer: {right}",
        "with a detour": right.replace("[", "[(unstack b k), (stack b k), "),
        "unfinished": right.rsplit(",", 2)[0] + "]",
        "empty plan": "[]",
        "no answer": "",
    }
    reward = Reward()
    texts = [*completions.values()]
    values = reward(prompts=[row["prompt"]] * 5, completions=texts, info=[row["info"]] * 5)
    for name, value in zip(completions, values, strict=True):
        print(f"{value:.3f}  {name}")


def parts_of_one() -> None:
    from plangauge.integrations.rewards import Reward, suite_rows

    row, reward = next(suite_rows("suite")), Reward()
    stopped = "[(unstack b k), (put-down b), (unstack k j), (pick-up j)]"
    print(reward.value(stopped, row["info"]))
    print({name: round(value, 3) for name, value in reward.parts(stopped, row["info"]).items()})
    record = reward.record(stopped, row["info"])
    print(f"step {record['notes']['step'] + 1}, {record['fault']}: {record['notes']['message']}")


def train() -> None:
    from tiny_model import settings, tiny_model
    from trl import GRPOTrainer

    from plangauge.integrations.rewards import (
        PLAN_PARTS,
        Reward,
        Weights,
        check_rows,
        suite_dataset,
    )

    dataset = suite_dataset("suite")
    print(check_rows(dataset), "questions")
    model, tokenizer = tiny_model()  # or model = "Qwen/Qwen3-0.6B", and tokenizer = None
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=Reward(),
        train_dataset=dataset,
        args=settings(),
    )
    trainer.train()
    for logged in trainer.state.log_history[:2]:
        parts = {part: logged[f"plangauge/{part}"] for part in PLAN_PARTS}
        print("earned something:", logged["reward"] > 0)
        print("as the parts say:", abs(Weights().total(parts) - logged["reward"]) < 1e-6)


def main() -> int:
    guide = Guide(__file__)
    guide.run("plangauge generate blocksworld --param blocks=4 --count 20 --tasks plan -o suite")
    guide.python(some_rewards)
    guide.python(parts_of_one)
    if guide.can("With TRL", "trl", "torch", "datasets"):
        guide.python(train, without="{")
    return guide.finish()


if __name__ == "__main__":
    sys.exit(main())
