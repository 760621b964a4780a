"""TRL's own trainer plays episodes; the model is of no size, and its tokens are whole calls."""

from __future__ import annotations

import json

import pytest

from plangauge.integrations.environments.text import played
from plangauge.integrations.environments.trl import PlanEnvironment
from plangauge.integrations.rewards import suite_dataset, suite_rows
from plangauge.suites.build import DomainSpec, Request, build_suite

pytest.importorskip("trl")
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]


ROLLOUTS = []
"""What each rollout has done, and earned."""


class Watched(PlanEnvironment):
    def reset(self, info=None, **row):
        self._calls = []
        return super().reset(info, **row)

    def get_reward(self):
        ROLLOUTS.append((self._calls, super().get_reward()))
        return ROLLOUTS[-1][1]

    def _turn(self, text):
        self._calls.append(text)
        return super()._turn(text)


def call(name, **arguments):
    told = json.dumps({"name": name, "arguments": arguments})
    return f"<tool_call>\n{told}\n</tool_call>"


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    domains = [DomainSpec.of("blocksworld", {"blocks": 3})]
    request = Request(count=1, tasks=("acting",))
    return build_suite(tmp_path_factory.mktemp("suites") / "s", domains, request)


def test_the_trainer_plays_episodes(suite, tmp_path):
    from tokenizers import decoders
    from train_with_rewards import characters_and
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed
    from trl import GRPOConfig, GRPOTrainer
    from trl.chat_template_utils import qwen3_instruct_2507_chat_template

    set_seed(0)
    (row,) = suite_rows(suite)
    plan = json.loads(row["info"]["question"])["references"][0]
    said = [*(call("act", action=each) for each in plan), call("look_around"), call("finish")]
    tokenizer = characters_and(said)
    tokenizer.backend_tokenizer.decoder = decoders.Fuse()  # nothing between tokens
    tokenizer.chat_template = qwen3_instruct_2507_chat_template
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=8192, bos_token_id=None,
        pad_token_id=tokenizer.pad_token_id, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    words = tokenizer.get_vocab()
    unsaid = [number for word, number in words.items() if word not in (*said, "<eos>")]
    arguments = GRPOConfig(
        output_dir=str(tmp_path), max_steps=2, per_device_train_batch_size=4, num_generations=4,
        max_completion_length=1500, max_tool_calling_iterations=4, logging_steps=1,
        generation_kwargs={"suppress_tokens": unsaid, "max_new_tokens": 1},
        save_strategy="no", report_to=[], use_cpu=True, disable_tqdm=True,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=LlamaForCausalLM(config), processing_class=tokenizer, args=arguments,
        environment_factory=Watched, train_dataset=suite_dataset(suite),
    )  # fmt: skip
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logged) == 2
    for step, rollouts in zip(logged, (ROLLOUTS[:4], ROLLOUTS[4:]), strict=True):
        values = [played(row["info"], calls).value() for calls, _ in rollouts]
        assert values == [value for _, value in rollouts]
        assert step["reward"] == pytest.approx(sum(values) / 4)
        assert step["reward"] > 0
        assert step["tools/call_frequency"] == sum(len(calls) for calls, _ in rollouts) / 4
        assert step["tools/failure_frequency"] == 0
