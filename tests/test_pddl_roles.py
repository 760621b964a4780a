"""Which objects can stand at which place of an action: no applicable action is left out."""

from __future__ import annotations

from random import Random

import pytest
from small import SMALL

from plangauge.domains.base import DOMAINS
from plangauge.worlds.pddl import read_problem

UNTYPED = """(define (domain canal)
 (:predicates (boat ?b) (moored ?b ?p) (inside ?b ?c) (below ?p ?c) (low ?c) (wet ?p))
 (:action fill :parameters (?c) :precondition (low ?c) :effect (not (low ?c)))
 (:action enter :parameters (?b ?p ?c) :precondition (and (moored ?b ?p) (below ?p ?c) (low ?c))
  :effect (and (inside ?b ?c) (not (moored ?b ?p)))))"""
PROBLEM = """(define (problem p) (:domain canal) (:objects mary basin lock1 lock2)
 (:init (boat mary) (moored mary basin) (below basin lock1) (low lock1) (low lock2))
 (:goal (inside mary lock1)))"""


def test_places_are_told_apart_without_types():
    found = read_problem(UNTYPED, PROBLEM).world.fillers
    assert found == {
        ("fill", 0): {"lock1", "lock2"},
        ("enter", 0): {"mary"},
        ("enter", 1): {"basin"},
        ("enter", 2): {"lock1"},
    }


@pytest.mark.parametrize("name", sorted(SMALL))
@pytest.mark.parametrize("seed", range(3))
def test_whatever_can_be_done_is_among_them(name, seed):
    domain, rng = DOMAINS[name], Random(seed)
    problem = domain.problem(domain.generate(rng))
    world, state = problem.world, problem.initial
    for _ in range(30):
        actions = sorted(world.applicable(state))
        for action in actions:
            for n, arg in enumerate(action.args):
                assert arg in world.fillers[action.name, n], action
        if not actions:
            break
        state = world.successor(state, rng.choice(actions))
