"""The report page as data: what it says is what the records say, and nothing in it can act."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter, defaultdict
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from itertools import combinations
from math import fsum

import pytest
from hypothesis import given
from hypothesis.strategies import dictionaries, integers, lists, sampled_from
from sizes import chosen

pytest.importorskip("vl_convert")

from page_runs import (
    HOSTILE,
    HOSTILE_MODEL,
    MODELS,
    blocks,
    material,
    responses,
    rows_of,
    write_unequal_run,
)

import plangauge
from plangauge.core.errors import ProblemError
from plangauge.core.model import Plan
from plangauge.reading.notations.actions import read_action
from plangauge.reading.result import Label, Reading, Span
from plangauge.reports.collect import collect
from plangauge.reports.comparison import compare
from plangauge.reports.outcomes import outcome
from plangauge.reports.overview import overview
from plangauge.reports.page import Material, comparisons, make_page, write
from plangauge.reports.page.chosen import choose, chosen_runs
from plangauge.reports.page.comparisons import baseline_of, chosen_pairs, shared_by
from plangauge.reports.page.html import SCRIPTS, asset, joined
from plangauge.reports.page.pack import Limits, cut_terms, matched_terms
from plangauge.reports.page.trajectories import Theatre, telling_words
from plangauge.reports.scores import Choice
from plangauge.reports.tables import cell, headings
from plangauge.scoring.records import Run
from plangauge.scoring.suite import score_suite
from plangauge.suites import Suite
from plangauge.suites.files import as_line
from plangauge.worlds.simulate import simulate

READING = import_module("plangauge.reports.page.details")


@pytest.fixture(scope="module")
def run(page_run):
    return page_run


def test_the_same_run_gives_the_same_page(run, page):
    assert make_page([run], material(run)).data == page.data


def test_the_table_is_the_overview(run, page):
    table, told = overview([run]), blocks(page.data)["content"]["overview"]
    assert told["headings"] == headings(table)
    assert [row["cells"] for row in told["rows"]] == [
        [cell(row, name) for name in headings(table)] for row in table.rows
    ]
    assert {row["domain"] for row in told["rows"]} == {"", "blocksworld", "depots", "ferry"}


def test_every_response_is_there_as_it_was_written(run, page):
    suite = material(run).suite(run)
    written = {
        (response.sample, response.model): response.text
        for response in material(run).responses(run)
    }
    found = {}
    for sample, model, told, about, _ in responses(page.data):
        found[sample, model] = told["text"]
        assert about["prompt"] == suite[sample].prompt
        assert about["truth"] == suite[sample].truth
    assert found == written
    assert (page.records, page.held, page.remarks) == (len(written), len(written), [])
    texts = {text for (_, model), text in found.items() if model == HOSTILE_MODEL}
    assert set(HOSTILE.values()) <= texts


def test_the_list_says_what_the_records_say(run, page):
    index = blocks(page.data)["index"]
    names, samples = index["names"], rows_of(index["samples"])
    told = Counter(
        (samples[row["sample"]]["id"], names["models"][row["model"]],
         names["outcomes"][row["outcome"]], row["score"])
        for row in rows_of(index["responses"])
    )  # fmt: skip
    records = Counter(
        (record.sample, record.model, outcome(record), round(record.score, 6)) for record in run
    )
    assert told == records


def test_runs_are_those_of_the_simulator(run, page):
    suite = material(run).suite(run)
    shown = 0
    for ident, _, told, about, problem in responses(page.data):
        question = suite[ident].question()
        world, static = question.problem.world, question.problem.world.static
        for texts, found in (
            (told["read"], told.get("run")),
            (about["truth"], (about["references"] or [None])[0]),
            (about["actions"], about["asked"]),
        ):
            if found is None:
                continue
            shown += 1
            plan = Plan.of(*map(read_action, texts))
            expected = simulate(question.problem, plan)
            state = set(problem["start"])
            assert state == {str(fact) for fact in world.facts(expected.states[0]) - static}
            for frame, after in zip(found["frames"], expected.states[1:], strict=False):
                assert "fault" not in frame
                state = state - set(frame.get("delete", ())) | set(frame.get("add", ()))
                assert state == {str(fact) for fact in world.facts(after) - static}
            failed = found["frames"][expected.prefix :]
            assert len(failed) == (not expected.executable)
            if failed:
                fault = expected.first_fault
                assert (failed[0]["fault"], failed[0]["message"]) == (fault.fault, fault.message)
                assert [each["until"] for each in failed[0]["unmet"]] == [
                    each.destroyed_at for each in fault.unmet
                ]
            last = [found["goal"], *(frame["goal"] for frame in found["frames"])][-1]
            assert last.count("0") == len(expected.progress.unsatisfied)
            assert found["valid"] == expected.valid
    assert shown > 100


def test_every_plan_that_was_read_has_a_run(page):
    for ident, _, told, _, _ in responses(page.data):
        if "plan" in ident and told["read"] is not None:
            assert told["run"] is not None


def test_what_plans_get_wrong_is_counted(page):
    mistakes = blocks(page.data)["content"]["mistakes"]
    invented = {row["name"]: row["n"] for row in mistakes["actions"] if row["domain"] == "depots"}
    assert set(invented) <= {"fly-to-moon", "unstack"}
    assert sum(row["n"] for row in mistakes["unmet"] if row["lost"]) > 0
    assert {row["model"] for row in mistakes["unmet"]} == {HOSTILE_MODEL}


def test_objects_that_do_not_exist_are_counted_once_for_each_plan(run, page):
    suite = material(run).suite(run)
    expected = Counter()
    for ident, model, told, _, _ in responses(page.data):
        if told.get("run") is None:
            continue
        sample = suite[ident]
        world = sample.question().problem.world
        actions = [read_action(term) for term in told["read"]]
        named = {arg for each in actions if each.name in world.schemas for arg in each.args}
        expected.update((model, sample.domain, arg) for arg in named - set(world.objects))
    rows = blocks(page.data)["content"]["mistakes"]["objects"]
    assert {(row["model"], row["domain"], row["name"]): row["n"] for row in rows} == expected
    assert {name for _, _, name in expected} == {"<img", "nothing"}


def test_pairs_are_counted_question_by_question(run, page):
    scores = defaultdict(dict)
    for record in run:
        scores[record.model, record.task][record.sample] = record.score
    pairs = blocks(page.data)["content"]["pairs"]
    primary = [p for p in pairs if p["kind"] == ("right" if "plan" in p["task"] else "graded")]
    assert len(primary) == 6 * 8
    for pair in primary:
        one, other = (scores[pair[side], pair["task"]] for side in ("one", "other"))
        ahead = sum(one[key] > other[key] for key in one)
        same = sum(one[key] == other[key] for key in one)
        assert (pair["n"], pair["ahead"], pair["same"]) == (len(one), ahead, same)
        assert pair["behind"] == len(one) - ahead - same
        difference = fsum(one[key] - other[key] for key in one) / len(one)
        assert pair["difference"] == pytest.approx(difference)
        assert pair["low"] is None or pair["low"] <= difference <= pair["high"]


def test_verdicts_are_those_of_compare_runs(run, page):
    scores = collect([run], questions=True)
    told = blocks(page.data)["content"]["pairs"]
    expected = compare(scores, "good", "half").as_dict()["rows"]
    found = [pair for pair in told if (pair["one"], pair["other"]) == ("good", "half")]
    assert [{key: pair[key] for key in expected[0]} for pair in found] == expected


def test_of_many_pairs_some_are_compared_and_it_says_so(run, monkeypatch):
    scores = collect([run], questions=True)
    assert len(chosen_pairs(scores)[0]) == 6
    assert chosen_pairs(scores)[1] == []
    for name, limit, kept in (("MOST_PAIRS", 2, 2), ("MOST_ANSWERS", 1, 1)):
        with monkeypatch.context() as patch:
            patch.setattr(comparisons, name, limit)
            pairs, remarks = chosen_pairs(scores)
            assert len(pairs) == kept
            assert remarks[0].startswith(f"{kept} of 6 pairs of models are compared")
            made = make_page([run], material(run))
        told = blocks(made.data)["content"]["pairs"]
        assert {(pair["one"], pair["other"]) for pair in told} == set(pairs)
        assert all("copy-state" not in pair for pair in pairs)  # a baseline comes last
        assert made.remarks == remarks


def test_what_must_be_known_about_intervals_stands_with_the_overview(run, page):
    told = blocks(page.data)["content"]["overview"]["caveats"]
    assert told == overview([run]).caveats()
    assert any("intervals and tests are rough" in text for text in told)


def test_models_that_were_asked_different_questions_are_remarked_on(run, page, tmp_path):
    assert blocks(page.data)["content"]["overview"]["remarks"] == []
    made = make_page([write_unequal_run(run, tmp_path)])
    (remark,) = blocks(made.data)["content"]["overview"]["remarks"]
    assert remark.startswith("not all models were asked the same questions of ")
    assert {"plan", "effects", "state-tracking"} <= set(remark.replace(",", "").split())
    assert remark in made.remarks


def test_shared_questions_are_counted_and_those_who_share_most_come_first(run, tmp_path):
    runs = [run, write_unequal_run(run, tmp_path)]
    asked = defaultdict(lambda: defaultdict(set))
    for each in runs:
        for record in each:
            asked[record.model][record.task].add(record.sample)
    found = shared_by(collect(runs, questions=True))
    expected = {}
    for one, other in combinations(asked, 2):
        both = {task: len(asked[one][task] & asked[other][task]) for task in asked[one]}
        expected[one, other] = {task: count for task, count in both.items() if count}
    places = {(pair.one, pair.other): pair.tasks for pair in found}
    assert {frozenset(pair): tasks for pair, tasks in places.items()} == {
        frozenset(pair): tasks for pair, tasks in expected.items() if tasks
    }
    order = [
        (sum(baseline_of(m) is not None for m in pair), -sum(tasks.values()))
        for pair, tasks in places.items()
    ]
    assert order == sorted(order)
    assert order[-1][0] == 1


def test_only_pairs_that_share_something_are_compared(run, tmp_path):
    made = make_page([write_unequal_run(run, tmp_path)])
    told = blocks(made.data)["content"]
    first = told["shared"][0]
    assert (first["one"], first["other"]) == MODELS[-2:]
    assert set(first["tasks"]) == {"state-tracking-v1", "effects-v1"}
    compared = {(pair["one"], pair["other"]) for pair in told["pairs"]}
    assert compared <= {(pair["one"], pair["other"]) for pair in told["shared"]}
    assert MODELS[-2:] in compared
    assert MODELS[:2] not in compared


@given(dictionaries(sampled_from("abcdef"), lists(sampled_from(["red", "a", "big", "x"]))))
def test_a_telling_word_is_of_one_phrase_only(words):
    phrases = {name: " ".join(phrase) for name, phrase in words.items()}
    found = telling_words(phrases, "abcdef")
    assert len({*found.values()}) == len(found)
    for name, word in found.items():
        others = [phrases.get(other, other) for other in "abcdef" if other != name]
        assert word in {*phrases[name].split(), phrases[name]}
        assert not any(word in {*other.split(), other} for other in others)


def test_what_is_drawn_is_called_as_the_prompt_calls_it(run):
    question = next(s for s in material(run).suite(run) if s.domain == "blocksworld").question()
    objects = [*question.problem.world.objects]
    phrases = {name: f"the block number {at}" for at, name in enumerate(objects)}
    told = Theatre(question.problem, phrases=phrases).about()
    assert told["called"] == {name: str(at) for at, name in enumerate(objects)}
    assert Theatre(question.problem, large=True, phrases=phrases).about()["called"] == {}


def test_baselines_are_those_that_the_samples_state(run, page):
    told = defaultdict(list)
    for record in run:
        if record.model == "good" and record.primary == "iou":
            for name, value in record.meta.get("baselines", {}).items():
                told[record.task, record.domain, name].append(value)
    marks = blocks(page.data)["content"]["marks"]
    found = {(m["task"], m["domain"], m["name"]): m["mean"] for m in marks if m["domain"]}
    assert found == pytest.approx({key: fsum(v) / len(v) for key, v in told.items()})
    assert {mark["score"] for mark in marks} == {"iou"}  # a plan's baseline is another score
    assert blocks(page.data)["content"]["baseline_models"] == {"copy-state": "copy-state"}


def test_the_policy_names_what_is_in_the_page_and_nothing_else(page):
    text = page.data.decode()
    head = text[: text.index("<body>")]
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", head, re.DOTALL)
    hashes = [
        f"'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'"
        for part in (style, *scripts)
    ]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', head)[1]
    assert policy == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src {hashes[0]}; script-src {hashes[1]} {hashes[2]}"
    )
    outside = re.sub(r"<(script|style)[^>]*>.*?</\1>", "", text, flags=re.DOTALL)
    assert set(re.findall(r"\s(?:src|href)\s*=\s*(\S+?)[\s>]", outside)) == {'"#main"'}
    assert HOSTILE_MODEL not in text
    assert "\x00" not in text


def test_scripts_make_no_markup_of_text():
    for name in SCRIPTS:
        text = asset(f"{name}.js")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|DOMParser"
            r"|createContextualFragment|srcdoc|fetch\(|XMLHttpRequest|import\(", text
        )  # fmt: skip
        assert text.count("\n") <= 400
        assert max(map(len, text.splitlines())) <= 100


def test_no_two_scripts_call_different_things_the_same():
    """They share one scope, where the later of two functions would win without a word."""
    served = (files("plangauge.reports.view") / "assets" / "asked.js").read_text()
    for source in ("", served):
        made = r"(?m)^(?:async function|function|const|let|class) (\w+)"
        names = Counter(re.findall(made, joined(source)))
        assert len(names) > 100
        assert [name for name, times in names.items() if times > 1] == []


def test_without_suite_and_texts_the_page_says_so(run, tmp_path, monkeypatch):
    made = make_page([run], Material())
    assert len(made.remarks) == 2
    assert "suite of run is not at hand" in made.remarks[0]
    assert "hostile.jsonl" in made.remarks[1]
    for _, _, told, about, problem in responses(made.data):
        assert (told["text"], problem, about.get("prompt")) == (None, None, None)
        assert told["scores"]


def test_only_what_has_the_hash_is_taken(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moved = tmp_path / "elsewhere" / "run"
    moved.parent.mkdir()
    for file in run.path.iterdir():
        moved.mkdir(exist_ok=True)
        (moved / file.name).write_bytes(file.read_bytes())
    other = Run.load(moved)
    (tmp_path / "good.jsonl").write_text('{"id": "x", "response": "something else"}\n')
    assert material(other).files == material(other).suites == {}
    here = run.path.parent
    named = Material.find([other], [here / "suite"], [here / "good.jsonl"])
    assert [*named.suites] == [run.manifest["suite"]["sha256"]]
    assert named.lacking(other) == ["half.jsonl", "copy-state.jsonl", "hostile.jsonl"]
    with pytest.raises(ProblemError, match=r"good\.jsonl: none of the runs was made of this file"):
        Material.find([other], [], [tmp_path / "good.jsonl"])


def test_a_page_with_little_room_holds_some_of_every_cell(run):
    chosen = chosen_runs([run], Choice())
    held = choose(collect([run], questions=True), 120)
    cells = Counter()
    for record in run:
        if (chosen[0].suite, record.sample) in held.samples:
            cells[record.task, record.domain] += 1
    assert held.held == sum(cells.values()) == 120
    assert len(cells) == 24
    assert set(cells.values()) <= {4, 8}
    made = make_page([run], material(run), most=120)
    assert (made.records, made.held) == (288, 120)
    assert "120 of 288 responses are held one by one" in made.remarks[0]
    told = blocks(made.data)["content"]
    assert sum(row["n"] for row in told["overview"]["rows"] if not row["domain"]) == 288
    assert len([*responses(made.data)]) == 120


@pytest.mark.parametrize("most", chosen([1, 3, 4, 9, 50, 95, 96, 287], 2))
def test_of_which_tasks_and_domains_some_are_held_is_said(run, most):
    made = make_page([run], material(run), most=most)
    index = blocks(made.data)["index"]
    cells = {(row["task"], row["domain"]) for row in rows_of(index["samples"])}
    told, which = made.remarks[0], blocks(made.data)["content"]["which"]
    assert which in told
    if most < 4:
        assert made.held == 0
        assert "no question has fewer than 4 answers" in told
    elif len(cells) == 24:
        assert most >= 96
        assert which == "of every task and domain some"
    else:
        assert which == f"of {len(cells)} of 24 pairs of a task and a domain"


def test_a_page_is_not_written_to_what_is_called_as_a_folder(page, tmp_path):
    with pytest.raises(ProblemError, match="the name of a folder"):
        page.write(f"{tmp_path}/report.html/")
    assert [*tmp_path.iterdir()] == []


def test_what_is_too_long_is_cut_and_counted(run, monkeypatch):
    monkeypatch.setattr(write, "Limits", partial(Limits, text=20))
    made = make_page([run], material(run))
    texts = {i: told["text"] for i, model, told, _, _ in responses(made.data) if model == "good"}
    whole = {r.sample: r.text for r in material(run).responses(run) if r.model == "good"}
    for ident, text in whole.items():
        cut = texts[ident]
        assert cut == (text if len(text) <= 20 else [text[:10], len(text) - 20, text[-10:]])
    for *_, about, _ in responses(made.data):
        assert isinstance(about["prompt"], str)  # prompts are alike and take little room
    assert made.remarks == []  # nothing had to be cut


def marked(told):
    """The parts of a response that are marked, as a script cuts them out."""
    text = told["text"]
    whole = text if isinstance(text, str) else text[0] + text[2]
    units = whole.encode("utf-16-le", "surrogatepass")
    for start, end, label in told["marks"] or ():
        assert 0 <= start < end <= len(units) // 2
        yield units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass"), label


def test_what_was_read_is_marked_in_the_response(page):
    seen = 0
    for sample, model, told, about, _ in responses(page.data):
        parts = [*marked(told)]
        if model == "good" and "plan" in sample:
            read = "".join(text for text, label in parts if label == "read")
            assert all(term.strip("()") in read for term in about["truth"])
            seen += 1
    assert seen > 10


def test_marks_are_those_of_the_reading_and_cut_with_the_text(run, monkeypatch):
    read = plangauge.read_answer

    def known(task, problem, text, *, words=None):
        found = read(task, problem, text, words=words)
        others = (Span(0, 4, Label.DRAFT),)
        return replace(found, used=((5, len(text) - 2),), others=others)

    monkeypatch.setattr(READING, "read_answer", known)
    whole = {(r.sample, r.model): r.text for r in material(run).responses(run)}
    for longest in (2_000_000, 20):
        monkeypatch.setattr(write, "Limits", partial(Limits, text=longest))
        for sample, model, told, *_ in responses(make_page([run], material(run)).data):
            text = whole[sample, model]
            if len(text) > 20:
                kept = [text[:10], text[-10:]] if longest == 20 else [text]
                read_ = [kept[0][5:], kept[1][:-2]] if longest == 20 else [text[5:-2]]
                wanted = [(text[:4], "draft"), *((part, "read") for part in read_)]
                assert [*marked(told)] == wanted


def test_what_reads_otherwise_than_it_was_scored_has_no_marks(run, monkeypatch):
    def other(task, problem, text, *, words=None):
        return Reading(("(no such-term)",), used=((0, 5),))

    monkeypatch.setattr(READING, "read_answer", other)
    found = make_page([run], material(run))
    assert not any(told["marks"] for _, _, told, *_ in responses(found.data))


def test_long_texts_are_cut_before_samples_are_left_out(run, monkeypatch):
    monkeypatch.setattr(write, "MOST_BYTES", 1)
    made = make_page([run], material(run))
    assert 0 < made.held <= 100
    whole = {(r.sample, r.model): r.text for r in material(run).responses(run)}
    for ident, model, told, _, _ in responses(made.data):
        text = whole[ident, model]
        if len(text) > 600:
            assert told["text"] == [text[:300], len(text) - 600, text[-300:]]
        else:
            assert told["text"] == text
    assert "of responses of more than 600 characters the middle is left out" in made.remarks[0]


def test_terms_that_are_too_many_are_counted():
    assert cut_terms({"positive": ["(p)"] * 5, "negative": []}, 2) == {
        "positive": ["(p)", "(p)", 3],
        "negative": [],
    }
    assert cut_terms(None, 2) is None


@given(lists(sampled_from("abcdefgh")), lists(sampled_from("abcdefgh")), integers(0, 9))
def test_answers_are_compared_before_they_are_cut(read, truth, longest):
    matched = matched_terms({"x": read}, {"x": truth, "y": None}, longest)
    assert (matched is None) == (max(len(read), len(truth)) <= longest)
    if matched is not None:
        expected = set(truth) & set(read), set(truth) - set(read), set(read) - set(truth)
        for terms, group in zip(matched["x"], expected, strict=True):
            shown = [term for term in terms if isinstance(term, str)]
            assert set(shown) <= group
            assert len(shown) == len(set(shown)) == min(longest, len(group))
            assert len(shown) + sum(terms[len(shown) :]) == len(group)


def test_records_can_be_chosen(run):
    choice = Choice(models=("good", "half"), tasks=("plan",), domains=("ferry",))
    made = make_page([run], material(run), choice)
    told = blocks(made.data)["content"]
    assert (told["models"], told["tasks"], told["domains"]) == (
        ["good", "half"], ["plan-v1"], ["ferry"]
    )  # fmt: skip
    assert made.records == 6
    measured = make_page([run], material(run), Choice(primary="f1", tasks=("applicability",)))
    table = blocks(measured.data)["content"]["overview"]["rows"]
    assert {row["score"] for row in table} == {"f1"}
    with pytest.raises(ProblemError, match="no model is named 'godd'"):
        make_page([run], material(run), Choice(models=("godd",)))


def test_models_of_the_same_name_and_repeated_responses_are_told_apart(run, tmp_path):
    suite = Suite.load(run.path.parent / "suite")
    idents = [sample.id for sample in suite][:2]
    rows = [{"id": i, "response": f"[] {n}", "model": "good"} for i in idents for n in (1, 2)]
    (tmp_path / "twice.jsonl").write_bytes(b"".join(map(as_line, rows)))
    from plangauge.scoring.suite import Policy

    policy = Policy(missing="skip", duplicates="all")
    again = score_suite(suite, [tmp_path / "twice.jsonl"], tmp_path / "again", policy)
    made = make_page([run, again], material(run, again))
    own = [(i, told["text"]) for i, model, told, _, _ in responses(made.data)
           if model == "good @ again"]  # fmt: skip
    assert own == [(ident, f"[] {n}") for ident in idents for n in (1, 2)]
    assert "good is in 2 runs and shown once for each" in made.remarks


def test_a_run_without_records_has_a_page(run, tmp_path):
    from plangauge.scoring.suite import Policy

    (tmp_path / "none.jsonl").write_text("")
    suite = Suite.load(run.path.parent / "suite")
    empty = score_suite(suite, [tmp_path / "none.jsonl"], tmp_path / "e", Policy(missing="skip"))
    assert make_page([empty], material(empty)).records == 0
