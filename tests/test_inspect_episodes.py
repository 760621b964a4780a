"""Episodes in Inspect: played by text or tools until they are over, and scored by replay."""

from __future__ import annotations

import pytest

pytest.importorskip("inspect_ai")

from inspect_players import best, model
from small import SMALL

from plangauge.integrations.inspect.tasks import suite_at
from plangauge.records import Response, score
from plangauge.suites.build import Chosen, Request, build_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    chosen = [Chosen.of(name, params) for name, params in SMALL.items()]
    request = Request(count=1, tasks=("acting-v1",))
    return build_suite(tmp_path_factory.mktemp("acting") / "suite", chosen, request)


def run(task, player, logs, **options):
    from inspect_ai import eval as run_eval

    return run_eval(task, model=model(player), log_dir=str(logs), display="none", **options)[0]


@pytest.mark.parametrize("protocol", ["text", "tools"])
def test_who_knows_the_plan_reaches_the_goal_in_every_domain(suite, protocol, tmp_path):
    task = suite_at(path=str(suite.path), protocol=protocol)
    plans = {sample.prompt: sample.references[0] for sample in suite}
    player = best(plans, tools=protocol == "tools")
    log = run(task, player, tmp_path)
    assert log.status == "success", log.error
    assert len(log.samples) == len(suite) == len(SMALL)
    for each in log.samples:
        record = score(suite[each.id], Response(each.id, each.output.completion))
        assert record.scores["no_mistakes"] == record.score == 1
        assert each.scores["record"].metadata["scores"] == record.scores
        assert each.metadata["episode"]["outcome"] == "solved"
        assert each.metadata["episode"]["protocol"] == protocol
