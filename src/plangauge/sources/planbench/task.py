"""Importing one task of PlanBench in one domain: its questions, and the answers to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plangauge.errors import ProblemError
from plangauge.model import Action, Plan
from plangauge.sources.base import Importer
from plangauge.sources.planbench.domain import DomainFiles
from plangauge.sources.planbench.files import RowFile
from plangauge.sources.planbench.questions import (
    TRACKING,
    Kind,
    published_facts,
    published_plan,
    stop_reason,
    verdict,
)
from plangauge.sources.planbench.statement import About, asks_about, stated_actions
from plangauge.sources.remarks import Remarks
from plangauge.suites import Sample
from plangauge.suites.base import Texts
from plangauge.tasks import TASKS, Question

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question of the suite, and what a prompt must say to be the same question."""

    id: str
    query: str
    about: About
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class _Refused:
    """Why a row is no question, and where that was found first."""

    kind: str
    why: str
    file: str


class TaskImport:
    """The questions of a task by the number of their problem, and the answers so far."""

    def __init__(self, files: DomainFiles, task: str, kind: Kind, importer: Importer) -> None:
        self.files = files
        self.task = task
        self.kind = kind
        self.importer = importer
        self.asked: dict[int, _Asked | _Refused] = {}
        self.epochs: Counter[tuple[str, int]] = Counter()
        self.given: dict[tuple[str, str], set[tuple[int, str]]] = {}
        """What was answered by files that there are twice: judged, and before they were."""

    def read(self, files: Sequence[RowFile]) -> None:
        """Import the files: prompts, then answers."""
        names = Counter((file.engine, file.path.name) for file in files)
        self.given = {name: set() for name, times in names.items() if times > 1}
        for file in files:
            remarks = remarks_on(file, self.importer)
            before = frozenset(self.given.get((file.engine, file.path.name), ()))
            for number, row in enumerate(read_rows(file, remarks)):
                self.importer.progress(1)
                ident = None if row is None else row.get("instance_id")
                if row is None or not isinstance(ident, int) or isinstance(ident, bool):
                    remarks.add("bad row", file.shown, "no number of an instance", f"#{number}")
                    continue
                asked = self._question(ident, row, file)
                if file.engine:
                    self._answer(asked, ident, row, file, before)
        for ident, each in self.asked.items():
            if isinstance(each, _Refused):
                self.importer.remarks.add(each.kind, each.file, each.why, ident)

    def _question(self, ident: int, row: Row, file: RowFile) -> _Asked | _Refused:
        """Return the question that an instance is, made from the first row that tells it."""
        known = self.asked.get(ident)
        if isinstance(known, _Asked):
            return known
        made = self._made(ident, row, file)
        if known is None or isinstance(made, _Asked):
            self.asked[ident] = made
        return made

    def _made(self, ident: int, row: Row, file: RowFile) -> _Asked | _Refused:
        query = row.get("query")
        if not isinstance(query, str) or not query:
            return _Refused("bad row", "there is no prompt", file.shown)
        try:
            name, text, problem = self.files.problem(self.kind, ident, row)
        except ProblemError as error:
            return _Refused("no problem", str(error), file.shown)
        words = self.files.config.words(problem.world.objects)
        about = About(self.files.declared, problem, words, self.kind.initial, self.kind.goal)
        same = asks_about(query, about)
        if same is False:
            return _Refused("other question", "the prompt is about another problem", file.shown)
        try:
            question, references = self._asks(ident, row, about, file)
            sample = self._sample(name, question, references, query)
            self.importer.ask(sample)
        except ProblemError as error:
            return _Refused("bad row", str(error), file.shown)
        self.importer.problem(name, text)
        self.importer.published[f"prompts {'compared' if same else 'not compared'}"] += 1
        return _Asked(sample.id, query, about, question.actions)

    def _asks(
        self, ident: int, row: Row, about: About, file: RowFile
    ) -> tuple[Question[int], tuple[Plan, ...]]:
        """Return the question with its true answer, compared with the one that is published."""
        task, told = TASKS[self.kind.task], row.get("ground_truth_plan")
        if self.kind.task != TRACKING:
            references = self._references(ident, told, about, file)
            return task.question(about.problem, (), references), references
        actions = stated_actions(str(row["query"]), about.problem, about.words)
        question = task.question(about.problem, actions)
        self._compare(ident, question, published_facts(told, about.words), file)
        return question, ()

    def _references(self, ident: int, told: Any, about: About, file: RowFile) -> tuple[Plan, ...]:
        counts = self.importer.published
        try:
            plan = published_plan(told, about.problem, about.words)
        except ProblemError as error:
            counts["references invalid"] += 1
            self.importer.remarks.add("invalid reference", file.shown, error.reason, ident)
            return ()
        counts["references missing" if plan is None else "references valid"] += 1
        return () if plan is None else (plan,)

    def _compare(
        self, ident: int, question: Question[int], told: frozenset[str] | None, file: RowFile
    ) -> None:
        """Compare a state with the published one, which may leave out what never changes."""
        true = frozenset(question.details.terms)
        if told is not None and told in (true, true - question.details.excluded):
            self.importer.published["answers agree"] += 1
            return
        self.importer.published["answers differ"] += 1
        why = "the published state is not the one that the actions lead to; ours is used"
        self.importer.remarks.add("other truth", file.shown, why, ident)

    def _sample(
        self, name: str, question: Question[int], references: tuple[Plan, ...], query: str
    ) -> Sample:
        meta = {
            "n_objects": len(question.problem.world.objects),
            **TASKS[question.task].meta(question),
            "source": {"task": self.task},
        }
        if references:
            meta["reference"] = {"planner": "published", "optimal": None}
        plans = tuple(tuple(map(str, plan.actions)) for plan in references)
        return Sample(
            f"{name}/{self.task}",
            question.task,
            self.files.config.name,
            name,
            tuple(map(str, question.actions)),
            query,
            question.truth,
            plans,
            meta,
            Texts("", "", ""),
        )

    def _answer(
        self,
        asked: _Asked | _Refused,
        ident: int,
        row: Row,
        file: RowFile,
        before: frozenset[tuple[int, str]],
    ) -> None:
        """Write an answer, unless the same file holds it with PlanBench's verdict."""
        into, text = self.importer.expect_responses(), row.get("llm_raw_response")
        problem = self._objection(asked, row, text)
        if problem is not None:
            into.remarks.add(problem[0], file.shown, problem[1], ident)
        if isinstance(asked, _Refused) or not isinstance(text, str) or (ident, text) in before:
            return
        if problem is not None and problem[0] != "other wording":
            return
        if (file.engine, file.path.name) in self.given:
            self.given[file.engine, file.path.name].add((ident, text))
        self.epochs[file.engine, ident] += 1
        stop = stop_reason(row)
        into.add(
            file.engine,
            {
                "id": asked.id,
                "response": text,
                "model": file.engine,
                "epoch": self.epochs[file.engine, ident],
                **({} if stop is None else {"stop_reason": stop}),
                "llm_correct": verdict(row),
                "extracted_llm_plan": _texts(row.get("extracted_llm_plan")),
                "file": file.shown,
            },
        )

    def _objection(self, asked: _Asked | _Refused, row: Row, text: Any) -> tuple[str, str] | None:
        """Return what is to be said against an answer; None for nothing."""
        if isinstance(asked, _Refused):
            return asked.kind, asked.why
        if not text:
            return "no response", "there is none, or an empty one"
        if not isinstance(text, str):
            return "bad row", "the response is no text"
        if row.get("query") == asked.query:
            return None
        if self._same(asked, row.get("query")):
            return "other wording", "the same question was asked in another prompt"
        return "other question", "the prompt is not that of the question"

    def _same(self, asked: _Asked, query: Any) -> bool:
        if not isinstance(query, str) or not asks_about(query, asked.about):
            return False
        if self.kind.task != TRACKING:
            return True
        try:
            said = stated_actions(query, asked.about.problem, asked.about.words)
        except ProblemError:
            return False
        return said == asked.actions


def _texts(value: Any) -> str | list[str] | None:
    """Return a text or a list of texts; None for anything else."""
    listed = isinstance(value, list) and all(isinstance(part, str) for part in value)
    return value if listed or isinstance(value, str) else None


def remarks_on(file: RowFile, importer: Importer) -> Remarks:
    """Return the remarks on questions for a file of prompts, else those on responses."""
    return importer.expect_responses().remarks if file.engine else importer.remarks


def read_rows(file: RowFile, remarks: Remarks) -> Iterator[dict[str, Any] | None]:
    """Yield the rows of a file; of a broken one there are none, and a remark."""
    try:
        yield from file.rows()
    except ProblemError as error:
        remarks.add("broken file", file.shown, error.reason)
