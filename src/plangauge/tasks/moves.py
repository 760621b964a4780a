"""Drawing actions for questions: one that changes something, or a walk that never turns back."""

from __future__ import annotations

from random import Random

from plangauge.domains.generate import one_of, shuffled
from plangauge.model import Action
from plangauge.worlds.base import Problem, S

_MOST_TRIES = 10_000


def changing(problem: Problem[S], rng: Random) -> tuple[Action, ...] | None:
    """Return an applicable action that changes something, all equally likely; None for none."""
    world, state = problem.world, problem.initial
    found = [a for a in world.applicable(state) if world.successor(state, a) != state]
    return (one_of(rng, found),) if found else None


def walk(problem: Problem[S], rng: Random, length: int) -> tuple[Action, ...] | None:
    """Return actions that can be executed one after another and lead to new states only.

    At each step every action is equally likely; a dead end is left by going back. None where there
    is no such walk, or none was found in 10,000 steps.
    """
    world = problem.world
    states, actions = [problem.initial], list[Action]()
    waiting = [shuffled(rng, world.applicable(problem.initial))]
    for _ in range(_MOST_TRIES):
        if len(actions) == length:
            return tuple(actions)
        if not waiting[-1]:
            waiting.pop()
            if not waiting:
                return None
            states.pop()
            actions.pop()
            continue
        action = waiting[-1].pop()
        after = world.successor(states[-1], action)
        if after is not None and after not in states:
            states.append(after)
            actions.append(action)
            waiting.append(shuffled(rng, world.applicable(after)))
    return None
