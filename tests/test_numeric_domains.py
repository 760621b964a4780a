"""The built-in domains with numbers and time: plans, questions, drawings, episodes, refusals."""

import json
from random import Random

import pytest
from commands import done, status
from small import NUMERIC, TEMPORAL

from plangauge import Response, Suite, score, simulate, validate
from plangauge.core.errors import PlannerError, ProblemError, Unsupported
from plangauge.core.model import Plan
from plangauge.domains.base import DOMAINS
from plangauge.domains.draw import draw
from plangauge.domains.say import say_goal
from plangauge.episodes import Episode
from plangauge.integrations.environments import TextEpisode
from plangauge.integrations.rewards import Reward, suite_rows
from plangauge.planners import Limits, Pddl, solve
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.tasks import TASKS

TASKS_WITH_NUMBERS = (
    "applicability",
    "plan",
    "optimal-plan",
    "value",
    "executable",
    "first-failure",
    "verification",
    "acting",
)


def drawn(name, seed=0):
    domain = DOMAINS[name]
    text = domain.generate(Random(seed), **(NUMERIC | TEMPORAL)[name])
    return domain, domain.problem(text), text


def states_of(problem):
    """All states within 300, and how to get there by the fewest actions."""
    found = {problem.initial: 0}
    for state in (waiting := [problem.initial]):
        for action in problem.world.applicable(state):
            after = problem.world.successor(state, action)
            if after not in found and len(found) < 300:
                found[after] = found[state] + 1
                waiting.append(after)
    return found


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("seed", range(3))
def test_reference_plans_are_valid_and_shortest(name, seed, tmp_path, monkeypatch):
    monkeypatch.setenv("PLANGAUGE_CACHE", str(tmp_path))
    domain, problem, text = drawn(name, seed)
    pddl = Pddl(domain.pddl, text)
    for planner in ("auto", "breadth-first"):
        found = solve(pddl, planner)
        assert found.optimal
        assert validate(problem, found.plan).valid
        assert found.cost == len(found.plan)
    goal = problem.goals[0].conditions
    near = [n for state, n in states_of(problem).items()
            if all(problem.world.holds(state, part) for part in goal)]  # fmt: skip
    assert not near or min(near) == len(found.plan)
    with pytest.raises(PlannerError, match="no plan within 2 states"):
        solve(pddl, "breadth-first", Limits(states=2), references=2)


