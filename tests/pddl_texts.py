"""PDDL texts that several test files use."""

from __future__ import annotations

from pathlib import Path

import plangauge
from plangauge.worlds.pddl import read_problem

DOMAINS = sorted((Path(plangauge.__file__).parent / "domains").glob("*/domain.pddl"))
"""The domain files that are shipped."""

BLOCKS = """(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates (on ?x ?y - block) (table ?x - block) (clear ?x - block) (free) (heavy ?x - block)
    (holding ?x - block))
  (:action lift :parameters (?x - block)
    :precondition (and (not (heavy ?x)) (clear ?x) (table ?x) (free))
    :effect (and (holding ?x) (not (clear ?x)) (not (table ?x)) (not (free))))
  (:action put :parameters (?x ?y - block)
    :precondition (and (holding ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (free) (not (holding ?x)) (not (clear ?y)))))
"""

TOWER = """(define (problem tower)
  (:domain blocks)
  (:objects a b c - block)
  (:init (table a) (table b) (table c) (clear a) (clear b) (clear c) (free) (heavy c))
  (:goal (and (on a b) (on b c) (heavy c))))
"""

REACH = """(define (domain reach)
  (:types place road - object)
  (:constants home - place)
  (:predicates (edge ?x ?y - place) (at ?x - place) (reachable ?x ?y - place) (stuck)
    (seen ?x - place) (closed ?x - place))
  (:functions (toll ?x ?y - place) (total-cost) - number)
  (:derived (reachable ?x ?y - place)
    (or (edge ?x ?y) (exists (?z - place) (and (edge ?x ?z) (not (closed ?z)) (reachable ?z ?y)))))
  (:derived (stuck) (exists (?x - place) (and (at ?x) (not (reachable ?x home)))))
  (:action go :parameters (?x ?y - place)
    :precondition (and (at ?x) (edge ?x ?y) (not (closed ?y)) (not (= ?x ?y)))
    :effect (and (at ?y) (not (at ?x)) (seen ?y) (increase (total-cost) (toll ?x ?y))))
  (:action return :parameters (?x - place)
    :precondition (and (at ?x) (reachable ?x home))
    :effect (and (at home) (not (at ?x)) (increase (total-cost) 10)))
  (:action inspect
    :precondition (forall (?x - place) (imply (at ?x) (seen ?x)))
    :effect (forall (?x - place) (when (and (seen ?x) (not (at ?x))) (closed ?x)))))
"""

TRIP = """(define (problem trip)
  (:domain reach)
  (:objects x y z - place)
  (:init (at home) (edge home x) (edge x y) (edge y home) (edge y z)
    (= (toll home x) 1) (= (toll x y) 2.5) (= (toll y home) 1) (= (toll y z) 1) (= (total-cost) 0))
  (:goal (and (seen y) (or (at home) (closed x))))
  (:metric minimize (total-cost)))
"""


def problem(domain="", objects="", init="", goal="(and)", predicates="(p ?x) (q ?x) (n)"):
    """Read a problem from the interesting parts; the objects are constants of the domain."""
    types = "(:types t1 t2 t3 - t)"
    return read_problem(
        f"(define (domain d) {types} (:constants {objects}) (:predicates {predicates}) {domain})",
        f"(define (problem x) (:domain d) (:init {init}) (:goal {goal}))",
    )
