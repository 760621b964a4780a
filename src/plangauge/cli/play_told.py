"""What a player is told beside the observations: state, hints, goal, diagnosis, result."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from textwrap import wrap
from typing import Any

from plangauge.cli.console import counted
from plangauge.cli.play_stage import Stage
from plangauge.conditions import Condition, Is, Not, facts_in, in_words
from plangauge.domains.base import goal_facts
from plangauge.domains.draw import draw
from plangauge.domains.generate import write_problem
from plangauge.domains.say import natural, say_facts
from plangauge.episodes.episode import Episode
from plangauge.episodes.languages import InWords
from plangauge.episodes.outcome import Result
from plangauge.errors import Error
from plangauge.goals import Progress
from plangauge.model import Action, Fact, Plan
from plangauge.simulate import Unmet, diagnose
from plangauge.worlds.base import Problem

_MOST_FACTS = 30
"""A state of more facts is told in part."""
_SHORT = 2
_WORD = re.compile(r"[^\s()]+")
_LAST = 2
"""Of so many actions, the things are told about in a large state."""
_ACTORS = ("character", "agent")
_MOST_HINTS = 40
_MOST_SOUGHT = 5_000
_SEARCHED_STATES = 3_000
_SEARCHED_SECONDS = 5


def shown_state(stage: Stage, episode: Episode[Any], width: int) -> list[str]:
    """Return the state as a drawing or in sentences; of a large one, what play has touched."""
    world = stage.problem.world
    facts = world.facts(episode.state)
    drawing = draw(world, facts, width)
    if drawing is not None:
        return drawing.split("\n")
    changing = _said(stage, facts - world.static)
    if len(changing) <= _MOST_FACTS:
        return wrap(say_facts(stage.domain, changing), width)
    near = _touched(stage, episode.executed)
    told = [fact for fact in changing if not near.isdisjoint(fact.args)][:_MOST_FACTS]
    lines = wrap(say_facts(stage.domain, told), width)
    rest = len(changing) - len(told)
    return [*lines, f"… and {rest:,} more facts; 'state THING' tells those about a thing"]


def facts_about(stage: Stage, state: Any, thing: str, width: int) -> list[str]:
    """Return the facts about a thing, whose name or phrase is given."""
    phrase = thing.casefold()
    objects = stage.problem.world.objects
    named = [
        name
        for name in objects
        if phrase in (name.casefold(), stage.words.objects.get(name, name).casefold())
    ]
    if not named:
        return [f"There is no {thing} here."]
    facts = _said(stage, stage.problem.world.facts(state))
    about = [fact for fact in facts if named[0] in fact.args]
    lines = wrap(say_facts(stage.domain, about[: 2 * _MOST_FACTS]), width)
    return lines or [f"There is nothing to tell about {thing}."]


def changes(stage: Stage, before: Any, after: Any, width: int) -> list[str]:
    """Return what became true and what is no longer, in sentences."""
    world = stage.problem.world
    old, new = world.facts(before), world.facts(after)
    lines: list[str] = []
    for mark, facts in (("now: ", new - old), ("no longer: ", old - new)):
        told = _said(stage, facts)
        said = say_facts(stage.domain, told[:_MOST_FACTS])
        if said:
            more = f" … and {len(told) - _MOST_FACTS} more" if len(told) > _MOST_FACTS else ""
            lines += wrap(mark + said + more, width, subsequent_indent="  ")
    return lines or ["Nothing changes."]


def is_large(stage: Stage, state: Any) -> bool:
    """Return whether only the changes of a state are told after an action."""
    world = stage.problem.world
    facts = world.facts(state)
    return draw(world, facts) is None and len(_said(stage, facts - world.static)) > _MOST_FACTS


def _said(stage: Stage, facts: Collection[Fact]) -> list[Fact]:
    """Return the facts that are told, in order: not what is inferred, nor what has no words."""
    known = stage.words.facts.keys() or stage.problem.world.predicates.keys()
    asked = known - stage.domain.inferred
    told = (fact for fact in facts if fact.predicate in asked)
    return sorted(told, key=lambda fact: (fact.predicate, tuple(map(natural, fact.args))))


def _touched(stage: Stage, executed: Sequence[Action]) -> set[str]:
    """Return the things of the goal and of the last actions, and who acts."""
    objects = stage.problem.world.objects
    goals = (part for goal in stage.problem.goals for part in goal.conditions)
    named = {arg for part in goals for fact in facts_in(part) for arg in fact.args}
    named.update(arg for action in executed[-_LAST:] for arg in action.args)
    return named.union(name for name, type_ in objects.items() if type_ in _ACTORS)


def hints(stage: Stage, state: Any, wanted: str) -> list[str]:
    """Return the applicable actions, in words and PDDL; only those with all the wanted words.

    A word of three letters or more may be the beginning of one.
    """
    needed = wanted.casefold().split()
    found: list[tuple[str, str]] = []
    sought = 0
    for action in islice(stage.problem.world.applicable(state), _MOST_SOUGHT):
        sought += 1
        said, pddl = stage.words.say(action), str(action)
        words = _WORD.findall(f"{said} {pddl}".casefold())
        if all(any(map(partial(_is, each), words)) for each in needed):
            found.append((said, pddl))
    if not found:
        return ["No such action can be executed now." if needed else "Nothing can be done now."]
    shown = found[:_MOST_HINTS]
    margin = min(60, max(len(said) for said, _ in shown))
    lines = [f"{said:<{margin}}  {pddl}" if said != pddl else pddl for said, pddl in shown]
    if len(found) > len(shown):
        least = "at least " if sought == _MOST_SOUGHT else ""
        rest = f"… of {least}{len(found):,}; 'hint WORD' shows those with a word"
        lines.append(rest)
    return lines


def _is(wanted: str, word: str) -> bool:
    return word == wanted or (len(wanted) > _SHORT and word.startswith(wanted))


def goal_parts(stage: Stage, towards: Progress) -> list[tuple[bool, str]]:
    """Return each part of a goal, and whether it is satisfied."""
    actions = towards.goal.actions
    parts = [(number < towards.actions, f"do {part}") for number, part in enumerate(actions)]
    parts += [(False, said_condition(stage, part)) for part in towards.unsatisfied]
    return parts + [(True, said_condition(stage, part)) for part in towards.satisfied]


def said_condition(stage: Stage, condition: Condition) -> str:
    """Return a condition in words where it is a fact or its contrary; else as it is written."""
    if isinstance(condition, Is):
        return stage.words.say(condition.fact)
    if isinstance(condition, Not) and isinstance(condition.condition, Is):
        return f"not: {stage.words.say(condition.condition.fact)}"
    return str(condition)


def why_not(stage: Stage, episode: Episode[Any], action: Action) -> list[str]:
    """Return the fault of an action that cannot be executed now: what is unmet, and since when.

    It is told in the language of the episode.
    """
    found = diagnose(episode.problem, episode.states, episode.executed, action)
    if found is None:
        return []
    kind = found.fault.value.replace("_", " ")
    in_pddl = episode.policy.language == "pddl"
    unmet = [str(each) if in_pddl else _said_unmet(stage, each) for each in found.unmet]
    return [f"{kind}: {reason}" for reason in unmet or [found.message]]


def _said_unmet(stage: Stage, unmet: Unmet) -> str:
    own = unmet.message != in_words(unmet.condition)
    told = unmet.message if own else InWords(stage.words).lacking(unmet.condition)
    if unmet.static:
        return f"{told}, and no action can change that"
    if unmet.held_until is None:
        return told
    actions = ", ".join(map(stage.words.say, unmet.destroyed_by))
    return f"{told} since step {unmet.held_until}: {actions}"


def continuation(stage: Stage, episode: Episode[Any]) -> list[str]:
    """Return actions that lead to the goal, if a shortest way can be found quickly."""
    done = len(episode.executed)
    for plan in stage.references:
        if plan.actions[:done] == episode.executed:
            return [*_listed(stage, plan.actions[done:])]
    problem = stage.problem
    found = _found(stage, Problem(problem.world, episode.state, problem.goals, problem.name))
    if found is None:
        return ["No way to the goal is found quickly from here."]
    return [*_listed(stage, found.actions)]


def _found(stage: Stage, here: Problem[Any]) -> Plan | None:
    from plangauge.planners import PLANNERS, Limits, Pddl

    domain, goal = stage.domain, goal_facts(here)
    if plans := domain.optimal_plans(here, 1):
        return plans[0]
    if not domain.pddl or goal is None:
        return None
    kinds: dict[str, list[str]] = {}
    for name, type_ in here.world.objects.items():
        if name not in domain.declarations.constants:
            kinds.setdefault(type_, []).append(name)
    derived = domain.declarations.derived
    facts = (fact for fact in here.world.facts(here.initial) if fact.predicate not in derived)
    text = write_problem(domain.declarations.name, kinds, sorted(facts), sorted(goal))
    limits = Limits(seconds=_SEARCHED_SECONDS, states=_SEARCHED_STATES)
    try:
        return PLANNERS["astar"].run(Pddl(domain.pddl, text), limits, 1).plans[0]
    except Error:
        return None


def _listed(stage: Stage, actions: Sequence[Action]) -> Iterator[str]:
    if not actions:
        yield "Nothing is left to do but to say: you are finished"
    for action in actions:
        said = stage.words.say(action)
        yield said if said == str(action) else f"{said}  {action}"


def result_rows(result: Result) -> list[tuple[str, str]]:
    """Return the measures of a run as names and values for people."""
    factor = "–" if result.length_factor is None else f"{result.length_factor:.2f}"
    reached = "never" if result.reached is None else f"after {counted(result.reached, 'action')}"
    recovered = f" ({result.recovered} made good)" if result.mistakes else ""
    return [
        ("outcome", result.outcome.value.replace("_", " ")),
        ("turns", str(result.turns)),
        ("actions executed", str(result.executed)),
        ("goal reached", reached),
        ("mistakes", f"{result.mistakes}{recovered}"),
        ("looked around", str(result.looks)),
        ("wasted actions", str(result.wasted)),
        ("length over reference", factor),
    ]
