"""Environments for training: laws of the core, and each adapter under its own framework."""

from __future__ import annotations

import inspect
import json
import threading
import time
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import LONG

from plangauge.core.errors import ProblemError
from plangauge.episodes import Policy
from plangauge.integrations.environments import TextEpisode
from plangauge.integrations.environments.text import FINISH, OVER, example
from plangauge.integrations.environments.trl import PlanEnvironment
from plangauge.integrations.rewards import suite_rows
from plangauge.suites.build import DomainSpec, Request, build_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    domains = [DomainSpec.of("blocksworld", {"blocks": 3}), DomainSpec.of("ferry", {"cars": 1})]
    request = Request(count=2, tasks=("acting", "plan"))
    return build_suite(tmp_path_factory.mktemp("suites") / "s", domains, request)


@pytest.fixture(scope="module")
def rows(suite):
    return [*suite_rows(suite)]


def plan_of(row):
    return json.loads(row["info"]["question"])["references"][0]


# The core


def test_the_reference_plan_earns_1(rows):
    for row in rows:
        episode = TextEpisode(row["info"])
        rewards = [episode.act(text).reward for text in [*plan_of(row), "You are finished."]]
        assert rewards == [*[0.0] * len(plan_of(row)), 1.0]
        assert episode.done
        assert episode.value() == 1.0


def test_shaping_adds_up_to_the_value_less_the_potential_at_the_start(rows):
    for row in rows:
        plain, shaped = TextEpisode(row["info"]), TextEpisode(row["info"], shaped=True)
        start = plain.episode.progress.share
        texts = [*plan_of(row), "nonsense", "You are finished."]
        total = sum(shaped.act(text).reward for text in texts)
        assert total == pytest.approx(sum(plain.act(text).reward for text in texts) - start)


def test_a_loop_earns_nothing():
    episode = TextEpisode(example(), shaped=True, policy=Policy(step_limit=8))
    steps = [episode.act(text) for text in ["(unstack b c)", "(stack b c)"] * 4]
    assert sum(step.reward for step in steps[:-1]) == 0
    assert steps[-1].done
    assert steps[-1].truncated
    assert not steps[-1].info["valid"]


texts = st.lists(
    st.one_of(
        st.sampled_from(["(unstack b c)", "put b down", "Look around.", "You are finished.", ""]),
        st.text(max_size=60),
    ),
    max_size=12,
)


@given(texts)
def test_a_replayed_episode_gives_the_same_numbers(turns):
    episode = TextEpisode(example(), shaped=True)
    seen = []
    for text in turns:
        half = TextEpisode.from_json(episode.to_json())
        seen.append(episode.act(text))
        assert half.act(text) == seen[-1]
    again = TextEpisode(example(), shaped=True)
    assert [again.act(text) for text in turns] == seen
    assert 0 <= episode.value() <= 1
    assert episode.result() == again.result()


@given(texts, texts)
def test_interleaved_episodes_do_not_mix(ones, others):
    one, other = TextEpisode(example()), TextEpisode(example())
    both = [(one.act(a), other.act(b)) for a, b in zip(ones, others, strict=False)]
    alone = TextEpisode(example())
    assert [step for step, _ in both] == [alone.act(text) for text in ones[: len(both)]]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", None),
        ("\x00\ud800", None),
        ("unstack " * 500, 20),
        pytest.param("unstack " * 5_000, 20, marks=LONG),
        pytest.param("(" * 1_000_000, 1, marks=LONG),
    ],
)
def test_any_text_is_survived_and_every_episode_ends(text, limit):
    episode = TextEpisode(example(), Policy(step_limit=limit))
    for _ in range(200):
        if episode.done:
            break
        episode.act(text)
    assert episode.done
    assert episode.act("(unstack b c)")[:3] == (OVER, 0.0, True)
    assert episode.value() < 0.5


@pytest.mark.parametrize("info", [None, {}, {"question": "{}"}, {"question": "nonsense"}])
def test_what_is_no_question_is_refused(info):
    with pytest.raises(ProblemError):
        TextEpisode(info)


def test_a_question_about_sets_is_refused(tmp_path):
    made = build_suite(
        tmp_path / "s", [DomainSpec.of("blocksworld")], Request(count=1, tasks=("effects",))
    )
    with pytest.raises(ProblemError, match="a plan, or acting"):
        TextEpisode(next(suite_rows(made))["info"])


@pytest.mark.parametrize("text", ["", "{}", '{"info": {}}', "[1]"])
def test_other_json_is_no_episode(text):
    with pytest.raises(ProblemError):
        TextEpisode.from_json(text)


# TRL


