"""Whether the same answers get the same scores wherever they are scored, to the last digit.

    python benchmarks/agreement.py [--answers 10000] [--ways inspect lm-eval …]

A suite of all domains and tasks is answered in many ways: rightly, partly, by chance, with noise,
cut short, and not at all. `plangauge score` scores the answers; so does each other way whose
library is installed, and every score, undefined ones included, is compared. Exit status 1 where
one differs.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from plangauge.scoring.baselines import answers
from plangauge.scoring.records import Response
from plangauge.scoring.suite import score_suite
from plangauge.suites import Sample, Suite
from plangauge.suites.build import DomainSpec, Request, build_suite
from plangauge.suites.files import as_line
from plangauge.tasks import general_tasks

DOMAINS = {
    "blocksworld": {"blocks": 4},
    "depots": {"depots": 1, "trucks": 1, "crates": 2},
    "ferry": {"locations": 3, "cars": 2},
    "gripper": {"rooms": 2, "balls": 3},
    "logistics": {"packages": 1},
    "satellite": {"satellites": 1, "directions": 3, "images": 2},
}
BASELINES = ("truth", "empty", "copy-state", "random-applicable", "truncated-truth")
NOISE = ("", "I do not know.", "[" * 300, "[(on a b)", "\x00[(p)]\x1b[0m", "None of them. " * 50)

Scores = Mapping[str, float | None]


class Judged(NamedTuple):
    """An answer to a prompt and what it scores; the same prompt is about the same problem."""

    prompt: str
    text: str
    scores: Scores

    @property
    def key(self) -> tuple[str, str]:
        return self.prompt, self.text


def given(suite: Suite, wanted: int) -> list[Response]:
    """Return so many answers, as many for each question, in epochs."""
    epochs = math.ceil(wanted / len(suite))
    rng = Random(0)
    found: list[Response] = []
    for epoch in range(1, epochs + 1):
        known = answers(suite, BASELINES[epoch % len(BASELINES)], epoch)
        for sample, response in zip(suite, known, strict=True):
            text, stop = response.text or "", "stop"
            odd = rng.random()
            if odd < 0.15:
                text = rng.choice(NOISE)
            elif odd < 0.3:
                text, stop = text[: int(len(text) * rng.random())], "max_tokens"
            elif odd < 0.5:
                text = f"Let me think: {sample.prompt[-80:]}\n\nFinal answer: {text}"
            found.append(Response(sample.id, text, "m", epoch, stop))
    return found


def by_score(suite: Suite, responses: list[Response], folder: Path) -> Iterator[Judged]:
    """Score a file of responses, as ``plangauge score`` does."""
    rows = folder / "responses.jsonl"
    prompts = {sample.id: sample.prompt for sample in suite}
    texts = {(each.sample, each.epoch): each.text or "" for each in responses}
    with rows.open("wb") as file:
        for each in responses:
            row = {"id": each.sample, "response": each.text, "epoch": each.epoch}
            file.write(as_line({**row, "model": each.model, "stop_reason": each.stop_reason}))
    for record in score_suite(suite, [rows], folder / "run"):
        text = texts[record.sample, record.epoch]
        yield Judged(prompts[record.sample], text, record.scores)


def by_inspect(suite: Suite, responses: list[Response], folder: Path) -> Iterator[Judged]:
    """Let Inspect's own runner ask its mock model, which gives these answers, and score them."""
    from inspect_ai import eval as run
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from plangauge.integrations.inspect.tasks import suite_task

    left: dict[str, list[Response]] = {}
    prompts = {sample.id: sample.prompt for sample in suite}
    for each in responses:
        left.setdefault(prompts[each.sample], []).append(each)

    def answer(messages, *others):
        del others
        response = left[messages[-1].text].pop()
        output = ModelOutput.from_content("m", response.text, stop_reason=response.stop_reason)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    log = run(
        suite_task(suite),
        model=get_model("mockllm/model", custom_outputs=answer),
        epochs=max(each.epoch for each in responses),
        log_dir=str(folder / "logs"),
        log_realtime=False,
        display="none",
    )[0]
    stored = read_eval_log(log.location, exclude_fields={"events", "attachments"})
    for sample in stored.samples or ():
        values = sample.scores["record"].value
        scores = {name: None if math.isnan(value) else value for name, value in values.items()}
        yield Judged(prompts[str(sample.id)], sample.output.completion, scores)


