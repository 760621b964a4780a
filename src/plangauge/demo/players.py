"""Players of differing skill, which stand for models in the demonstration.

Each finds a shortest plan for the problem as it understands it. Now and then a player
misunderstands: it forgets a precondition, believes that nothing becomes false, or forgets a part
of the goal. So its plans fail as those of models do, and it fails the more often the less it knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

from plangauge.core.model import Action
from plangauge.domains.generate import source
from plangauge.domains.words import Words
from plangauge.pddl.domain import Schema, read_domain
from plangauge.pddl.effects import Effects
from plangauge.scoring.records import Response
from plangauge.suites import Sample
from plangauge.suites.base import Texts
from plangauge.worlds.base import Problem
from plangauge.worlds.pddl import problem_of

_MOST_STATES = 10_000
"""How many states a player looks at before it gives up."""

Style: TypeAlias = Callable[[Sequence[Action], Words], str]
"""How a player writes its plan."""


@dataclass(frozen=True)
class Player:
    """A stand-in for a model; ``skill`` is how often it understands a problem, in [0, 1]."""

    name: str
    skill: float
    style: Style

    def respond(self, sample: Sample, seed: int = 0) -> Response:
        """Return its response to a question for a plan; the same seed gives the same one."""
        rng = source(seed, self.name, sample.id)
        understood = _as_it_is if rng.random() < self.skill else rng.choice(_MISTAKES)
        return Response(
            sample.id, self.style(_plan(sample.texts, understood), sample.words), self.name
        )


@cache  # the players often understand a problem alike
def _plan(texts: Texts, understood: Callable[[Texts], Problem[int]]) -> Sequence[Action]:
    return _shortest_plan(understood(texts))


def _as_it_is(texts: Texts) -> Problem[int]:
    return problem_of(read_domain(texts.domain), texts.problem)


def _forget_precondition(texts: Texts) -> Problem[int]:
    return _changed(texts, lambda schema: replace(schema, conditions=schema.conditions[:-1]))


def _forget_deletions(texts: Texts) -> Problem[int]:
    def added(effects: Effects) -> Effects:
        return replace(effects, literals=[each for each in effects.literals if each.positive])

    return _changed(texts, lambda schema: replace(schema, effects=added(schema.effects)))


def _changed(texts: Texts, change: Callable[[Schema], Schema]) -> Problem[int]:
    domain = read_domain(texts.domain)
    schemas = {name: change(schema) for name, schema in domain.schemas.items()}
    return problem_of(replace(domain, schemas=schemas), texts.problem)


def _forget_goal_part(texts: Texts) -> Problem[int]:
    problem = _as_it_is(texts)
    (goal,) = problem.goals
    return replace(problem, goals=(replace(goal, conditions=goal.conditions[1:]),))


_MISTAKES = (_forget_precondition, _forget_deletions, _forget_goal_part)


def _shortest_plan(problem: Problem[int]) -> list[Action]:
    """Return a shortest plan, by breadth-first search; an empty one where that takes too long."""
    world, plans = problem.world, {problem.initial: list[Action]()}
    queue = [problem.initial]
    for state in queue:  # which grows
        if all(world.holds(state, part) for goal in problem.goals for part in goal.conditions):
            return plans[state]
        if len(plans) > _MOST_STATES:
            break
        for action in world.applicable(state):
            after = world.successor(state, action)
            if after is not None and after not in plans:
                plans[after] = [*plans[state], action]
                queue.append(after)
    return []


def _in_words(actions: Sequence[Action], words: Words) -> str:
    steps = (f"{number}. {words.say(action)}" for number, action in enumerate(actions, start=1))
    return "\n".join(["Here is a plan that reaches the goal:", "", *steps])


def _in_pddl(actions: Sequence[Action], _words: Words) -> str:
    return "\n".join(["```pddl", *map(str, actions), "```"])


def _in_json(actions: Sequence[Action], _words: Words) -> str:
    return json.dumps([{"action": action.name, "args": [*action.args]} for action in actions])


PLAYERS = (
    Player("expert", 0.85, _in_words),
    Player("amateur", 0.5, _in_pddl),
    Player("beginner", 0.15, _in_json),
)
"""From the most to the least skilled."""
