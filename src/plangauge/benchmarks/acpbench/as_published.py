"""ACPBench's own scores of answers, as in the Language Model Evaluation Harness.

Answers in PDDL are read by a grammar that skips whatever it does not expect; answers of yes, no or
a letter by regular expressions. All scores are 0 or 1. Where the original asks a planner, and
counts errors and time-outs as 0, we use exact truths; what they leave open is None.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from plangauge.benchmarks.acpbench.questions import GROUPS, Row, quoted_plan
from plangauge.core.errors import ProblemError
from plangauge.core.model import Action, Fact, Plan
from plangauge.reachability import Proof, Reachability
from plangauge.reading.notations.actions import read_action
from plangauge.suites import Sample
from plangauge.tasks import Question
from plangauge.tasks.terms import distances_of
from plangauge.worlds.base import Problem
from plangauge.worlds.simulate import simulate

_VERDICT = re.compile(
    r"(?:(?<=[Tt]he answer is )|(?<=The answer: )|(?<=The final answer: )"
    r"|(?<=\*\*Final Answer\*\*: )|(?<=\*\*answer\*\*: )|(?<=\*\*Answer\*\*: ))(.*)(?=.)"
    r"|\b(Yes|No|yes|no)\b"
)
_LETTER = re.compile(r"\b([A-D])\b")
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]*")
_START = re.compile(r"\(|None|[a-zA-Z][a-zA-Z0-9_-]*")
_MARK = re.compile("simplified plan:", re.IGNORECASE)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def read_verdict(text: str) -> str:
    """Return the text that is compared with yes and no; empty for none.

    >>> read_verdict("The answer is yes"), read_verdict("There is no block. Yes")
    ('ye', 'no')
    """
    found = _VERDICT.search(text)
    return "" if found is None else (found[1] or found[2] or "").strip()


def read_letter(text: str) -> str:
    """Return the last capital letter from A to D that stands alone; empty for none.

    >>> read_letter("A because D is not applicable")
    'D'
    """
    found = _LETTER.findall(text)
    return found[-1] if found else ""


def read_terms(text: str) -> list[str]:
    """Return every parenthesised term; nothing where one has two blanks in a row.

    >>> read_terms("1. (sail l0 l1), (by the rules) (board c1")
    ['(sail l0 l1)', '(by the rules)', '(board c1)']
    >>> read_terms("sail(l0, l1)")
    ['(l0 l1)']
    """
    terms, at = [], 0
    line = _one_line(text)
    while (at := line.find("(", at)) >= 0:
        term, at = _term(line, at + 1)
        if term is None:
            return []
        terms.append(term)
    return terms


def read_first(text: str, *, none: bool) -> str | None:
    """Return the first term or, where ``none`` counts, the word None; None if there is neither.

    >>> read_first("Perhaps None. (on a b)", none=True), read_first("None. (on a b)", none=False)
    ('None', '(on a b)')
    """
    line = _one_line(text)
    for found in _START.finditer(line):
        if found[0] == "(":
            return _term(line, found.end())[0]
        if none and found[0].startswith("None"):
            return "None"
    return None


def read_index(text: str) -> str | None:
    """Return the first digits of a text, without sign.

    >>> read_index("Of the 12 actions, -4")
    '12'
    """
    found = re.search("[0-9]+", _one_line(text))
    return None if found is None else found[0]


def read_plan(text: str) -> list[str]:
    """Return the terms behind "simplified plan:", in lower case, or else all terms of a text."""
    parts = _MARK.split(text)
    return read_terms(parts[1].lower().replace("*", "") if len(parts) > 1 else text)


def _one_line(text: str) -> str:
    return text.replace("\n", "").strip()


def _term(line: str, at: int) -> tuple[str | None, int]:
    """Return the term that begins at a place, and where it ends; None for two blanks in a row.

    A missing parenthesis at the end is supplied.
    """
    names = list[str]()
    wants_name, blanks = True, 0
    while at < len(line):
        if line[at] == " ":
            blanks += 1
            if wants_name:
                return None, at
            wants_name = True
        elif wants_name and (found := _NAME.match(line, at)):
            names.append(found[0])
            wants_name, at = False, found.end()
            continue
        elif line[at] == ")" and not wants_name:
            return f"({' '.join(names)})", at + 1
        at += 1
    return (f"({' '.join(names)})" if names else None), at


# -- scores ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """What scoring answers to a question takes."""

    question: Question[Any]
    stored: Any
    """The published answer."""
    plan: str = ""
    """The plan as the question quotes it."""


def _unreachable(
    decide: Callable[[Problem[Any], Action], float | None], case: Case, text: str
) -> float | None:
    """Return the score of a term, which ``decide`` gives for one that is not published."""
    given, stored = read_first(text, none=True), _folded(case.stored)
    if given is None or not stored or given == "None":
        return float(given == "None" and not stored)
    if _bare(given) in stored:
        return 1.0
    term = read_action(given.lower())
    return 0.0 if term is None else decide(case.question.problem, term)


def _fact(problem: Problem[Any], term: Action) -> float | None:
    predicates = problem.world.predicates
    if term.name not in predicates or len(predicates[term.name]) != len(term.args):
        return 0.0
    try:
        verdict = Reachability.of(problem).fact(Fact(term.name, term.args))
    except ValueError:  # ill-typed goals are not checked, and no plan reaches them
        return 1.0
    return None if verdict.value is None else float(not verdict.value)


def _ground_action(problem: Problem[Any], term: Action) -> float | None:
    try:
        verdict = Reachability.of(problem).action(term)
    except ValueError:
        return 0.0
    if verdict.proof is Proof.RELAXATION:  # it is not grounded, and counts as no valid action
        return 0.0
    return None if verdict.value is None else float(not verdict.value)


def _landmarks(case: Case, text: str) -> float:
    given, stored = read_first(text, none=True), _folded(case.stored["yes"])
    if given is None or given == "None":
        return float(given == "None" and not stored)
    return float(_bare(given) in stored)


def _next(case: Case, text: str) -> float | None:
    given = read_first(text, none=False)
    if given is None:
        return 0.0
    if _bare(given) in _folded(case.stored["yes"]):
        return 1.0
    if _bare(given) not in _folded(case.stored["maybe"]):
        return 0.0
    regret = distances_of(case.question.problem).regret(_action(given))
    return None if regret is None else float(regret == 0)


def _simplified(case: Case, text: str) -> float:
    given, plan = read_plan(text), re.findall(r"\([^()]*\)", case.plan)
    if not given or len(given) >= len(plan) or not _is_within(given, plan):
        return 0.0
    return float(simulate(case.question.problem, Plan.of(*map(_action, given))).valid)


def _is_within(part: list[str], whole: list[str]) -> bool:
    """Return whether a list is the other one with items left out."""
    rest = iter(whole)
    return all(item in rest for item in part)


def _verdict(case: Case, text: str) -> float:
    given = read_verdict(text).translate(_NO_PUNCTUATION).lower().strip()
    return float(given == ("yes" if case.question.truth else "no"))


_SCORES: Mapping[str, Callable[[Case, str], float | None]] = {
    "unreachable-fact-v1": partial(_unreachable, _fact),
    "unreachable-action-v1": partial(_unreachable, _ground_action),
    "landmark-v1": _landmarks,
    "next-action-v1": _next,
    "shorten-plan-v1": _simplified,
    "first-failure-v1": lambda case, text: float(read_index(text) == str(case.stored)),
    "published-yes-no-v1": _verdict,
    "published-choice-v1": lambda case, text: float(read_letter(text) == case.question.truth),
}
"""The original's score by our task."""