def test_every_public_method_of_the_trl_environment_is_a_tool_with_typed_arguments():
    public = {
        name: method
        for name, method in inspect.getmembers(PlanEnvironment, inspect.isfunction)
        if not name.startswith("_")
    }
    tools = public.keys() - {"reset", "get_reward"}
    assert tools == {"act", "look_around", "finish"}
    for name in tools:
        hints = inspect.get_annotations(public[name], eval_str=True)
        assert set(hints.values()) == {str}
        assert ("Args:" in public[name].__doc__) == (len(hints) > 1)


def test_a_pooled_trl_environment_is_reset_completely(rows):
    environment = PlanEnvironment()
    assert environment.get_reward() == 0
    assert environment.act("(pick-up b)")
    for row in rows:
        assert environment.reset(**row).startswith("\n")
        assert environment.get_reward() == 0
        for text in plan_of(row):
            environment.act(text)
        environment.finish()
        assert environment.get_reward() == 1
        assert environment.look_around() == OVER


# Other frameworks, where they are installed


def adapter(framework):
    pytest.importorskip(framework)
    name = {"openenv": "openenv", "skyrl_gym": "skyrl"}.get(framework, framework)
    return import_module(f"plangauge.integrations.environments.{name}")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_accepts_both_environments(rows):
    ours = adapter("gymnasium")
    from gymnasium.utils.env_checker import check_env

    check_env(ours.SymbolicPlanEnv(rows[0]["info"]), skip_render_check=True)
    check_env(ours.TextPlanEnv([row["info"] for row in rows]), skip_render_check=True)


def test_the_symbolic_environment_is_the_world(rows):
    ours = adapter("gymnasium")
    for row in rows:
        environment = ours.SymbolicPlanEnv(row["info"])
        environment.reset(seed=1)
        *before, last = [str(each) for each in plan_of(row)]
        names = [*map(str, environment.actions)]
        for text in before:
            _, reward, ended, truncated, info = environment.step(names.index(text))
            assert (reward, ended, truncated) == (0, False, False)
            idle = int((info["action_mask"] == 0).argmax())
            observed = environment.step(idle)[0]
            assert (environment.step(idle)[0] == observed).all()
        assert environment.step(names.index(last))[1:3] == (1.0, True)


def test_skyrl_plays_an_episode(rows):
    ours = adapter("skyrl_gym")
    environment = ours.PlanEnv(extras=rows[0])
    environment.init(rows[0]["prompt"])
    for text in plan_of(rows[0]):
        found = environment.step(text)
        assert found["observations"]
        assert not found["done"]
    assert environment.step("You are finished.")["reward"] == 1


def test_reasoning_gym_scores_its_own_answers():
    adapter("reasoning_gym")
    import reasoning_gym

    made = reasoning_gym.create_dataset(
        "plangauge", domain="blocksworld", sizes={"blocks": 3}, seed=3, size=3
    )
    for entry in made:
        assert made.score_answer(entry["answer"], entry) == 1
        assert made.score_answer(None, entry) == 0
        assert made.score_answer("no idea", entry) < 0.5
    assert json.loads(json.dumps(made[1])) == made[1] != made[2]


def test_openenv_serves_a_suite(suite, rows):
    ours = adapter("openenv")
    environment = ours.PlanEnvironment(suite.path)
    first = environment.reset(question=rows[1]["sample"])
    assert first.question == rows[1]["sample"]
    assert first.text
    for text in [*plan_of(rows[1]), "You are finished."]:
        found = environment.step(ours.PlanAction(text=text))
    assert found.done
    assert found.reward == 1
    assert environment.state.step_count == len(plan_of(rows[1])) + 1
    assert TextEpisode.from_json(environment.state.episode).value() == 1


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_openenvs_client_plays_over_loopback(suite, rows):
    ours = adapter("openenv")
    import uvicorn
    from openenv import GenericEnvClient

    config = uvicorn.Config(ours.serve(suite.path), port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as one, \
             GenericEnvClient(base_url=f"http://127.0.0.1:{port}").sync() as other:  # fmt: skip
            other.reset(question=rows[0]["sample"])
            begun = one.reset(question=rows[1]["sample"])
            assert begun.observation["question"] == rows[1]["sample"]
            assert "finished" in begun.observation["instructions"]
            found = [one.step({"text": text}) for text in [*plan_of(rows[1]), FINISH]]
            assert [each.reward for each in found] == [*[0.0] * len(plan_of(rows[1])), 1.0]
            assert [each.done for each in found] == [*[False] * len(plan_of(rows[1])), True]
            assert not other.step({"text": "Look around."}).done
    finally:
        server.should_exit = True
        thread.join()
