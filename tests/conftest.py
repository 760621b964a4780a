"""What tests share."""

from __future__ import annotations

import io
import shutil
import sys

import pytest


@pytest.fixture
def run(capfd, monkeypatch):
    """Return a function that runs a command and gives its exit status, output and errors."""
    from commands import status

    def call(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = status(*words)
        return code, *capfd.readouterr()

    return call


@pytest.fixture(scope="session")
def page_run(tmp_path_factory):
    """The run of `page_runs.write_run`, which nobody may change."""
    from page_runs import write_run

    return write_run(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="session")
def page(page_run):
    """The page of this run, with the texts of its responses."""
    from page_runs import material

    from plangauge.reports.page import make_page

    return make_page([page_run], material(page_run))


@pytest.fixture(scope="module")
def browser():
    """Chromium; it is ended with the module, because its event loop runs in this thread."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed")

    def launched(left=2):
        try:
            return playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--in-process-gpu"]
            )
        except sync_api.Error:  # on a busy machine it now and then crashes as it starts
            if not left:
                raise
            return launched(left - 1)

    with sync_api.sync_playwright() as playwright:
        started = launched()
        yield started
        started.close()
