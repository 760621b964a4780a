"""Random problems with few states and every feature of PDDL that is read."""

from __future__ import annotations

from random import Random

from plangauge.planners import Pddl
from plangauge.worlds.pddl import read_problem

PREDICATES = {"p": 0, "q": 0, "r": 1, "s": 1, "on": 2}
DERIVED = {"above": 2, "odd": 0}


def atom(random: Random, terms: list[str], predicates: dict[str, int]) -> str:
    name = random.choice(sorted(predicates))
    return f"({' '.join([name, *random.choices(terms, k=predicates[name])])})"


def condition(random: Random, terms: list[str], depth: int = 2) -> str:
    known = PREDICATES | (DERIVED if random.random() < 0.3 else {})
    kind = random.random() if depth else 1.0
    if kind < 0.12:
        parts = [condition(random, terms, depth - 1) for _ in range(2)]
        return f"({random.choice(['and', 'or', 'imply'])} {' '.join(parts)})"
    if kind < 0.2:
        body = condition(random, [*terms, "?z"], depth - 1)
        return f"({random.choice(['exists', 'forall'])} (?z) {body})"
    if kind < 0.25:
        return f"(not (= {' '.join(random.choices(terms, k=2))}))"
    found = atom(random, terms, known)
    return f"(not {found})" if random.random() < 0.3 else found


def effect(random: Random, terms: list[str]) -> str:
    def literal(scope: list[str]) -> str:
        found = atom(random, scope, PREDICATES)
        return f"(not {found})" if random.random() < 0.4 else found

    parts = [literal(terms) for _ in range(random.randint(1, 2))]
    if random.random() < 0.5:
        parts.append(f"(when {condition(random, terms, 1)} {literal(terms)})")
    if random.random() < 0.3:
        scope = [*terms, "?z"]
        parts.append(f"(forall (?z) (when {condition(random, scope, 0)} {literal(scope)}))")
    return " ".join(parts)


def random_problem(seed: int) -> Pddl:
    """Return a problem with few states, some without a plan."""
    random = Random(seed)
    objects = ["a", "b", "c"] if seed % 3 else ["a", "b"]
    actions = []
    for number in range(random.randint(3, 6)):
        parameters = ["?x", "?y"][: random.randint(0, 2)]
        terms = [*parameters, objects[0]]
        needs = " ".join(condition(random, terms) for _ in range(random.randint(1, 2)))
        cost = (
            random.choice(["0" if seed % 3 else "2", "1", "2", "0.5", "0.1", "3"])
            if seed % 2
            else "1"
        )
        actions.append(
            f"(:action act{number} :parameters ({' '.join(parameters)}) :precondition (and {needs})"
            f" :effect (and {effect(random, terms)} (increase (total-cost) {cost})))"
        )
    signatures = " ".join(
        f"({name} {' '.join('?x' + str(i) for i in range(arity))})"
        for name, arity in (PREDICATES | DERIVED).items()
    )
    domain = f"""(define (domain random) (:constants a) (:predicates {signatures})
      (:functions (total-cost))
      (:derived (above ?x ?y) (or (on ?x ?y) (exists (?z) (and (on ?x ?z) (above ?z ?y)))))
      (:derived (odd) (and (not (q)) (exists (?z) (and (r ?z) (not (above ?z ?z))))))
      {" ".join(actions)})"""
    initial = " ".join({atom(random, objects, PREDICATES): 0 for _ in range(3)})
    metric = "(:metric minimize (total-cost))" if seed % 2 else ""
    problem = (
        f"(define (problem x) (:domain random) (:objects {' '.join(objects[1:])})"
        f" (:init {initial}) (:goal (and {{goal}})) {metric})"
    )
    goal = " ".join(condition(random, objects, 1) for _ in range(random.randint(2, 4)))
    if seed % 4:
        goal = " ".join(far_facts(random, Pddl(domain, problem.format(goal=""))))
    return Pddl(domain, problem.format(goal=goal))


def far_facts(random: Random, pddl: Pddl) -> list[str]:
    """Return what is true and what is false in one of the states that are furthest away."""
    problem = read_problem(pddl.domain, pddl.problem)
    world = problem.world
    layers = [[problem.initial]]
    seen = set(layers[0])
    while layers[-1] and len(seen) < 300:
        fresh = [world.successor(s, a) for s in layers[-1] for a in world.applicable(s)]
        layers.append([s for s in dict.fromkeys(fresh) if s not in seen])
        seen.update(layers[-1])
    last = random.choice([layer for layer in layers if layer][-1])
    before, after = world.facts(problem.initial), world.facts(last)
    false = [f"(not {fact})" for fact in sorted(before - after)]
    return [*map(str, sorted(after - before)), *false][:6]


def random_strips(seed: int) -> Pddl:
    """Return a problem of moving things that may block each other, with facts out of reach."""
    random = Random(seed)
    places = [f"p{number}" for number in range(random.randint(3, 4))]
    things = [f"t{number}" for number in range(random.randint(2, 3))]
    roads = [pair for a in places for pair in ((a, b) for b in places) if random.random() < 0.5]
    starts = random.sample(places, len(things)) if random.random() < 0.8 else places[:1]
    facts = [f"(at {thing} {place})" for thing, place in zip(things, starts, strict=False)]
    facts += [f"(free {place})" for place in places if place not in starts]
    facts += [f"(road {a} {b})" for a, b in roads]
    goal = [f"(at {thing} {random.choice(places)})" for thing in random.sample(things, 2)]
    free = "(free ?q)" if random.random() < 0.8 else ""
    domain = f"""(define (domain things) (:requirements :strips :typing :action-costs)
      (:types place thing)
      (:predicates (at ?t - thing ?p - place) (free ?p - place) (road ?p ?q - place)
        (held ?t - thing) (met ?t ?u - thing) (hand))
      (:functions (total-cost) - number)
      (:action move :parameters (?t - thing ?p ?q - place)
        :precondition (and (at ?t ?p) (road ?p ?q) {free})
        :effect (and (at ?t ?q) (not (at ?t ?p)) (free ?p) (not (free ?q))
          (increase (total-cost) {random.randint(1, 3)})))
      (:action hold :parameters (?t - thing ?p - place)
        :precondition (and (at ?t ?p) {random.choice(["(hand)", "", "(not (held ?t))"])})
        :effect (and (held ?t) (not (at ?t ?p)) (free ?p) (not (hand))
          (increase (total-cost) 1)))
      (:action drop :parameters (?t - thing ?p - place)
        :precondition (and (held ?t) (free ?p))
        :effect (and (at ?t ?p) (not (held ?t)) (not (free ?p)) (hand)
          (increase (total-cost) 1)))
      (:action meet :parameters (?t ?u - thing ?p - place)
        :precondition (and (at ?t ?p) (at ?u ?p) (not (= ?t ?u)))
        :effect (and (met ?t ?u) (increase (total-cost) 1))))"""
    hand = "(hand)" if random.random() < 0.5 else ""
    problem = f"""(define (problem x) (:domain things)
      (:objects {" ".join(places)} - place {" ".join(things)} - thing)
      (:init {" ".join(facts)} {hand}) (:goal (and {" ".join(goal)}))
      (:metric minimize (total-cost)))"""
    return Pddl(domain, problem)
