"""A model of no size with random weights, so that a trainer can run without a download."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from train_with_rewards import characters_and

ACTIONS = [f"({name} {block})" for name in ("pick-up", "put-down") for block in "abcdefghijk"]


def tiny_model() -> tuple[Any, Any]:
    """Return a model that says nothing but actions, whichever comes, and its tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed

    set_seed(0)
    tokenizer = characters_and(ACTIONS)
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
    return LlamaForCausalLM(config), tokenizer


def settings() -> Any:
    """Return the settings of the trainer for two short steps."""
    from trl import GRPOConfig

    words = characters_and(ACTIONS).get_vocab()
    unsaid = [number for word, number in words.items() if word not in ACTIONS]
    return GRPOConfig(
        output_dir="trained",
        max_steps=2,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=4,
        generation_kwargs={"suppress_tokens": unsaid},
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
