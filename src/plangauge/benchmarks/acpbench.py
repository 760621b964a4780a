"""ACPBench Hard: which actions are applicable, and what an action changes, in 13 domains.

Its other questions (reachability, landmarks, justification, validation, next actions, and all those
answered by yes, no or a letter) have no task here; they are counted.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, TypeGuard

from plangauge.benchmarks.base import SOURCES, Importer, Source, encodable
from plangauge.core.errors import ProblemError
from plangauge.core.model import Action
from plangauge.domains.words import Words
from plangauge.pddl.domain import Domain, read_domain
from plangauge.suites import Sample
from plangauge.suites.files import read_bytes, sha256, unpacked
from plangauge.suites.parquet import parquet_rows
from plangauge.tasks import TASKS
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import problem_of

GROUPS = {"applicable_actions_gen": "applicability-v1", "progression_gen": "effects-v1"}
"""The groups of questions that our tasks ask."""

_ENDINGS = (".json", ".json.gz", ".jsonl", ".jsonl.gz", ".parquet")
_QUOTED = re.compile(r'performing the action "([^"]*)"')
_NAME = re.compile(r"[^\s,;.\"'()]+")

Row = Mapping[str, Any]


@dataclass
class _Reader:
    """Reads files of questions; ``domains`` are by their text."""

    importer: Importer
    domains: dict[str, tuple[str, Domain]] = field(default_factory=dict)

    def read(self, file: Path, shown: str) -> None:
        """Import the questions of a file."""
        issues = self.importer.issues
        try:
            for number, row in enumerate(_rows(file)):
                self.importer.progress(1)
                ident = row.get("id") if isinstance(row, dict) else None
                known = ident if _is_name(ident) else f"#{number}"
                group = row.get("group") if isinstance(row, dict) else None
                if not isinstance(group, str):
                    issues.add("bad row", shown, "there is no 'group'", known)
                elif group not in GROUPS:
                    issues.add("not imported", shown, f"no task asks {group}", known)
                else:
                    self._ask(row, GROUPS[group], shown, known)
        except ProblemError as error:
            issues.add("broken file", shown, error.reason)

    def finish(self) -> None:
        """Write the domains."""
        for text, (name, _) in self.domains.items():
            self.importer.domain(name, text, Words())

    def _ask(self, row: Row, task: str, shown: str, ident: int | str) -> None:
        try:
            domain, declared = self._domain(_text(row, "PDDL_domain"))
            text = _text(row, "PDDL_problem")
            problem = problem_of(declared, text)
            actions = _actions(row, problem) if task == "effects-v1" else ()
            question = TASKS[task].question(problem, actions)
            name = f"{domain}/{_problem_name(text)}"
            prompt = f"{_text(row, 'context')} {_text(row, 'question')}"
            of = {"group": row["group"], "id": ident}
            sample = Sample.of(question, f"{name}/{row['group']}/{ident}", name, prompt, source=of)
            self.importer.ask(sample)
        except ProblemError as error:
            self.importer.issues.add("bad row", shown, str(error), ident)
            return
        self.importer.problem(name, text)
        published = row.get("answer")
        if published is not None:
            agrees = _published(published) == _lower(question.truth)
            self.importer.compare(agrees, "answer is not the true one", shown, ident)
            return
        self.importer.published["answers missing"] += 1
        if question.actions:
            why = "no effects are published; the action is the only one with these objects"
            self.importer.issues.add("not confirmed", shown, why, ident)

    def _domain(self, text: str) -> tuple[str, Domain]:
        """Return the name of a domain in the suite, numbered if it repeats, and the domain."""
        if text not in self.domains:
            declared = read_domain(text)
            names = {name for name, _ in self.domains.values()}
            stem = re.sub(r"[^\w.+-]+|^\W+", "_", declared.name) or "domain"
            free = (f"{stem}-{n}" if n > 1 else stem for n in range(1, len(names) + 2))
            self.domains[text] = next(name for name in free if name not in names), declared
        return self.domains[text]


def read_acpbench(path: Path, given: Sequence[Path] | None, importer: Importer) -> None:
    """Import the questions of a file, or of all files below a folder.

    Raises `ProblemError` where there is no such file, or responses are given: none are published.
    """
    if given is not None:
        raise ProblemError("ACPBench has no responses; score them as they are")
    folder = path / "dataset" if (path / "dataset").is_dir() else path
    files = importer.files_below(folder, _ENDINGS)
    if not files:
        raise ProblemError(f"no file ends in {', '.join(_ENDINGS)}", file=str(path))
    reader = _Reader(importer)
    for file in files:
        reader.read(file, file.relative_to(path).as_posix() if path.is_dir() else file.name)
    reader.finish()


def _actions(row: Row, problem: Problem[int]) -> tuple[Action, ...]:
    """Return the action that a question names in words.

    It is an applicable one with exactly the objects named, or if there is none, with these among
    others. If effects are published, it has these, and any such action will do; else it must be the
    only candidate. Raises `ProblemError` if it is ambiguous.
    """
    found = _QUOTED.search(_text(row, "question"))
    if found is None:
        raise ProblemError("the question names no action")
    world = problem.world
    named = {word for word in _NAME.findall(found[1].lower()) if word in world.objects}
    possible = sorted(world.applicable(problem.initial))
    fitting = [action for action in possible if set(action.args) == named] or [
        action for action in possible if named <= set(action.args)
    ]
    effects = _published(row.get("answer"))
    known = isinstance(effects, dict) and None not in effects.values()
    if known:
        fitting = [action for action in fitting if _changes(problem, action) == effects]
    if not fitting or (len(fitting) > 1 and not known):
        raise ProblemError(f"it cannot be told which action is {found[1]!r}")
    return (fitting[0],)


def _changes(problem: Problem[int], action: Action) -> Any:
    return _lower(TASKS["effects-v1"].question(problem, (action,)).truth)


def _published(answer: Any) -> Any:
    """Return a published answer in our form: sorted, without repetitions."""
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except (ValueError, RecursionError):
            return None
    if isinstance(answer, dict):
        answer = {"positive": answer.get("pos"), "negative": answer.get("neg")}
    return _lower(answer)


def _lower(terms: Any) -> Any:
    """Return terms in lower case, sorted, without repetitions; None unless they are a list."""
    if isinstance(terms, dict):
        return {key: _lower(each) for key, each in terms.items()}
    if not isinstance(terms, list):
        return None
    return sorted({" ".join(str(term).lower().split()) for term in terms})


def _problem_name(text: str) -> str:
    """Return the name in a problem file with a prefix of its hash, because names repeat."""
    found = re.search(r"\(\s*problem\s+([\w.+-]+)", text)
    return f"{found[1] if found else 'problem'}-{sha256(text.encode())[:8]}"


def _is_name(ident: Any) -> TypeGuard[int | str]:
    """Return whether an id can be part of a sample's id: a number, or a text of one line."""
    if isinstance(ident, str):
        return ident.isprintable() and ident.strip() == ident != "" and "/" not in ident
    return isinstance(ident, int) and not isinstance(ident, bool)


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise ProblemError(f"there is no {key!r}")
    if encodable(value) != value:
        raise ProblemError(f"{key!r} cannot be written")
    return value


