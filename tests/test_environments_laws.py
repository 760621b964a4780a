"""Laws of training environments, in every domain that can be generated and in both households."""

from __future__ import annotations

import json
from itertools import zip_longest

import behavior_data
import pytest
import virtualhome_data
from sizes import chosen
from small import NUMERIC, TEMPORAL

from plangauge.benchmarks import import_source
from plangauge.core.errors import ProblemError
from plangauge.domains.base import DOMAINS
from plangauge.episodes import Policy
from plangauge.integrations.environments import TextEpisode
from plangauge.integrations.environments.text import FINISH, LOOK, OVER
from plangauge.integrations.environments.trl import PlanEnvironment
from plangauge.integrations.rewards import suite_rows
from plangauge.suites.build import DomainSpec, Request, build_suite

HOUSEHOLDS = ("behavior", "virtualhome")
PACKED = ["(LEFT_GRASP apple_3)", "(LEFT_PLACE_INSIDE carton_0)"]
"""A plan for the goal of the BEHAVIOR task here, which has no reference."""
PDDL = sorted(name for name, each in DOMAINS.items() if each.generator and name not in TEMPORAL)
NONSENSE = ["", "\x00\ud800", "((((", "{}", "🤖" * 50, LOOK, "I do nothing.", "unstack " * 50]


@pytest.fixture(scope="module", params=[*chosen(HOUSEHOLDS, 2), *chosen(PDDL, 3)])
def infos(request, tmp_path_factory):
    """Return the ``info`` of up to three questions of a world, which have a reference plan."""
    name, folder = request.param, tmp_path_factory.mktemp("laws")
    if name in HOUSEHOLDS:
        suite = import_source(name, household(name, folder / "d"), folder / "s").suite
    else:
        spec = DomainSpec.of(name, NUMERIC.get(name, {}))
        suite = build_suite(folder / "s", [spec], Request(count=2, tasks=("acting", "plan")))
    playable = [row["info"] for row in suite_rows(suite) if plan_of(row["info"])]
    assert playable
    return playable[:3]


def household(name, folder):
    if name == "virtualhome":
        return virtualhome_data.write_data(folder)
    facts, _, _ = behavior_data.PROBLEM.partition("(:goal")
    goal = "(:goal (inside apple.n.01_1 carton.n.02_1)))"
    return behavior_data.write_data(folder, problem=facts + goal)


def plan_of(info):
    """Return the reference plan of a question that can be played; None for others."""
    question = json.loads(info["question"])
    try:
        TextEpisode(info)
    except ProblemError:
        return None
    return (question["references"] or [question["truth"] or PACKED])[0]


def turns_of(info):
    return [FINISH, *NONSENSE, *plan_of(info), FINISH]


def test_the_reference_plan_earns_1_at_the_end(infos):
    for info in infos:
        episode, plan = TextEpisode(info), plan_of(info)
        assert [episode.act(text).reward for text in plan] == [0.0] * len(plan)
        assert episode.act(FINISH)[1:3] == (1.0, True)
        assert episode.value() == 1.0


@pytest.mark.parametrize("shaped", [False, True])
def test_a_replayed_episode_gives_the_same_numbers(infos, shaped):
    for info in infos:
        episode, again = (TextEpisode(info, shaped=shaped) for _ in range(2))
        for text in turns_of(info):
            half = TextEpisode.from_json(episode.to_json())
            assert episode.act(text) == half.act(text) == again.act(text)
        assert episode.result() == TextEpisode.from_json(episode.to_json()).result()


def test_reset_twice_is_reset_once(infos):
    once, twice = PlanEnvironment(), PlanEnvironment()
    for info in infos:
        twice.reset(info=info)
        twice.act(plan_of(info)[0])
        assert once.reset(info=info) == twice.reset(info=info) == twice.reset(info=info)
        for text in [LOOK, *plan_of(info)]:
            assert once.act(text) == twice.act(text)
        assert once.get_reward() == twice.get_reward()


def test_interleaved_episodes_do_not_mix(infos):
    episodes = [TextEpisode(info) for info in infos]
    mixed = [[] for _ in infos]
    for texts in zip_longest(*map(turns_of, infos)):
        for own, episode, text in zip(mixed, episodes, texts, strict=True):
            own.extend([] if text is None else [episode.act(text)])
    for info, own in zip(infos, mixed, strict=True):
        episode = TextEpisode(info)
        assert own == [episode.act(text) for text in turns_of(info)]


def survives(info, text, policy):
    episode, rewards = TextEpisode(info, policy), []
    while not episode.done:
        rewards.append(episode.act(text).reward)
        assert len(rewards) <= 1000
    assert episode.act(plan_of(info)[0])[:3] == (OVER, 0.0, True)
    assert sum(rewards) == episode.value() < 0.5


def test_any_text_is_survived_and_every_episode_ends(infos):
    for text in NONSENSE:
        survives(infos[0], text, Policy())


@pytest.mark.long
def test_a_megabyte_of_text_is_survived(infos):
    survives(infos[0], "a" * 1_000_000, Policy(step_limit=1))


def test_plans_with_times_are_refused(tmp_path):
    for name in TEMPORAL:
        request = Request(count=1, tasks=("plan",))
        suite = build_suite(tmp_path / name, [DomainSpec.of(name, TEMPORAL[name])], request)
        with pytest.raises(ProblemError, match="durative actions"):
            TextEpisode(next(suite_rows(suite))["info"])
