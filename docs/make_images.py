"""Take the pictures of the report page in images/, of the report that `plangauge demo` makes.

python docs/make_images.py            write report.png and report-plan.png
python docs/make_images.py REPORT     of another report

Needs the extra test and Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

from plangauge.demo import walk

IMAGES = Path(__file__).resolve().parent / "images"
FAILURES = ("wrong_order", "missing_step", "goal missed")
"""The first of these that occurs is shown in report-plan.png."""


def take(report: Path) -> None:
    """Take the first screen of a report, and a plan that fails."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        opened(page, report.as_uri())
        page.screenshot(path=IMAGES / "report.png")
        for failure in FAILURES:
            opened(page, f"{report.as_uri()}#responses?task=plan-v1&outcome={quote(failure)}")
            responses = page.locator("#responses tbody a")
            if responses.count():
                break
        responses.first.press("Enter")  # a mouse would show a tooltip
        page.wait_for_selector("#response h1")
        page.screenshot(path=IMAGES / "report-plan.png")
        browser.close()


def opened(page: Page, address: str) -> None:
    """Open an address in a page that may show another part of the same report."""
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("html[data-ready]")


if __name__ == "__main__":
    if sys.argv[1:]:
        take(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            walk(Path(folder))
            take(Path(folder) / "report.html")