def by_lm_eval(suite: Suite, responses: list[Response], folder: Path) -> Iterator[Judged]:
    """Let lm-eval's own runner ask a model that gives these answers, once for each epoch."""
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    from plangauge.integrations.lm_eval.folder import score_names, write_folder

    left: dict[str, list[Response]] = {}
    kinds: dict[tuple[str, str], list[Sample]] = {}
    for sample in suite:
        kinds.setdefault((sample.task, sample.domain), []).append(sample)
    names = {kind: score_names(samples[:1]) for kind, samples in kinds.items()}

    class Prepared(LM):
        def generate_until(self, requests, disable_tqdm=False):
            del disable_tqdm
            return [left[request.doc["prompt"]].pop().text for request in requests]

        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    group = write_folder(suite, folder / "lm_eval").group
    found = TaskManager(include_path=str(folder / "lm_eval"), include_defaults=False)
    prompts = {sample.id: sample.prompt for sample in suite}
    for epoch in range(1, max(each.epoch for each in responses) + 1):
        for each in responses:
            if each.epoch == epoch:
                left.setdefault(prompts[each.sample], []).append(each)
        told = simple_evaluate(Prepared(), tasks=[group], task_manager=found, bootstrap_iters=0)
        for row in (row for rows in told["samples"].values() for row in rows):
            doc, values = row["doc"], {name: row[name] for name in row["metrics"]}
            undefined = dict.fromkeys(names[doc["task"], doc["domain"]])
            yield Judged(doc["prompt"], row["resps"][0][0], undefined | values)


def by_rewards(suite: Suite, responses: list[Response], folder: Path) -> Iterator[Judged]:
    """Judge the answers as a trainer has them judged, from the rows of its dataset.

    The parts of a reward that are scores, of sets and whether a plan is valid, stand for these.
    """
    del folder
    from plangauge.integrations.rewards import Reward, suite_rows

    reward = Reward()
    rows = {row["sample"]: row for row in suite_rows(suite)}
    prompts = {sample.id: sample.prompt for sample in suite}
    for each in responses:
        info = rows[each.sample]["info"]
        record, parts = reward.record(each.text, info), reward.parts(each.text, info)
        scores, primary = dict(record["scores"]), record["primary"]
        if "score" in parts:
            scores[primary] = parts["score"]
        if "valid" in scores:
            scores["valid"] = parts["validity"]
        yield Judged(prompts[each.sample], each.text or "", scores)


Way = Callable[[Suite, list[Response], Path], Iterator[Judged]]
WAYS: Mapping[str, Way] = {"inspect": by_inspect, "lm-eval": by_lm_eval, "rewards": by_rewards}
"""Name → what scores answers. It may give more scores than ours; ours must all be there."""
LIBRARIES = {"inspect": "inspect_ai", "lm-eval": "lm_eval", "rewards": "plangauge"}


def compare(ours: list[Judged], theirs: list[Judged]) -> tuple[int, int, int]:
    """Return how many answers agree, and how many scores were compared and were undefined."""
    same = compared = undefined = 0
    if [each.key for each in ours] != [each.key for each in theirs]:
        return 0, 0, 0
    for one, other in zip(ours, theirs, strict=True):
        same += all(other.scores[name] == value for name, value in one.scores.items())
        compared += len(one.scores)
        undefined += sum(value is None for value in one.scores.values())
    return same, compared, undefined


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--problems", type=int, default=20, help="of each domain")
    installed = [way for way in WAYS if find_spec(LIBRARIES[way])]
    parser.add_argument("--ways", nargs="+", choices=[*WAYS], default=installed)
    options = parser.parse_args()
    for way in (way for way in WAYS if way not in installed):
        print(f"{way}: not installed")
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chosen = [DomainSpec.of(domain, parameters) for domain, parameters in DOMAINS.items()]
        request = Request(count=options.problems, tasks=general_tasks())
        suite = build_suite(folder / "suite", chosen, request)
        responses = given(suite, options.answers)
        print(f"{len(responses):,} answers to {len(suite):,} questions")
        ours, seconds = timed(partial(by_score, suite, responses, folder))
        print(f"plangauge score: {seconds:.1f} s")
        for way in options.ways:
            theirs, seconds = timed(partial(WAYS[way], suite, responses, folder))
            same, compared, undefined = compare(ours, theirs)
            print(
                f"{way}: {same:,} of {len(ours):,} answers have the same {compared:,} scores "
                f"({undefined:,} undefined), {seconds:.1f} s"
            )
            for one, other in islice(differing(ours, theirs), 3):
                print(f"  {one}\n  {other}"[:2000])
            wrong += len(ours) - same
    return 1 if wrong else 0


def differing(ours: list[Judged], theirs: list[Judged]) -> Iterator[tuple[Judged, Judged]]:
    for one, other in zip(ours, theirs, strict=False):
        scores = {name: other.scores.get(name) for name in one.scores}
        if one.key != other.key or scores != one.scores:
            yield one, other


def timed(work: Callable[[], Iterator[Judged]]) -> tuple[list[Judged], float]:
    begun = time.perf_counter()
    found = sorted(work(), key=lambda each: (each.key, repr(sorted(each.scores))))
    return found, time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
