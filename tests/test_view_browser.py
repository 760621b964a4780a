"""The served page in a real browser: the same page, which asks for what it shows."""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote

import pytest
from page_runs import HOSTILE, HOSTILE_MODEL, NEVER_IDLE, material

from plangauge.reports.outcomes import outcome
from plangauge.reports.view import Site, serving

pytest.importorskip("duckdb")
sync_api = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def run(page_run):
    return page_run


@pytest.fixture(scope="module")
def served(run, tmp_path_factory):
    site = Site([run], tmp_path_factory.mktemp("site"), material(run))
    with serving(site) as found:
        yield found
    site.close()


@pytest.fixture
def opened(browser, served):
    """Open the page; in the end nothing was said, went wrong, or was asked of anybody else."""
    seen, asked = [], []
    with browser.new_page() as page:
        page.add_init_script(NEVER_IDLE)
        page.set_default_timeout(15_000)
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("dialog", lambda dialog: seen.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))

        def call(hash_=""):
            page.goto("about:blank")
            page.goto(f"{served.url}{hash_}")
            page.wait_for_selector("html[data-ready]")
            return page

        yield call
        assert page.evaluate("window.hacked === undefined")
    assert [text for text in seen if "favicon" not in text and "404" not in text] == []
    known = f"http://127.0.0.1:{served.port}/favicon.ico", "about:blank"
    assert [url for url in asked if not url.startswith(served.url) and url not in known] == []


def test_a_reader_filters_sorts_turns_pages_and_looks_at_answers(opened, run):
    page, records = opened(), [*run]
    box = page.locator("#responses")
    status = box.get_by_role("status")

    def told(count):
        sync_api.expect(status).to_have_text(f"1 to {min(50, count)} of {count} responses")

    told(len(records))
    box.get_by_role("button", name="next").click()
    sync_api.expect(status).to_have_text(f"51 to 100 of {len(records)} responses")
    box.get_by_role("combobox", name="Model").select_option("half")
    of_half = [record for record in records if record.model == "half"]
    told(len(of_half))
    box.get_by_role("button", name="score", exact=True).click()
    sync_api.expect(box.locator("th[aria-sort=ascending]")).to_have_text("score")
    scores = [float(text) for text in box.locator("tbody td:nth-child(5)").all_inner_texts()]
    expected = sorted(record.score for record in of_half)[:50]
    assert scores == pytest.approx(expected, abs=0.0005)
    box.get_by_role("combobox", name="Outcome or fault").select_option("wrong")
    box.get_by_role("searchbox").fill("ferry plan")
    wrong = [r for r in of_half if outcome(r) != "right" and r.domain == "ferry"
             and "plan" in r.task]  # fmt: skip
    told(len(wrong))
    names = box.locator("tbody th").all_inner_texts()
    assert Counter(names) == Counter(record.sample for record in wrong)
    box.locator("tbody a").nth(1).click()
    sync_api.expect(page.locator("#response h1")).to_have_text(names[1])
    sync_api.expect(page.locator("#response nav")).to_contain_text(f"2 of {len(wrong)}")
    page.get_by_role("link", name="next").click()
    sync_api.expect(page.locator("#response h1")).to_have_text(names[2])
    page.get_by_role("link", name="previous").click()
    page.get_by_role("link", name="previous").click()
    sync_api.expect(page.locator("#response h1")).to_have_text(names[0])
    own = page.locator(".trajectory").first
    own.get_by_role("button", name="to the end").click()
    assert "Goal:" in own.inner_text()
    page.get_by_text("3 other responses to this question").click()
    page.get_by_role("link", name="good, epoch 1").click()
    sync_api.expect(page.locator("#response .headline")).to_contain_text("right")


def test_models_are_compared_when_asked_for(opened):
    page = opened()
    box = page.locator("#compare")
    box.get_by_role("combobox", name="One").select_option("half")
    box.get_by_role("combobox", name="Other").select_option("good")
    sync_api.expect(box.locator(".verdicts")).to_contain_text("good is better than half by")
    box.get_by_role("combobox", name="Problem by problem").select_option("effects-v1")
    sync_api.expect(box.locator("table").last.locator("tbody tr")).to_have_count(9)
    box.locator("table").last.locator("tbody a").first.click()
    sync_api.expect(page.locator("#response .headline")).to_contain_text("half")


def test_hostile_answers_stay_text(opened, run):
    answered = {r.sample: r.text for r in material(run).responses(run) if r.model == HOSTILE_MODEL}
    for name in ("script", "markup", "direction", "surrogate"):
        sample = next(ident for ident, text in answered.items() if text == HOSTILE[name])
        page = opened(f"#response={quote(sample)}/{quote(HOSTILE_MODEL, safe='')}/1")
        box = page.get_by_role("region", name="The response")
        assert box.locator("img, script, a, svg").count() == 0
        assert page.locator("#response img, #response script").count() == 0
        if name in ("script", "markup"):
            assert box.evaluate("box => box.textContent") == HOSTILE[name]
    assert (
        opened("#response=nothing/%25/1").locator("h1:visible").inner_text() == "No such response"
    )


def test_when_the_server_has_ended_the_page_says_so(browser, run, tmp_path):
    site = Site([run], tmp_path, material(run))
    with browser.new_page() as page:
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        with serving(site) as served:
            page.goto(served.url)
            page.wait_for_selector("html[data-ready]")
            page.wait_for_selector("#responses tbody tr")  # the list comes by itself
        page.locator("#responses").get_by_role("searchbox").fill("ferry")
        told = page.locator(".complaint[role=alert]")
        sync_api.expect(told).to_contain_text("plangauge view has ended")
        sync_api.expect(told).to_be_in_viewport()
        sync_api.expect(page.locator("#responses [role=status]")).to_have_text("…")
        assert page.locator("#responses [aria-busy=true] tbody tr").count() == 50
    site.close()
    assert errors == []
