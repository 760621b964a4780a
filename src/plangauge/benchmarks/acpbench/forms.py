"""ACPBench's questions of yes or no and of choice, which are published without PDDL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from plangauge.benchmarks.acpbench.files import Row, text_of
from plangauge.core.errors import ProblemError
from plangauge.suites import Sample
from plangauge.tasks import TASKS
from plangauge.tasks.base import LETTERS
from plangauge.tasks.published import KEY_DOMAIN, key_problem
from plangauge.worlds.pddl import read_problem

YES_NO, CHOICE = "published-yes-no-v1", "published-choice-v1"

_WORDED = {
    "ferry domain": "ferry",
    "several cities": "logistics-strips",
    "blocksworld domain": "blocksworld-4ops",
    "robot is in a grid": "grid",
    "robots use different colors": "floor-tile",
    "grippers domain": "gripper-strips",
    "rovers domain": "rover",
    "visitall domain": "grid-visit-all",
    "depot domain": "depots",
    "robotic arm is in a grid": "gold-miner-typed",
    "satellite(s)": "satellite",
    "swap domain": "swap",
    "alfworld domain": "alfred",
}
"""The domain of a context that begins with these words."""

_REQUESTS = {
    YES_NO: "Answer with yes or no.",
    CHOICE: "Answer with the letter of one option.",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its key, before the baselines are known."""

    group: str
    ident: int | str
    prompt: str
    key: str
    options: tuple[str, ...]

    @property
    def task(self) -> str:
        """The task that asks it."""
        return CHOICE if self.options else YES_NO

    @property
    def key_text(self) -> str:
        """The text of the right answer."""
        return self.options[LETTERS.index(self.key)] if self.options else self.key

    @property
    def domain(self) -> str:
        """The name of its domain in a suite."""
        return f"{domain_of(self.prompt)}-in-words"

    @property
    def name(self) -> str:
        """The name of its problem in a suite."""
        return f"{self.domain}/{self.group}-{self.ident}"

    def sample(self, majority: float) -> Sample:
        """Return the sample; ``majority`` is what the most frequent answer of its group scores."""
        problem = read_problem(KEY_DOMAIN, key_problem(self.key.lower()))
        question = TASKS[self.task].question(problem, options=self.options)
        baselines = TASKS[self.task].meta(question)["baselines"] | {"majority": majority}
        return Sample.of(
            question,
            f"{self.name}/{self.task}",
            self.name,
            self.prompt,
            baselines=baselines,
            source={"group": self.group, "id": self.ident},
            as_published={"by": "acpbench"},
        )


def is_form(group: str) -> bool:
    """Return whether questions of a group are answered by yes, no or a letter."""
    return group.endswith(("_bool", "_mc", "_mcq"))


def task_of(group: str) -> str:
    """Return the task that asks the questions of such a group."""
    return YES_NO if group.endswith("_bool") else CHOICE


def asked(row: Row, ident: int | str) -> Asked:
    """Return the question of a row; raises `ProblemError` for a malformed one."""
    group = text_of(row, "group")
    task = task_of(group)
    key = text_of(row, "answer").strip()
    options = _options(row) if task == CHOICE else ()
    keys = [*LETTERS[: len(options)]] or ["yes", "no"]
    if key not in keys:
        raise ProblemError(f"the key {key!r} is none of {', '.join(keys)}")
    prompt = f"{text_of(row, 'context')} {text_of(row, 'question')} {_REQUESTS[task]}"
    return Asked(group, ident, prompt, key, options)


def _options(row: Row) -> tuple[str, ...]:
    choices = row.get("choices")
    texts: Any = choices.get("text") if isinstance(choices, dict) else None
    if not isinstance(texts, list) or len(texts) < 2:
        raise ProblemError("there are no options")
    return tuple(text_of({"choices": text}, "choices") for text in texts)


def samples(questions: Iterable[Asked]) -> Iterator[tuple[Sample, Asked]]:
    """Yield questions as samples, by group.

    Their baseline *majority* always gives the answer that is right most often in the group: an
    option by its text where all questions of the group have the same options, else by its letter.
    """
    by_group: dict[str, list[Asked]] = {}
    for each in questions:
        by_group.setdefault(each.group, []).append(each)
    for members in by_group.values():
        same = len({tuple(sorted(each.options)) for each in members}) == 1
        keys = [each.key_text if same else each.key for each in members]
        most = max(Counter(keys).values())
        best = min(key for key, count in Counter(keys).items() if count == most)
        for each, key in zip(members, keys, strict=True):
            yield each.sample(float(key == best)), each


def domain_of(context: str) -> str:
    """Return the domain that a context describes, *unknown* if it is none of ACPBench's.

    >>> domain_of("This is a swap domain where agents are swapping items.")
    'swap'
    """
    beginning = context[:100].lower()
    return next((name for words, name in _WORDED.items() if words in beginning), "unknown")