def needed(row: Row, group: str) -> dict[str, Any]:
    """Return what `scorer` needs of a row, as metadata of its sample; empty for other groups."""
    task = GROUPS[group].task
    if task not in _SCORES or row.get("answer") is None:
        return {}
    more = {"plan": quoted_plan(row)} if task == "shorten-plan-v1" else {}
    return {"as_published": {"by": "acpbench", "answer": GROUPS[group].published(row), **more}}


def scorer(sample: Sample, question: Question[Any]) -> Callable[[str], float | None]:
    """Return how the original scores responses to a sample.

    Raises `ProblemError` where its metadata does not hold what that needs.
    """
    of = sample.meta["as_published"]
    stored, score = of.get("answer"), _SCORES.get(sample.task)
    shape = {"landmark-v1": dict, "next-action-v1": dict, "first-failure-v1": int}
    if score is None or not isinstance(stored, shape.get(sample.task, object)):
        raise ProblemError(f"{sample.id}: the published answer is malformed")
    return partial(score, Case(question, stored, str(of.get("plan", ""))))


def _folded(terms: Any) -> frozenset[str]:
    return frozenset(_bare(str(term)) for term in terms or ())


def _bare(term: str) -> str:
    return " ".join(term.strip().strip("()").lower().split())


def _action(term: str) -> Action:
    action = read_action(term.lower())
    assert action is not None  # `read_terms` gives only terms
    return action