def _rows(file: Path) -> Iterator[Any]:
    """Yield the rows of a file; raises `ProblemError` where it is malformed."""
    if file.suffix == ".parquet":
        yield from parquet_rows(file)
        return
    data = read_bytes(file)
    try:
        if file.suffix == ".gz":
            data = b"".join(unpacked(gzip.GzipFile(fileobj=BytesIO(data)).read, str(file)))
        lines: Iterable[bytes] = data.splitlines() if ".jsonl" in file.suffixes else (data,)
        values = [json.loads(line) for line in lines if line.strip()]
    except ProblemError:
        raise
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise ProblemError(f"not JSON: {error}") from None
    for value in values:
        yield from value if isinstance(value, list) else (value,)


SOURCES.add(
    "acpbench",
    Source(
        "acpbench",
        "ACPBench Hard: applicable actions and effects in 13 domains",
        read_acpbench,
        licence="CDLA-Permissive-2.0",
        citation="Kokel, Katz, Srinivas, Sohrabi: ACPBench: Reasoning about Action, Change, and "
        "Planning. AAAI 2025, arXiv:2410.05669; ACPBench Hard: arXiv:2503.24378",
        system="Write every action and proposition in parentheses, as (name first second), and "
        "every list in square brackets with commas between its items. Of effects, give the list "
        "of positive ones, then that of negative ones. Write nothing else.",
    ),
)
