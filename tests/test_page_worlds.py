"""The report page for households, and for episodes: what is touched, and what is done in turn."""

from __future__ import annotations

import behavior_data
import pytest
import virtualhome_data

pytest.importorskip("vl_convert")

from page_runs import material, responses

from plangauge.baselines import answers
from plangauge.batch.suite import score_suite
from plangauge.reports.page import make_page, trajectories
from plangauge.sources import import_source
from plangauge.suites import Suite
from plangauge.suites.build import Chosen, Request, build_suite
from plangauge.suites.files import as_line
from plangauge.tasks.base import TASKS


def scored(suite, folder, names):
    """Return the run of some baselines."""
    files = []
    for name in names:
        rows = [as_line({"id": a.sample, "response": a.text}) for a in answers(suite, name)]
        files.append(folder / f"{name}.jsonl")
        files[-1].write_bytes(b"".join(rows))
    return score_suite(suite, files, folder / "run")


@pytest.mark.parametrize(
    ("world", "made"), [("virtualhome", virtualhome_data), ("behavior", behavior_data)]
)
def test_of_a_household_what_the_plan_touches_is_shown(tmp_path, world, made):
    data = made.write_data(tmp_path / "data")
    suite = import_source(world, data, tmp_path / "suite").suite
    run = scored(suite, tmp_path, ["truth", "random-applicable", "everything"])
    shown = 0
    for ident, _, told, about, problem in responses(make_page([run], material(run)).data):
        if "action-sequencing" not in ident or told["notes"]["fault"] == "parsing":
            continue
        assert problem["start"] is None
        if told["notes"]["fault"] and told["notes"]["step"] is None:
            assert told["run"] is None  # with a wrong name in it, nothing of it is executed
            continue
        shown += 1
        touched = set(told["run"]["touched"])
        named = {arg for term in told["read"] for arg in term[1:-1].split()[1:]}
        assert touched <= named
        for fact in told["run"]["start"]:
            assert touched & set(fact[1:-1].split())
        failed = [frame for frame in told["run"]["frames"] if "fault" in frame]
        fault = told["notes"].get("fault")
        assert fault in (None, *(frame["fault"] for frame in failed))
        reference = (about["references"] or [None])[0]
        assert reference is None or reference["reached"]
    assert shown > 0


def test_an_episode_is_shown_as_it_was_played(tmp_path):
    chosen = [Chosen.of("blocksworld", {"blocks": 4})]
    suite = build_suite(tmp_path / "suite", chosen, Request(count=2, tasks=("acting-v1",)))
    assert isinstance(suite, Suite)
    rows = []
    for sample in suite:
        question = sample.question()
        task = TASKS[sample.task]
        wrong = [sample.truth[0], sample.truth[0], *sample.truth[1:]]
        rows.append(as_line({"id": sample.id, "response": task.written(question, wrong)}))
    (tmp_path / "m.jsonl").write_bytes(b"".join(rows))
    run = score_suite(suite, [tmp_path / "m.jsonl"], tmp_path / "run")
    for _, _, told, about, _ in responses(make_page([run], material(run)).data):
        frames = told["run"]["frames"]
        assert [frame["does"] for frame in frames] == [[term] for term in told["read"]]
        assert ["fault" in frame for frame in frames][:3] == [False, True, False]
        assert frames[1]["message"]
        assert frames[1]["unmet"]
        assert told["run"]["reached"] == (told["scores"]["goal_share"] == 1)
        assert about["references"][0]["valid"]


def test_of_a_large_world_only_what_is_touched_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(trajectories, "MOST_FACTS", 5)
    chosen = [Chosen.of("blocksworld", {"blocks": 6})]
    suite = build_suite(tmp_path / "suite", chosen, Request(count=2, tasks=("plan-v1",)))
    run = scored(suite, tmp_path, ["truth"])
    for _, _, told, _, problem in responses(make_page([run], material(run)).data):
        assert (problem["start"], problem["objects"], problem["drawing"]) == (None, {}, None)
        touched = {arg for term in told["read"] for arg in term[1:-1].split()[1:]}
        assert told["run"]["touched"] == sorted(touched)
        assert all(touched & set(fact[1:-1].split()) for fact in told["run"]["start"])
