"""The report page in a real browser: what a reader does with it, and what an answer cannot do."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from importlib import import_module
from urllib.parse import quote, unquote

import pytest
from page_runs import (
    HOSTILE,
    HOSTILE_MODEL,
    MODELS,
    NEVER_IDLE,
    material,
    read_responses,
    write_episodes,
    write_runs_beside,
    write_unequal_run,
)
from sizes import LONG

import plangauge
from plangauge.episodes.transcript import read_text
from plangauge.reading.result import Label, Span
from plangauge.reports.outcomes import outcome
from plangauge.reports.overview import overview
from plangauge.reports.page import Material, make_page, trajectories, write
from plangauge.reports.page.pack import Limits
from plangauge.reports.scores import Choice
from plangauge.reports.tables import cell
from plangauge.scoring.suite import Policy, score_suite
from plangauge.suites.files import as_line
from plangauge.worlds.simulate import simulate

sync_api = pytest.importorskip("playwright.sync_api")

READING = import_module("plangauge.reports.page.details")
WINDOW = {"width": 1280, "height": 720}


@pytest.fixture(scope="module")
def run(page_run):
    return page_run


@pytest.fixture(scope="module")
def file(page, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "report.html"
    page.write(path)
    return path


@pytest.fixture(scope="module")
def unequal_file(run, tmp_path_factory):
    """A page about ten models that were asked different questions."""
    folder = tmp_path_factory.mktemp("unequal")
    made = write_unequal_run(run, folder)
    make_page([made], material(made)).write(folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def window(browser):
    """One page for all tests, whose figures are drawn when they are seen, and what it told."""
    page, seen = browser.new_page(), []
    page.add_init_script(NEVER_IDLE)
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("dialog", lambda dialog: seen.append(dialog.message))
    page.on("request", lambda request: seen.append(request.url))
    return page, seen


@pytest.fixture
def opened(window, file):
    """Open a page anew; in the end nothing may have been said, asked for, or gone wrong."""
    page, seen = window
    seen.clear()

    def leave():
        assert page.evaluate("window.hacked === undefined")
        page.goto("about:blank")

    def call(hash_="", file=file, color_scheme="light", viewport=WINDOW):
        leave()
        page.emulate_media(media="null", color_scheme=color_scheme)
        page.set_viewport_size(viewport)
        urls.add(file.as_uri())
        page.goto(f"{file.as_uri()}{hash_}")
        page.wait_for_selector("html[data-ready]")
        return page

    urls = {""}
    yield call
    page.evaluate("location.protocol === 'file:' && localStorage.clear()")
    leave()
    assert [what for what in seen if what.partition("#")[0] not in urls] == []


@pytest.fixture
def unequal(opened, unequal_file):
    page = opened(file=unequal_file)
    drawn(page)
    return page


def drawn(page):
    """Let all figures be drawn, as when there is nothing else to do."""
    page.evaluate("drawAll()")
    page.wait_for_selector("html[data-drawn]")


def address(sample, model, epoch=1):
    """Return the stable address of a response."""
    return f"#response={quote(sample)}/{quote(model, safe='')}/{epoch}"


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def axe(page):
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    told = axe_core.Axe().run(page, options={"resultTypes": ["violations"]})
    found = told.response["violations"]
    return [
        (each["id"], each["impact"], [node["html"] for node in each["nodes"][:3]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def test_the_table_is_sorted_by_what_is_clicked(opened, run):
    page = opened()
    rows = [row for row in overview([run]).rows if row.domain == "(all)"]
    page.get_by_role("combobox", name="Task").first.select_option("state-tracking-v1")
    rows = [row for row in rows if row.task == "state-tracking-v1"]
    column = "#overview tbody tr > :nth-child({})"
    assert Counter(texts(page, column.format(6))) == Counter(cell(row, "mean") for row in rows)
    for expected, reverse in (("descending", True), ("ascending", False)):
        page.locator("#overview").get_by_role("button", name="mean").click()
        means = [float(text) for text in texts(page, column.format(6))]
        assert means == sorted(means, reverse=reverse)
        head = page.locator("#overview th", has=page.get_by_role("button", name="mean"))
        assert head.get_attribute("aria-sort") == expected


def test_responses_are_filtered_by_everything(opened, run):
    page, records = opened(), [*run]
    found = page.locator("#responses [role=status]")

    def choose(**fields):
        page.get_by_role("button", name="Clear").click()
        for name, value in fields.items():
            field = page.locator(f"#responses [name={name}]")
            tag = field.evaluate("(field) => field.tagName")
            field.select_option(value) if tag == "SELECT" else field.fill(value)
        return int(found.inner_text().split(" of ")[1].split()[0])

    assert choose() == len(records) == 288
    assert choose(model="half", task="plan-v1") == 9
    assert choose(domain="ferry", model=HOSTILE_MODEL) == 24
    missed = sum(outcome(record) == "goal missed" for record in records)
    assert choose(outcome="goal missed") == missed > 0
    low = sum(0.2 <= record.score <= 0.6 for record in records)
    assert choose(least="0.2", most="0.6") == low > 0
    small = sum((record.meta.get("n_objects") or 0) <= 5 for record in records)
    assert choose(by="objects", largest="5") == small > 0
    told = sum(
        "fly-to-moon" in str(record.notes.get("message")) and record.task == "plan-v1"
        for record in records
    )
    assert choose(search="fly-to-moon PLAN-v1", task="plan-v1") == told > 0
    page.locator("#responses [name=search]").fill("there is no such thing")
    assert found.inner_text() == "No response fits."


def test_the_list_is_sorted_and_turned_over(opened):
    page = opened()
    page.locator("#responses").get_by_role("button", name="score", exact=True).click()
    scores = texts(page, "#responses tbody tr > :nth-child(5)")
    assert len(scores) == 50
    assert [*map(float, scores)] == sorted(map(float, scores))
    page.get_by_role("button", name="last").click()
    assert "251 to 288 of 288" in page.locator("#responses [role=status]").inner_text()
    last = texts(page, "#responses tbody tr > :nth-child(5)")
    assert float(last[0]) >= float(scores[-1])


def test_a_response_is_opened_from_the_table(opened):
    page = opened()
    page.locator("#overview a", has_text="9").first.click()
    page.wait_for_url("**/*#responses?*")
    first = page.locator("#responses tbody th a").first
    name = first.inner_text()
    first.press("Enter")
    page.wait_for_selector("#response h1")
    assert page.locator("#response h1").inner_text() == name
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.locator("#report").is_hidden()
    page.get_by_role("link", name="next").click()
    page.wait_for_selector("#response nav :text(' 2 of')")
    page.go_back()
    page.go_back()
    page.wait_for_selector("#report", state="visible")


def test_a_stable_address_leads_to_its_response(opened, run):
    suite = material(run).suite(run)
    for record in run:
        if record.model == "half" and record.task == "effects-v1":
            page = opened(address(record.sample, "half"))
            assert page.locator("#response h1").inner_text() == record.sample
            missing = set(suite[record.sample].truth["positive"]) - set(record.read["positive"])
            shown = set(texts(page, ".answer:first-of-type .missed code"))
            assert shown == missing
            page.reload()
            page.wait_for_selector("html[data-ready]")
            assert page.locator("#response h1").inner_text() == record.sample
            return
    pytest.fail("no such record")


def test_an_address_of_nothing_says_so(opened):
    page = opened("#response=nothing/%/1")
    assert page.locator("h1:visible").inner_text() == "No such response"


def test_a_link_is_read_however_it_was_escaped(opened, run):
    sample, mark = next(iter(run)).sample, run.manifest["suite"]["sha256"][:8]
    page = opened()
    link = page.locator("#responses tbody a").first
    page.locator("#responses [name=model]").select_option(HOSTILE_MODEL)
    own = link.get_attribute("href")
    assert unquote(own) == unquote(f"{address(sample, HOSTILE_MODEL)}?suite={mark}")
    everything = quote(own.removeprefix("#response="), safe="")
    plain = unquote(own.removeprefix("#response="))
    for text in (
        address(sample, HOSTILE_MODEL),
        f"#response={quote(sample, safe='')}/{quote(HOSTILE_MODEL, safe='')}/1",
        f"#response={quote(plain, safe='')}",
        f"#response={everything.replace('%25', '%')}",
    ):
        page = opened(text)
        assert page.locator("#response h1").inner_text() == sample
        assert "evil" in page.locator(".headline").inner_text()
        assert sample in page.title()


def test_a_link_made_for_another_suite_shows_no_response(opened, run):
    sample = next(iter(run)).sample
    page = opened(f"{address(sample, 'good')}?suite=01234567")
    assert page.locator("h1:visible").inner_text() == "No such response"
    assert "made for another suite" in page.locator("#response").inner_text()
    page.get_by_role("link", name="good, epoch 1").click()
    page.wait_for_selector(f"#response h1 :text-is('{sample}')")


def test_where_a_link_leads_nowhere_others_are_offered(opened, run):
    sample = next(iter(run)).sample
    page = opened(address(sample, "nobody"))
    assert page.title() == "No such response – three"
    offered = texts(page, "#response li a")
    assert [name.split(", ")[0] for name in offered[:3]] == ["good", "half", "copy-state"]
    assert len(offered) == 4


def test_going_back_one_is_where_one_was(opened):
    page = opened(viewport={"width": 1000, "height": 500})
    drawn(page)
    page.get_by_role("button", name="next").click()
    row = page.locator("#responses tbody tr").nth(30).locator("a")
    after = page.locator("#responses tbody a").nth(31)
    name, following = row.inner_text(), after.inner_text()
    row.click()
    page.wait_for_selector("#response h1")
    assert page.title() == f"{name}, {page.locator('.headline bdi').inner_text()} – three"
    page.go_back()
    sync_api.expect(row).to_be_focused()
    assert row.inner_text() == name
    assert page.title() == "three"
    page.wait_for_timeout(300)
    seen = row.bounding_box()["y"]
    assert 0 <= seen <= 480
    top = page.evaluate("scrollY")
    row.click()
    page.get_by_role("link", name="next").click()
    page.wait_for_selector(f"#response h1 :text-is('{following}')")
    page.get_by_role("link", name="all responses").click()
    sync_api.expect(after).to_be_focused()
    assert abs(page.evaluate("scrollY") - top) < 60
    page.locator("#responses tbody a").first.click()
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Faults").click()
    page.wait_for_timeout(1500)  # it is scrolled to little by little
    assert abs(page.locator("#faults").bounding_box()["y"]) < 150


def test_a_choice_that_this_page_does_not_have_is_named(opened):
    page = opened("#responses?model=nobody&task=plan-v1")
    assert page.locator("#responses [role=status]").inner_text() == "No response fits."
    chosen = page.locator("#responses [name=model]")
    assert (
        chosen.evaluate("select => select.selectedOptions[0].text") == "nobody (not in this page)"
    )
    page.get_by_role("button", name="Clear").click()
    assert "of 288" in page.locator("#responses [role=status]").inner_text()


def test_a_plan_is_walked_through_by_keyboard(opened, run):
    suite = material(run).suite(run)
    sample = next(s for s in suite if s.task == "plan-v1" and s.domain == "blocksworld")
    question = sample.question()
    world = question.problem.world
    run_ = simulate(question.problem, question.details[0].plan)
    page = opened(address(sample.id, "good"))
    own = page.locator(".trajectory").first
    own.locator(".plan").evaluate("box => { box.style.maxHeight = '3rem'; }")
    slider = own.get_by_role("slider")
    slider.focus()
    for number, state in enumerate(run_.states):
        if number:
            page.keyboard.press("ArrowRight")
        facts = {str(fact) for fact in world.facts(state) - world.static}
        shown = own.locator("h4", has_text="State:").locator("+ ul code").all_inner_texts()
        assert set(shown) == facts
        value = slider.get_attribute("aria-valuetext")
        step = f"Step {number - 1}: {run_.plan.actions[number - 1]}"
        assert value == (step if number else "Initial state")
        assert own.locator("svg.state").count() == 1
        reference = page.locator(".trajectory").nth(1).get_by_role("slider")
        assert reference.input_value() == str(number)  # both move together
    assert f"Goal: {len(run_.progress.satisfied)} of" in own.inner_text()
    box, now = own.locator(".plan").bounding_box(), own.locator("[aria-current]").bounding_box()
    assert box["y"] <= now["y"] <= now["y"] + now["height"] <= box["y"] + box["height"] + 1
    page.keyboard.press("Home")
    assert slider.get_attribute("aria-valuetext") == "Initial state"


def test_the_failing_step_names_what_destroyed_its_condition(opened, run):
    record = next(
        record
        for record in run
        if (record.task, record.model) == ("plan-v1", HOSTILE_MODEL)
        and "has not been since step" in str(record.notes["message"])
    )
    page = opened(address(record.sample, HOSTILE_MODEL))
    own = page.locator(".trajectory").first
    own.get_by_role("button", name="to the end").click()
    assert record.notes["message"] in own.locator(".fault").inner_text()
    own.locator(".fault").get_by_role("button").first.click()
    assert own.get_by_role("slider").input_value() == "1"
    assert own.locator(".terms .gone").count() > 0


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=LONG)])
def test_nothing_serious_is_wrong_for_those_who_cannot_see_it(opened, run, scheme):
    page = opened(color_scheme=scheme)
    drawn(page)
    for summary in page.locator("summary").all()[:6]:
        summary.click()
    assert axe(page) == []
    sample = next(r.sample for r in run if r.task == "plan-v1" and r.model == HOSTILE_MODEL)
    page = opened(address(sample, HOSTILE_MODEL), color_scheme=scheme)
    page.locator(".trajectory").first.get_by_role("button", name="to the end").click()
    assert axe(page) == []


def test_light_and_dark(opened):
    page = opened(color_scheme="dark")
    drawn(page)
    colour = "getComputedStyle(document.body).backgroundColor"
    label = "document.querySelector('#faults .chart svg text').getAttribute('fill')"
    page.wait_for_selector("#faults .chart svg text")
    dark = page.evaluate(colour), page.evaluate(label)
    page.get_by_role("combobox", name="Theme").select_option("light")
    assert page.evaluate(colour) == "rgb(255, 255, 255)" != dark[0]
    page.wait_for_selector(f"#faults .chart svg text:not([fill='{dark[1]}'])")
    page.get_by_role("combobox", name="Theme").select_option("")
    assert page.evaluate(colour) == dark[0]


def test_it_is_printed_with_its_figures(opened, run):
    page = opened(color_scheme="dark")
    drawn(page)
    assert page.locator(".chart:not(:has(svg))").count() == 0
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("header.top").is_hidden()
    label = page.locator("#faults .chart svg text").first
    assert label.evaluate("text => getComputedStyle(text).fill") == "rgb(28, 31, 36)"
    assert page.get_by_role("combobox", name="Side by side").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    printed = page.pdf()
    assert printed.startswith(b"%PDF-")
    assert len(printed) > 100_000


def test_each_figure_has_its_numbers_as_a_table(opened):
    page = opened()
    drawn(page)
    labels = page.eval_on_selector_all(
        ".chart", "all => all.map(each => [each.getAttribute('role'), each.ariaLabel])"
    )
    assert all(role == "img" and label for role, label in labels)
    box = page.locator("#distributions figure").first
    box.locator("summary").click()
    assert box.locator("tbody tr").count() == 20
    shares = box.locator("tbody tr > :nth-child(3)").all_inner_texts()
    assert sum(map(int, shares)) == 9


def test_it_opens_with_the_two_models_that_share_most(unequal):
    box = unequal.locator("#compare")
    one, other, task = (
        box.get_by_role("combobox", name=name) for name in ("One", "Other", "Problem by problem")
    )
    assert (one.input_value(), other.input_value()) == MODELS[-2:]
    assert texts(unequal, "#compare label:has-text('Problem by problem') option") == [
        "state-tracking (7 questions)", "effects (5 questions)"
    ]  # fmt: skip
    one.select_option("m2")
    other.select_option("m6")  # both were asked one question about plans
    assert task.locator("option").all_inner_texts() == ["plan (1 question)"]
    one.select_option("m0")
    other.select_option("m1")
    assert "m0 and m1 were asked no question in common" in box.inner_text()
    assert task.is_hidden()
    assert box.locator("table, svg").count() == 0


def test_with_the_table_stands_that_models_were_asked_different_questions(unequal, opened):
    told = unequal.locator("#overview .remark").inner_text()
    assert told.startswith("not all models were asked the same questions of")
    assert "not all models" not in unequal.locator("#notes").inner_text()
    unequal.locator("#overview .remark a").click()
    unequal.wait_for_function("location.hash === '#compare'")
    assert opened().locator("#overview .remark").count() == 0


def test_no_two_of_many_models_look_the_same(unequal):
    """The tenth would look like the second."""
    looks = unequal.eval_on_selector_all(
        "#sizes figure",
        "all => all.map(each => [...each.querySelectorAll('.role-legend-symbol path')].map("
        "path => ['fill', 'stroke', 'd'].map(key => path.getAttribute(key)).join(' ')))",
    )
    assert 3 in map(len, looks)  # of effects: the second, the ninth and the tenth
    for own in looks:
        assert len(set(own)) == len(own)


def test_what_rests_on_one_problem_is_hollow(unequal, opened):
    hollow = "#sizes path[fill='var(--paper)']"
    assert unequal.locator(hollow).count() > 0
    shown = unequal.locator(hollow).first
    assert shown.evaluate("path => getComputedStyle(path).fill") == "rgb(255, 255, 255)"
    page = opened()
    drawn(page)
    filled = page.locator("#sizes .mark-symbol.role-mark path:not([fill='var(--paper)'])")
    assert filled.count() > 0


def test_the_better_end_of_each_score_is_at_the_right(opened, run):
    page = opened()
    for row in page.locator("#overview tbody tr", has_text=HOSTILE_MODEL[:9]).all():
        assert row.locator("svg.lies").count() == 1
    places = {}
    for model in ("good", "half"):
        for task in ("plan", "state-tracking"):
            row = page.locator("#overview tbody tr").filter(
                has=page.locator(f"th:has-text('{model}') + td:text-is('{task}')")
            )
            places[model, task] = float(row.locator(".lies .mean").get_attribute("cx"))
    assert places["good", "plan"] == places["good", "state-tracking"] == 114
    assert places["half", "plan"] < 114 > places["half", "state-tracking"]
    plan = page.locator("#overview tbody tr").filter(
        has=page.locator("th:has-text('half') + td:text-is('plan')")
    )
    told = plan.locator(".lies").get_attribute("aria-label")
    assert "valid" in told


def test_wide_tables_have_the_width_of_the_window(opened):
    for width in (900, 1300, 2000):
        page = opened(viewport={"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        box = page.locator("#overview .wide")
        assert box.bounding_box()["width"] >= width - 80
        if width == 2000:
            assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_the_wide_tables_are_printed_across(opened):
    page = opened()
    drawn(page)
    printed = page.pdf(prefer_css_page_size=True)
    boxes = [
        tuple(map(float, box.split())) for box in re.findall(rb"/MediaBox \[([^\]]*)\]", printed)
    ]
    across = [wide > high for _, _, wide, high in boxes]
    assert across[0]
    assert not all(across)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 980, "height": 700})
    heights = page.eval_on_selector_all("#overview td", "all => all.map(each => each.offsetHeight)")
    assert max(heights) < 60


def test_what_is_amiss_is_said_in_words(unequal, opened):
    told = unequal.locator("#provenance").inner_text()
    assert "questions that a model has no answer to, counted for each model: not scored" in told
    assert "missing\n" not in told.split("amiss")[1]
    page = opened()
    assert "amiss" not in page.locator("#provenance").inner_text()


def test_a_citation_stands_once_and_baselines_name_their_score(opened, run):
    page = opened()
    told = page.locator("#distributions figure", has_text="good").first.inner_text()
    assert "baselines of IoU: " in told
    sample = next(record.sample for record in run if record.task == "plan-v1")
    page = opened(address(sample, "good"))
    shown = page.locator("#response").inner_text()
    assert "baselines of the share of the goal that holds" in shown


def test_blocks_are_labelled_as_the_prompt_calls_them(run, opened, monkeypatch, tmp_path):
    words = {}
    monkeypatch.setattr(
        trajectories,
        "telling_words",
        lambda _, objects: words.setdefault(
            tuple(objects), {name: f"colour{at}" for at, name in enumerate(objects)}
        ),
    )
    make_page([run], material(run), Choice(domains=("blocksworld",))).write(tmp_path / "r.html")
    sample = next(r.sample for r in run if (r.task, r.domain) == ("plan-v1", "blocksworld"))
    page = opened(address(sample, "good"), tmp_path / "r.html")
    page.wait_for_selector("#response h1")
    drawn = page.locator("svg.state").first
    objects = material(run).suite(run)[sample].question().problem.world.objects
    assert set(drawn.locator(".label").all_text_contents()) == {*words[tuple(objects)].values()}
    assert set(drawn.locator("g title").all_text_contents()) == {*objects}
    assert f"colour0 ({next(iter(objects))})" in drawn.get_attribute("aria-label")


def test_two_models_are_compared_either_way(opened):
    page = opened()
    box = page.locator("#compare")

    def row():
        cells = box.locator("table").first.locator("tr", has_text="state-tracking").first
        return cells.locator("td").all_inner_texts()

    box.get_by_role("combobox", name="One").select_option("good")
    box.get_by_role("combobox", name="Other").select_option("half")
    one = row()
    box.get_by_role("combobox", name="One").select_option("half")
    box.get_by_role("combobox", name="Other").select_option("good")
    other = row()
    assert one[3:6] == other[3:6][::-1]
    assert one[6:8] == other[6:8][::-1]
    assert one[8] == other[8].replace("-", "+")
    low, high = one[9].strip("[]").split(", ")
    assert float(low) < float(one[8]) < float(high)
    swapped = [text.translate(str.maketrans("+-", "-+")) for text in (high, low)]
    assert other[9] == f"[{', '.join(swapped)}]"
    assert one[3] == "9"
    assert "good is better than half by" in box.locator(".verdicts").inner_text()


def test_hostile_answers_stay_text(opened, run):
    answered = {r.sample: r.text for r in material(run).responses(run) if r.model == HOSTILE_MODEL}
    for name, text in HOSTILE.items():
        sample = next(ident for ident, own in answered.items() if own == text)
        page = opened(address(sample, HOSTILE_MODEL))
        box = page.get_by_role("region", name="The response")
        shown = box.evaluate("box => box.textContent")
        assert box.locator("img, script, a, svg").count() == 0
        assert page.locator("#response img, #response script").count() == 0
        assert HOSTILE_MODEL.split("\u202e")[0] in page.locator(".headline").inner_text()
        if name == "long":
            assert len(shown) == 20_000
            page.get_by_role("button", name="show all 1,000,000 characters").click()
            assert box.evaluate("box => box.textContent.length") == 1_000_000
        elif name in ("script", "markup", "link"):
            assert shown == text
        else:
            marks = box.locator(".control").all_inner_texts()
            hidden = {"direction": ["202E", "2066", "2069", "200F", "FEFF"],
                      "control": ["0000", "001B", "0007", "007F", "0085", "2028"],
                      "surrogate": ["D800", "DFFF"]}[name]  # fmt: skip
            assert marks == [f"U+{code}" for code in hidden]


def test_a_narrow_screen_is_wide_enough(opened, run):
    page = opened(viewport={"width": 390, "height": 800})
    drawn(page)
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 390
    sample = next(r.sample for r in run if r.task == "plan-v1" and r.domain == "depots")
    assert opened(address(sample, "good"), viewport={"width": 390, "height": 800}).evaluate(
        wide
    ) <= 390  # fmt: skip


def test_what_is_packed_is_what_was_said(opened, run):
    page = opened()
    counted = page.evaluate("document.querySelectorAll('#overview tbody tr').length")
    assert counted == sum(row.domain == "(all)" for row in overview([run]).rows)
    assert json.loads(page.evaluate("JSON.stringify(location.hash)")) == ""


def test_of_a_text_that_is_cut_beginning_and_end_are_shown(opened, run, tmp_path, monkeypatch):
    monkeypatch.setattr(write, "Limits", partial(Limits, text=20))
    make_page([run], material(run), Choice(models=("good",))).write(tmp_path / "cut.html")
    answer = max(
        (r for r in material(run).responses(run) if r.model == "good"), key=lambda r: len(r.text)
    )
    page = opened(address(answer.sample, "good"), tmp_path / "cut.html")
    page.wait_for_selector("#response h1")
    box = page.get_by_role("region", name="The response")
    assert box.evaluate("box => [...box.children].map(each => each.textContent)") == [
        answer.text[:10],
        f"… {len(answer.text) - 20:,} characters are not in this page …",
        answer.text[-10:],
    ]


def test_the_marks_in_a_response_are_seen_heard_and_explained(opened, run, tmp_path, monkeypatch):
    read = plangauge.read_answer

    def known(task, problem, text, *, words=None):
        found = read(task, problem, text, words=words)
        others = (Span(0, 1, Label.DRAFT), Span(2, 4, Label.REMARK))
        return replace(found, used=((5, len(text) - 1),), others=others)

    monkeypatch.setattr(READING, "read_answer", known)
    answer = next(r for r in material(run).responses(run) if r.model == "good")
    make_page([run], material(run)).write(tmp_path / "marks.html")
    page = opened(address(answer.sample, "good"), tmp_path / "marks.html")
    page.wait_for_selector("#response h1")
    box = page.get_by_role("region", name="The response")
    assert box.evaluate("box => box.textContent") == answer.text
    marks = box.locator("mark").evaluate_all("all => all.map(m => [m.textContent, m.title])")
    text = answer.text
    assert [mark for mark, _ in marks] == [text[0], text[2:4], text[5:-1]]
    assert [title.partition(":")[0] for _, title in marks] == ["draft", "remark", "read"]
    said = "mark => getComputedStyle(mark, mark.className === 'read' ? '::before' : '::after')"
    shown = box.locator("mark").evaluate_all(f"all => all.map(({said})).map(s => s.content)")
    assert [each.count("draft") + each.count("remark") + each.count("read") for each in shown] == [
        1, 1, 1
    ]  # fmt: skip
    legend = page.locator(".legend li").all_inner_texts()
    assert [each.partition(" ")[0] for each in legend] == ["read", "draft", "remark"]
    assert axe(page) == []


def test_models_may_be_called_as_members_of_objects(opened, run, tmp_path):
    names = ["constructor", "__proto__", "toString", "hasOwnProperty", "watch", "\u202eevil"]
    suite = material(run).suite(run)
    answered = [answer for answer in material(run).responses(run) if answer.model == "half"]
    rows = [
        as_line(
            {"id": answer.sample, "response": answer.text if number % 2 else "[]", "model": name}
        )
        for number, name in enumerate(names)
        for answer in answered
    ]
    (tmp_path / "m.jsonl").write_bytes(b"".join(rows))
    named = score_suite(suite, [tmp_path / "m.jsonl"], tmp_path / "named")
    make_page([named], Material()).write(tmp_path / "named.html")
    page = opened(file=tmp_path / "named.html")
    drawn(page)
    assert page.locator(".chart:not(:has(svg))").count() == 0
    assert page.locator("#report .bad:not(.outcome)").count() == 0
    assert page.locator(".badge").count() == 0
    shown = [name.replace("\u202e", "⟨U+202E⟩") for name in names]
    for legend in page.locator("#sizes .chart").all():
        assert {*legend.locator(".role-legend-label text").all_text_contents()} == {*shown}
    bars = page.locator("#faults .chart").first.locator(".role-axis-label text").all_text_contents()
    assert set(shown) <= set(bars)
    page.get_by_role("combobox", name="One").select_option(index=5)
    page.wait_for_selector("#compare .panels th:nth-child(2) :text('⟨U+202E⟩evil')")
    assert "\u202e" not in page.locator("body").inner_text()


def test_what_cannot_be_shown_is_said_in_its_place(browser, run, tmp_path, monkeypatch):
    monkeypatch.setattr(trajectories.Theatre, "run", lambda _theatre, _run: {"frames": None})
    make_page([run], material(run)).write(tmp_path / "broken.html")
    page = browser.new_page()
    page.add_init_script(
        """let real, drawn = 0;
        Object.defineProperty(window, "plangaugeCharts", {
          set: (given) => { real = given; },
          get: () => (...given) => {
            if (drawn++ % 3 === 1) throw new Error("for <once>");
            return real(...given);
          },
        });"""
    )
    page.goto((tmp_path / "broken.html").as_uri())
    page.wait_for_selector("html[data-drawn]")
    told = texts(page, ".chart:not(:has(svg))")
    figures = page.locator(".chart").count()
    assert told == ["This cannot be shown: for <once>"] * len(told)
    assert figures / 3 - 1 < len(told) <= figures / 3 + 1
    sample = next(r.sample for r in run if r.task == "plan-v1")
    page.goto(f"{(tmp_path / 'broken.html').as_uri()}{address(sample, 'good')}")
    page.wait_for_selector("#response h1")
    assert page.locator("#response > .bad").inner_text().startswith("This cannot be shown:")
    assert page.get_by_role("region", name="The prompt").count() == 1
    page.close()


def test_all_figures_are_drawn_without_idle_callbacks(browser, file):
    page = browser.new_page()
    page.add_init_script("delete window.requestIdleCallback")
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-drawn]")
    assert page.locator(".chart:not(:has(svg))").count() == 0
    page.close()


def test_of_a_missing_response_nothing_is_said_of_how_it_was_read(opened, run, tmp_path):
    (tmp_path / "none.jsonl").write_text("")
    none = score_suite(material(run).suite(run), [tmp_path / "none.jsonl"], tmp_path / "none")
    record = next(record for record in none if record.task == "plan-v1")
    make_page([none], Material()).write(tmp_path / "none.html")
    page = opened(address(record.sample, record.model), tmp_path / "none.html")
    page.wait_for_selector("#response h1")
    assert "There is no response." in page.locator("#response").inner_text()
    assert "found as" not in page.locator("#response").inner_text()


def test_steps_are_counted_from_0_everywhere(opened, run):
    sample = next(r.sample for r in run if r.task == "plan-v1")
    page = opened(address(sample, "good"))
    starts = page.eval_on_selector_all("#response ol", "all => all.map(each => each.start)")
    assert len(starts) == 4
    assert set(starts) == {0}


def test_of_an_answer_that_is_cut_the_right_terms_are_not_missing(opened, run, tmp_path):
    suite = material(run).suite(run)
    sample = next(s for s in suite if s.task == "applicability-v1" and len(s.truth) > 1)
    invented = [f"(invented-{number} a)" for number in range(6_000)]
    row = {"id": sample.id, "response": f"[{', '.join([*invented, *sample.truth])}]"}
    (tmp_path / "long.jsonl").write_bytes(as_line(row))
    policy = Policy(missing="skip")
    long = score_suite(suite, [tmp_path / "long.jsonl"], tmp_path / "long", policy)
    assert next(iter(long)).scores["recall"] == 1
    found = Material.find([long], [suite.path], read=read_responses)
    make_page([long], found).write(tmp_path / "long.html")
    page = opened(address(sample.id, "long"), tmp_path / "long.html")
    page.wait_for_selector("#response h1")
    box = page.locator(".answer")
    assert texts(box, "h3") == [f"In both: {len(sample.truth)}", "Missing: 0", "Extra: 6,000"]
    assert set(texts(box, ".both code")) == set(sample.truth)
    assert box.locator(".extra").count() == 5_000
    assert "… and 1,000 more" in box.inner_text()


def test_a_single_answer_to_a_single_question_has_a_page(opened, run, tmp_path):
    """Nothing has an interval, nothing can be compared, and no figure has two points."""
    choice = Choice(models=("good",), tasks=("state-tracking",), domains=("ferry",))
    made = make_page([run], material(run), choice, most=1)
    made.write(tmp_path / "one.html")
    page = opened(file=tmp_path / "one.html")
    drawn(page)
    assert "There is only one model" in page.locator("#compare").inner_text()
    assert page.locator("#responses tbody tr").count() == 1
    assert page.locator("#notes li").first.inner_text().startswith("1 of 3 responses")


def test_an_episode_is_read_turn_by_turn(opened, tmp_path):
    run = write_episodes(tmp_path)
    make_page([run], material(run)).write(tmp_path / "report.html")
    record = next(iter(run))
    (text,) = (r.text for r in material(run).responses(run) if r.sample == record.sample)
    page = opened(address(record.sample, "m"), tmp_path / "report.html")
    page.wait_for_selector("#response h1")
    turns = read_text(text).turns
    rows = page.locator("table.turns tbody tr")
    assert rows.count() == len(turns)
    for number, turn in enumerate(turns):
        head, said, read, told = rows.nth(number).locator("th, td").all()
        assert (head.inner_text(), said.inner_text()) == (str(number), turn.text)
        assert told.inner_text() == (turn.observation or "(empty)")
        assert ("✘ mistake" in read.inner_text()) == turn.mistaken
        assert (rows.nth(number).get_attribute("class") == "mistaken") == turn.mistaken
    failed = [act for turn in turns for act in turn.acts if not act.executed]
    tried = sum(len(turn.acts) for turn in turns)
    summary = page.locator(".trajectory").first.locator("p").first.inner_text()
    assert f"{len(failed)} of {tried} actions could not be executed; " in summary
    assert "it can be executed" not in page.locator("#response").inner_text()
    assert "The transcript, as it was written" in texts(page, "#response h2")
    if turns[-1].goal:
        assert summary.endswith("it reaches the goal")
    assert axe(page) == []
    page.goto(f"{(tmp_path / 'report.html').as_uri()}#faults")
    page.wait_for_selector("#faults")
    assert "No condition failed" not in page.locator("#faults").inner_text()


@pytest.fixture(scope="module")
def joint(run, tmp_path_factory):
    """A page of two runs of one suite, and one of another, with models of the same name."""
    folder = tmp_path_factory.mktemp("joint")
    runs = write_runs_beside(run, folder)
    make_page(runs, material(*runs)).write(folder / "report.html")
    return folder / "report.html", runs


def shown_at(opened, file, link):
    """Return the heading, the headline and the rest that a link leads to."""
    page = opened(link, file)
    page.wait_for_selector("#response h1")
    head = page.locator("#response h1").inner_text()
    line = page.locator(".headline").all_inner_texts()
    return head, (line or [""])[0], page.locator("#response").inner_text()


def test_a_link_made_with_other_runs_is_followed_where_one_response_fits(opened, joint, file):
    joint_file, (run, _, other) = joint
    sample, mark = next(iter(run)).sample, run.manifest["suite"]["sha256"][:8]
    ours, theirs = next(iter(other)), other.manifest["suite"]["sha256"][:8]
    assert ours.sample == sample  # different questions of the same name
    found = shown_at(opened, joint_file, f"{address(sample, 'good')}?suite={theirs}")
    assert found[0] == sample
    assert found[1].endswith("good @ other")
    assert "The link calls the model otherwise" in found[2]
    found = shown_at(opened, joint_file, f"{address(sample, 'good @ other')}?suite={theirs}")
    assert "The link calls the model otherwise" not in found[2]
    # Of two runs of one suite nothing tells which is meant.
    found = shown_at(opened, joint_file, f"{address(sample, 'good')}?suite={mark}")
    assert found[0] == "No such response"
    assert "only some" not in found[2]
    assert "good @ run, epoch 1" in found[2]
    # The other way round: the run stands behind the name in the link.
    found = shown_at(opened, file, f"{address(sample, 'good @ run')}?suite={mark}")
    assert (found[0], found[1].split()[-1]) == (sample, "good")
    for model, epoch, suite in (("good @ run", 1, theirs), ("good @ run", 2, mark),
                                ("goo @ run", 1, mark)):  # fmt: skip
        link = f"{address(sample, model, epoch)}?suite={suite}"
        assert shown_at(opened, file, link)[0] == "No such response"


def test_a_page_that_holds_some_says_so_of_links(opened, run, tmp_path):
    make_page([run], material(run), most=40).write(tmp_path / "some.html")
    found = shown_at(opened, tmp_path / "some.html", address("nothing", "good"))
    assert "but only some of all responses" in found[2]


def test_what_is_chosen_stays_in_the_address(opened):
    page = opened()
    status = page.locator("#responses [role=status]")
    page.locator("#responses [name=model]").select_option("half")
    page.locator("#responses [name=task]").select_option("plan-v1")
    page.locator("#responses [name=most]").fill("0.9")
    page.locator("#responses [name=search]").fill("a & b")
    page.locator("#responses [name=search]").fill("ferry")
    told = status.inner_text()
    wanted = "#responses?model=half&task=plan-v1&most=0.9&search=ferry"
    assert page.evaluate("location.hash") == wanted
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert status.inner_text() == told != "No response fits."
    assert page.locator("#responses [name=search]").input_value() == "ferry"
    page.locator("#responses tbody a").first.click()
    page.wait_for_selector("#response h1")
    page.get_by_role("link", name="all responses").click()
    assert page.evaluate("location.hash") == wanted
    assert status.inner_text() == told
    page.get_by_role("button", name="Clear").click()
    assert page.evaluate("location.hash") == "#responses"
    assert "of 288" in status.inner_text()


def test_what_an_address_says_in_vain_is_said(opened):
    page = opened("#responses?least=abc&most=0.5&nix=1&by=length-of-hair&domain=ferry")
    alert = page.locator("#responses [role=alert]")
    expected = "Of the address this is not understood: least=abc, nix=1, by=length-of-hair."
    assert alert.inner_text() == expected
    assert page.locator("#responses [name=most]").input_value() == "0.5"
    assert page.locator("#responses [name=domain]").input_value() == "ferry"
    page.locator("#responses [name=search]").fill("x")
    assert alert.inner_text() == ""
    page = opened("#responses?task=plan")
    assert page.locator("#responses [name=task]").input_value() == "plan-v1"
    assert page.locator("#responses [role=alert]").inner_text() == ""
    page = opened("#nix")
    assert page.locator("#nowhere").inner_text() == "This page has no “nix”."
    page = opened("#faults")
    assert page.locator("#nowhere").count() == 0
