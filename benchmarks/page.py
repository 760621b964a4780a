"""How fast a report page is made and opened: 10,000 responses of five baselines as models.

    python benchmarks/page.py [--responses 10000] [--folder DIR]

First with the answers as they are, which are lines, then with 3,000 characters of other words
before each, as of a model that thinks aloud. Opening needs Playwright and Chromium; without them
only making is measured.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from random import Random

from plangauge.integrations.responses import responses_of
from plangauge.reports.page import Material, make_page
from plangauge.scoring.baselines import answers
from plangauge.scoring.records import Run
from plangauge.scoring.suite import RunOptions, score_suite
from plangauge.suites import Suite
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.suites.files import as_line
from plangauge.tasks import general_tasks

DOMAINS = ("blocksworld", "depots", "logistics", "ferry")
THOUGHTS = 3_000
MODELS = ("greedy-planner", "random-applicable", "copy-state", "truncated-truth", "everything")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--responses", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where the run is kept, to be used again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for thoughts in (0, THOUGHTS):
            folder = (given.folder or Path(temporary)) / f"thoughts-{thoughts}"
            folder.mkdir(parents=True, exist_ok=True)
            run = _run(folder, given.responses, thoughts)
            print(f"{thoughts:,} characters before each answer:")
            _make(run, folder / "report.html", 2 * given.responses)
            _open(folder / "report.html")


def _make(run: Run, file: Path, most: int) -> None:
    seconds, used = time.perf_counter(), time.process_time()
    page = make_page([run], Material.find([run], read=responses_of), most=most)
    seconds, used = time.perf_counter() - seconds, time.process_time() - used
    page.write(file)
    print(f"{page.records:,} responses of {len(MODELS)} models, {page.held:,} held one by one")
    print(f"made in {seconds:.1f} s ({used:.1f} s of one core), {len(page.data) / 1e6:.2f} MB")


def _run(folder: Path, responses: int, thoughts: int = 0) -> Run:
    if (folder / "run" / "run.json").exists():
        return Run.load(folder / "run")
    tasks = general_tasks()
    count = -(-responses // (len(MODELS) * len(DOMAINS) * len(tasks)))
    request = Request(count=count, tasks=tasks, name="benchmark")
    suite = build_suite(folder / "suite", [*map(DomainSpec.of, DOMAINS)], request)
    files = [_answers(suite, name, folder / f"{name}.jsonl", thoughts) for name in MODELS]
    return score_suite(suite, files, folder / "run", options=RunOptions(jobs=2))


def _answers(suite: Suite, name: str, file: Path, thoughts: int) -> Path:
    draw = Random(name)
    with file.open("wb") as lines:
        for answer in answers(suite, name):
            prompt = suite[answer.sample].prompt
            text = _thoughts(draw, prompt, thoughts) + answer.text
            lines.write(as_line({"id": answer.sample, "response": text, "model": answer.model}))
    return file


def _thoughts(draw: Random, prompt: str, length: int) -> str:
    """Return words of a prompt in any order: they take more room than sentences would."""
    words = [word for word in prompt.split() if word.isalpha()]
    return " ".join(draw.choices(words, k=length))[:length] + "\n\n" if length else ""


def _open(file: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("Playwright or Chromium is not installed: not opened")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for number in range(3):
            page = browser.new_page()
            seconds = time.perf_counter()
            page.goto(file.as_uri())
            page.wait_for_selector("html[data-ready]")
            ready = time.perf_counter() - seconds
            seconds = time.perf_counter()
            page.get_by_role("searchbox", name="Search responses").fill("greedy plan ferry")
            page.locator("#responses tbody a").first.click()
            page.wait_for_selector("#response h1")
            shown = time.perf_counter() - seconds
            print(f"opened in {ready:.2f} s, "
                  f"searched and a response shown in {shown:.2f} s ({number + 1}.)")  # fmt: skip
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
