"""Train with TRL's GRPO trainer and plangauge's rewards, for two steps of a model of no size.

    pip install -e '.[rewards]' trl torch
    python docs/train_with_rewards.py

Nothing is downloaded: the model has random weights, its tokens are single characters and whole
actions, and it may say nothing but actions, so that some of its rewards are not 0. For a real run,
give the trainer the name of a model instead of both, and more of everything. Exits with 1 where
what TRL has logged is not what the rewards are.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from plangauge.integrations.rewards import (
    Reward,
    check_rows,
    part_rewards,
    suite_dataset,
    text_of,
)
from plangauge.suites.build import DomainSpec, Request, build_suite

CHAT = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        chosen = [DomainSpec.of("blocksworld", {"blocks": 3, "start": "random"})]
        suite = build_suite(Path(folder) / "suite", chosen, Request(count=2, tasks=("plan",)))
        for chat in (True, False):
            dataset = suite_dataset(suite, chat=chat)
            print(f"{check_rows(dataset)} questions, {'messages' if chat else 'plain text'}")
            wrong += train(dataset, [Reward()], [1.0], folder)
            wrong += train(dataset, *part_rewards(), folder)
    return int(wrong > 0)


def train(dataset: Any, functions: list[Any], weights: list[float], folder: str) -> bool:
    """Train for two steps, print the rewards that TRL has logged; return whether they are wrong."""
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed
    from trl import GRPOConfig, GRPOTrainer

    means: list[float] = []

    def watched(prompts: Any, completions: Any, **columns: Any) -> list[float]:
        """Print each completion with its reward; its weight is 0."""
        values = [value or 0.0 for value in Reward()(prompts, completions, columns["info"])]
        for completion, value in zip(completions, values, strict=True):
            print(f"  {value:.3f}  {text_of(completion)}")
        means.append(sum(values) / len(values))
        return values

    set_seed(0)
    actions = sorted({term for row in dataset for term in re.findall(r"\([^()]+\)", row["answer"])})
    tokenizer = characters_and(actions)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=4096,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    unsaid = [n for word, n in tokenizer.get_vocab().items() if len(word) == 1 or word == "<unk>"]
    arguments = GRPOConfig(
        output_dir=f"{folder}/out",
        max_steps=2,
        per_device_train_batch_size=16,
        num_generations=8,
        max_completion_length=5,
        generation_kwargs={"suppress_tokens": unsaid},
        reward_weights=[*weights, 0.0],
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=LlamaForCausalLM(config),
        reward_funcs=[*functions, watched],
        args=arguments,
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()
    steps = [entry for entry in trainer.state.log_history if "reward" in entry]
    for step in steps:
        named = {name: value for name, value in step.items() if name.startswith("plangauge/")}
        parts = {name: step[f"rewards/{name}/mean"] for name in trainer.reward_func_names[:-1]}
        print({"reward": step["reward"], **parts, **named})
    return [round(step["reward"], 5) for step in steps] != [round(mean, 5) for mean in means]


def characters_and(actions: list[str]) -> Any:
    """Return a tokenizer of single characters and of these actions."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "<eos>", "<unk>", *map(chr, range(32, 127)), "\n", *actions]
    model = models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="<eos>",
        unk_token="<unk>",
        padding_side="left",
        chat_template=CHAT,
    )


if __name__ == "__main__":
    sys.exit(main())
