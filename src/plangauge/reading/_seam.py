"""The public ways into reading, on the old readers; goes when the new ones are there."""

from __future__ import annotations

from typing import Any

from plangauge.domains.words import Words, vocabulary_of
from plangauge.episodes.policy import Policy
from plangauge.episodes.reading import hear
from plangauge.errors import ProblemError
from plangauge.parse.base import read_plan
from plangauge.reading.result import Effects, Reading, Said, Status, TurnReading, Value
from plangauge.tasks.base import find_task
from plangauge.tasks.effects import Effects as EffectsTask
from plangauge.tasks.plans import PlanTask
from plangauge.tasks.sets import reader_of
from plangauge.tasks.single import SetTask
from plangauge.worlds.base import Problem


def read_answer(
    task: str, problem: Problem[Any], text: str, *, words: Words | None = None
) -> Reading:
    """Return what the answer to a question of a task says."""
    found = find_task(task)
    if isinstance(found, PlanTask):
        notation = "auto" if text.strip() else "prose"
        plan = read_plan(text, notation, vocabulary_of(problem, words))
        used = () if plan.plan is None else ((plan.start, plan.end),)
        status = Status(plan.status.value)
        return Reading(plan.plan, status, plan.notation, plan.how, used, skipped=plan.skipped)
    if isinstance(found, SetTask):
        one = reader_of(problem, words, of_actions=found.of_actions).read(text, found.sign)
        terms: Value = tuple(sorted(one.terms)) if one.answered else None
        return Reading(terms, Status(one.status.value), how=one.how)
    if isinstance(found, EffectsTask):
        two = reader_of(problem, words, of_actions=False).read_two(text)
        lists = [tuple(sorted(each.terms)) for each in two]
        value = Effects(*lists) if any(each.answered for each in two) else None
        return Reading(value, Status(two[0].status.value), how=two[0].how)
    raise ProblemError(f"the answers of {found.name} are not read like this")


def read_turn(
    problem: Problem[Any], text: str, *, policy: Policy | None = None, words: Words | None = None
) -> Reading:
    """Return what a turn says."""
    heard = hear(problem, words, policy or Policy(), text)
    turn = TurnReading(
        Said(heard.said.value), heard.actions, heard.lines, heard.readings, heard.look
    )
    return Reading(turn)
