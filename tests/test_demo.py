"""The demonstration of the whole path: complete, reproducible, and without extras."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner
from sizes import sized

from plangauge.cli import cli
from plangauge.demo import walk
from plangauge.demo.walk import ANSWERERS, COUNT, DOMAINS
from plangauge.suites import Suite
from plangauge.tasks import general_tasks


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANGAUGE_CACHE", "")
        yield walk(tmp_path_factory.mktemp("walk"))


def test_every_task_domain_and_baseline_is_in_it(done):
    assert len(Suite.load(done.suite.path)) == COUNT * len(DOMAINS) * len(general_tasks())
    rows = {(row.model, row.task, row.domain) for row in done.table.rows}
    assert rows == {
        (model, task, domain)
        for model in ANSWERERS
        for task in general_tasks()
        for domain in (*DOMAINS, "(all)")
    }


def test_the_baselines_differ_in_strength(done):
    means = {
        row.model: row.mean
        for row in done.table.rows
        if (row.task, row.domain) == ("state-tracking-v1", "(all)")
    }
    assert means["greedy-planner"] == 1
    assert 0 < means["random-applicable"] < 1
    assert 0 < means["copy-state"] < 1


@sized("count", 1, COUNT)
def test_another_walk_leaves_the_same_files(count, tmp_path, monkeypatch):
    monkeypatch.setenv("PLANGAUGE_CACHE", "")
    monkeypatch.setattr(sys.modules["plangauge.demo.walk"], "COUNT", count)
    first, again = tmp_path / "first", tmp_path / "again"
    walk(first)
    walk(again)
    walk(again)  # over what is there
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file()) == files
    for file in files:
        if file.suffix != ".parquet":
            assert (again / file).read_bytes() == (first / file).read_bytes(), file


def test_the_command_says_each_step_and_shows_table_and_figure(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["plangauge.demo.walk"], "COUNT", 1)
    shown = CliRunner().invoke(cli, ["demo", "-o", str(tmp_path / "kept")])
    assert shown.exit_code == 0
    for part in ("$ plangauge generate blocksworld depots", "95% interval", "greedy-planner", "█"):
        assert part in shown.output
    assert (tmp_path / "kept" / "histogram.svg").read_text().startswith("<?xml")
    page = (tmp_path / "kept" / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "texts of responses are not shown" not in page
    rows = json.loads(CliRunner().invoke(cli, ["demo", "--json"]).output)["rows"]
    assert len(rows) == len(ANSWERERS) * len(general_tasks()) * 3


@pytest.mark.parametrize(
    ("library", "lacking"), [("matplotlib", "the figure"), ("scipy", "the page")]
)
def test_without_a_library_only_what_it_makes_is_missing(library, lacking, monkeypatch):
    monkeypatch.setattr(sys.modules["plangauge.demo.walk"], "COUNT", 1)
    monkeypatch.setitem(sys.modules, library, None)
    shown = CliRunner().invoke(cli, ["demo"])
    assert shown.exit_code == 0
    assert shown.output.count("left out; to have it: pip install 'plangauge[report]'") == 1
    assert f"{lacking} is left out" in shown.output