def test_jugs_without_a_plan_are_unsolvable(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANGAUGE_CACHE", str(tmp_path))
    domain, _, text = drawn("jugs")
    wrong = text[: text.index("(:goal")] + "(:goal (= (level jug0) 0.5)))"
    with pytest.raises(PlannerError, match="has no plan") as caught:
        solve(Pddl(domain.pddl, wrong))
    assert caught.value.unsolvable


@pytest.mark.parametrize("name", NUMERIC)
def test_suites_are_asked_and_scored(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PLANGAUGE_CACHE", str(tmp_path / "cache"))
    params = [word for key, n in NUMERIC[name].items() for word in ("--param", f"{key}={n}")]
    suite = tmp_path / "suite"
    done("generate", name, *params, "--tasks", ",".join(TASKS_WITH_NUMBERS), "--count", 2,
         "--steps", 2, "-o", suite, "-q")  # fmt: skip
    samples = [*Suite.load(suite)]
    assert {sample.task for sample in samples} >= {f"{t}-v1" for t in ("plan", "value")}
    done("answer", suite, "--baseline", "truth", "-o", tmp_path / "truth.jsonl", "-q")
    for line in (tmp_path / "truth.jsonl").read_text().splitlines():
        row = json.loads(line)
        sample = next(each for each in samples if each.id == row["id"])
        if sample.task != "acting-v1":
            record = score(sample, Response(sample.id, row["response"]))
            assert record.scores[TASKS[sample.task].binary] == 1, (sample.id, row, record)


@pytest.mark.parametrize("name", NUMERIC)
def test_rewards_and_environments_know_numbers(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PLANGAUGE_CACHE", str(tmp_path / "cache"))
    chosen = [DomainSpec.of(name, NUMERIC[name])]
    suite = build_suite(tmp_path / "s", chosen, Request(2, tasks=("plan", "acting")))
    reward = Reward()
    for row in suite_rows(suite):
        plan = json.loads(row["info"]["question"])["references"][0]
        if "acting" in row["info"]["question"]:
            episode = TextEpisode(row["info"])
            assert [episode.act(text).reward for text in [*plan, "I am finished."]][-1] == 1
            if len(plan) > 1:
                step = TextEpisode(row["info"]).act(plan[-1])
                assert "I cannot" in step.observation
                assert step.reward == 0
        else:
            right, cut, empty = reward(
                prompts=[""] * 3,
                completions=["\n".join(plan), "\n".join(plan[:-1]), ""],
                info=[row["info"]] * 3,
            )
            assert right == 1 > cut >= empty


@pytest.mark.parametrize("name", NUMERIC)
def test_values_are_those_that_the_execution_gives(name):
    task = TASKS["value-v1"].over(3)
    for seed in range(5):
        _, problem, _ = drawn(name, seed)
        question = task.ask(problem, Random(seed))
        if question is None:
            continue
        run = simulate(problem, Plan.of(*question.actions))
        facts = {str(fact) for fact in problem.world.facts(run.states[-1])}
        assert f"(= {question.options[0]} {question.truth})" in facts
        assert task.judge(question, f"It is {question.truth}.").scores["exact"] == 1
        assert task.judge(question, f"It is {question.truth + 1}.").scores["exact"] == 0
        with pytest.raises(ProblemError, match="a function term that has a value"):
            task.question(problem, question.actions, options=("(temper van)",))


@pytest.mark.parametrize("name", [*NUMERIC, *TEMPORAL])
def test_all_states_are_drawn_and_every_object_once(name):
    _, problem, _ = drawn(name)
    for state in [*states_of(problem)][:40]:
        text = draw(problem.world, problem.world.facts(state), 100)
        words = text.replace("[", " ").replace("]", " ").split()
        for thing in problem.world.objects:
            assert words.count(thing) == 1, (thing, text)
    assert draw(problem.world, [], 100) is None or name == "bakery"


def test_goals_with_numbers_are_said_in_words():
    domain, problem, _ = drawn("jugs")
    assert "The level of jug" in say_goal(domain, problem)
    assert "(=" not in say_goal(domain, problem)


def test_episodes_say_what_is_missing():
    domain = DOMAINS["van"]
    problem = domain.problem(
        "(define (problem p) (:domain van) (:objects a b - place x - parcel) (:init (van-at a)"
        " (at x b) (= (fuel) 3) (= (tank) 5) (= (cargo) 0) (= (limit) 2) (= (weight x) 2.5)"
        " (= (needs a b) 3) (= (needs b a) 3)) (:goal (at x a)))"
    )
    episode = Episode.start(problem, domain.words).reply("drive from a to b")
    for said, message in (("load x at b", "0.5 too much"), ("(drive b a)", "3 too little")):
        episode = episode.reply(said)
        assert message in episode.observation
        assert episode.turns[-1].acts[0].fault == "insufficient"


def test_the_temporal_domain_is_validated_and_otherwise_refused(tmp_path, capsys):
    domain, problem, _ = drawn("bakery")
    assert validate(problem, "").goal_reached is False
    suite = ("generate", "bakery", "--tasks", "plan", "-o", tmp_path / "s")
    for words in (suite, ("play", "bakery")):
        assert status(*words) == 2
        assert "durative actions" in capsys.readouterr().err
    with pytest.raises(Unsupported, match="durative actions"):
        Episode.start(problem, domain.words)


def test_a_task_that_does_not_know_numbers_says_which_do(tmp_path, capsys):
    assert status("generate", "van", "--tasks", "state-tracking", "-o", tmp_path / "s") == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "state-tracking-v1 is not supported with numbers; these tasks are: " in message
    for task in TASKS_WITH_NUMBERS[:-1]:
        assert f"{task}-v1" in message


@pytest.mark.parametrize("name", [*NUMERIC, *TEMPORAL])
def test_describe_says_every_action_and_refuses_them_as_published(name, capsys):
    done("describe", name)
    said = capsys.readouterr().out
    for action in DOMAINS[name].declarations.schemas:
        assert f'Once I apply the action "{action}"' in said
    assert status("describe", name, "--as-published") == 2
    assert "not supported with" in capsys.readouterr().err


@pytest.mark.parametrize("name", NUMERIC)
def test_verification_reads_comparisons_of_numbers(name):
    domain, problem, text = drawn(name, 2)
    plans = [solve(Pddl(domain.pddl, text)).plan]
    task, compared = TASKS["verification-v1"], 0
    for seed in range(20):
        question = task.ask(problem, Random(seed), plans)
        scores = task.judge(question, task.written(question, question.truth)).scores
        assert (scores["diagnosis"], scores["explained"]) == (1, 1)
        unmet = question.truth.get("unmet", [])
        if any(term[1] in "<>=" for term in unmet):
            compared += 1
            spaced = task.written(question, question.truth).replace("(", "( ").upper()
            assert task.judge(question, spaced).scores["facts"] == 1
            fewer = task.judge(question, "[invalid, (= (level nothing) 3)]").scores
            assert (fewer["verdict"], fewer["facts"]) == (1, 0)
    assert compared or name != "jugs"
