"""A suite as a task folder, for ``lm_eval --include_path FOLDER --tasks plangauge_SUITE``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from plangauge.errors import ProblemError
from plangauge.integrations.lm_eval.scoring import ALWAYS, SPLIT, doc_of
from plangauge.integrations.score_names import score_names
from plangauge.reports.scales import scale_of
from plangauge.suites import Sample, Suite
from plangauge.suites.files import Layout, as_line, as_page, new_folder
from plangauge.suites.prompts import stem
from plangauge.tasks import TASKS

SHIPPED = Path(__file__).resolve().parent / "shipped"
"""The folder that comes with plangauge; its group is called ``plangauge``."""

MANIFEST = "suite.json"
GROUP = "group.yaml"
MODULE = "plangauge_lm_eval"
_KIND = "plangauge-lm-eval"

_MODULE = '''"""What lm-eval calls for the tasks of this folder; plangauge does the work."""

from pathlib import Path

from plangauge.integrations.lm_eval.scoring import dataset_in, process_results

__all__ = ["process_results", "questions"]


def questions(questions: str, **others: object) -> object:
    """Return the questions in a file of this folder; lm-eval gives more than is needed."""
    del others
    return dataset_in(Path(__file__).parent / questions)
'''
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Settings:
    """How models are asked; lm-eval's ``--gen_kwargs`` overrides what is said here."""

    name: str = ""
    """Of the group; empty: ``plangauge_`` and the name of the suite."""
    chat: bool = True
    """The system prompt is a message of its own; else it is the beginning of the question."""
    max_gen_toks: int = 16_384
    """The longest answer, thoughts included."""
    temperature: float | None = None
    """None, as 0: the likeliest answer."""
    epochs: int = 1
    """How often each question is asked."""


_DEFAULT = Settings()


class Written(NamedTuple):
    """What was written: the name of the group of tasks, and which tasks were left out."""

    group: str
    left_out: list[str]


def write_folder(suite: Suite, path: str | Path, settings: Settings = _DEFAULT) -> Written:
    """Write the questions of a suite as a task folder.

    There is a task of lm-eval for each task of the suite, called by both names; acting step by step
    is left out, because lm-eval asks but once. The folder can be moved, and needs nothing but
    itself and plangauge. A task folder that is there already is replaced. Raises `ProblemError`
    where there is anything else, or no question.
    """
    asked: dict[str, list[Sample]] = {}
    for sample in suite:
        asked.setdefault(sample.task, []).append(sample)
    left_out = [task for task in asked if TASKS[task].in_turns]
    for task in left_out:
        del asked[task]
    if not asked:
        raise ProblemError("it has no question that lm-eval can ask", file=str(suite.path))
    group = _named(settings.name or f"plangauge_{suite.name}")
    names = _task_names(group, asked)
    with new_folder(path, _layout(asked)) as folder:
        (folder / MANIFEST).write_bytes(as_page(_manifest(suite, group, names)))
        (folder / f"{MODULE}.py").write_text(_MODULE, encoding="utf-8")
        (folder / GROUP).write_text(_yaml(_group(group, names, suite)), encoding="utf-8")
        for task, samples in asked.items():
            with (folder / f"{task}.jsonl").open("wb") as file:
                file.writelines(as_line(_doc(suite, sample, settings)) for sample in samples)
            told = _task(names[task], samples, suite, settings)
            (folder / f"{task}.yaml").write_text(_yaml(told), encoding="utf-8")
    return Written(group, left_out)


def _layout(tasks: Iterable[str]) -> Layout:
    known = [f"{name}.{kind}" for name in {*TASKS, *tasks} for kind in ("yaml", "jsonl")]
    return Layout(_KIND, MANIFEST, (GROUP, f"{MODULE}.py", "__pycache__", *known))


def _named(text: str) -> str:
    """Return a text as a name that lm-eval takes for nothing but a name, in files, too."""
    name = _NOT_IN_NAMES.sub("_", text).strip("_")
    if not name:
        raise ProblemError(f"{text!r} has neither letters nor digits; give another name")
    return name


def _task_names(group: str, tasks: Iterable[str]) -> dict[str, str]:
    """Return what each task is called: without its version, where that tells them apart."""
    stems = [stem(task) for task in tasks]
    shown = {task: stem(task) if stems.count(stem(task)) == 1 else task for task in tasks}
    return {task: f"{group}_{_named(name)}" for task, name in shown.items()}


def _doc(suite: Suite, sample: Sample, settings: Settings) -> Mapping[str, str]:
    doc = doc_of(sample, suite.system)
    if settings.chat or not suite.system:
        return doc
    return doc | {"system": "", "prompt": f"{suite.system}\n\n{sample.prompt}"}


def _manifest(suite: Suite, group: str, names: Mapping[str, str]) -> dict[str, Any]:
    told = {key: suite.manifest.get(key) for key in ("licence", "citation")}
    return {
        "format": _KIND,
        "version": 1,
        "suite": {"name": suite.name, "sha256": suite.sha256, **told},
        "group": group,
        "tasks": dict(names),
    }


def _group(group: str, names: Mapping[str, str], suite: Suite) -> dict[str, Any]:
    means = [_mean(name) | {"weight_by_size": False} for name in ALWAYS]
    for mean in means:
        del mean["higher_is_better"]
    return {
        "group": group,
        "task": [*names.values()],
        "aggregate_metric_list": means,
        "metadata": {"version": 1, "suite": suite.name, "suite_sha256": suite.sha256},
    }


def _task(name: str, samples: list[Sample], suite: Suite, settings: Settings) -> dict[str, Any]:
    task = samples[0].task
    told: dict[str, Any] = {
        "task": name,
        "custom_dataset": _Function("questions"),
        "dataset_kwargs": {"questions": f"{task}.jsonl"},
        "test_split": SPLIT,
        "output_type": "generate_until",
        "num_fewshot": 0,
        "doc_to_text": "prompt",
        "doc_to_target": "target",
        "process_results": _Function("process_results"),
        "generation_kwargs": _generation(settings),
        "metric_list": [*map(_mean, (*ALWAYS, *score_names(samples)))],
        "metadata": {"version": _version(task), "suite_sha256": suite.sha256},
    }
    if settings.chat and suite.system:
        told["description"] = "system"
    if settings.epochs > 1:
        every = {"function": "take_first_k", "k": settings.epochs}
        told["repeats"] = settings.epochs
        told["filter_list"] = [{"name": "none", "filter": [every]}]
    return told


def _generation(settings: Settings) -> dict[str, Any]:
    """Return how answers are generated; without any ``until``, lm-eval stops at a blank line."""
    told = {"until": [], "max_gen_toks": settings.max_gen_toks}
    if not settings.temperature:
        return told | {"do_sample": False}
    return told | {"do_sample": True, "temperature": settings.temperature}


def _mean(name: str) -> dict[str, Any]:
    lower = name in ALWAYS[1:] or scale_of(name).lower
    return {"metric": name, "aggregation": "mean", "higher_is_better": not lower}


def _version(task: str) -> int:
    return int(task.rpartition("-v")[2]) if task != stem(task) else 1


class _Function(str):
    """The name of a function in the module of the folder."""

    __slots__ = ()


def _yaml(told: Mapping[str, Any]) -> str:
    """Return what is told as YAML, of which JSON is a part."""
    return "".join(f"{key}: {_value(value)}\n" for key, value in told.items())


def _value(value: Any) -> str:
    if isinstance(value, _Function):
        return f"!function {MODULE}.{value}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "".join(f"\n  - {json.dumps(item)}" for item in value)
    return json.dumps(value)
