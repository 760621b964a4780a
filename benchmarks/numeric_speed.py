"""How long validating takes per step: a classical plan, the same with fuel, and a timed one.

A numeric plan that fails at its last step is explained as well.

python benchmarks/numeric_speed.py
"""

from __future__ import annotations

import time
from itertools import pairwise

from plangauge import validate
from plangauge.worlds.pddl import read_problem

TOWNS = 10
STEPS = 1000
ROUNDS = 60

_DOMAIN = """(define (domain tour) (:types town) (:predicates (at ?t - town) (road ?a ?b - town))
 (:functions (fuel) (far ?a ?b - town)) {})"""
_CLASSICAL = """(:action drive :parameters (?a ?b - town) :precondition (and (at ?a) (road ?a ?b))
 :effect (and (not (at ?a)) (at ?b)))"""
_NUMERIC = """(:action drive :parameters (?a ?b - town)
 :precondition (and (at ?a) (road ?a ?b) (>= (fuel) (far ?a ?b)))
 :effect (and (not (at ?a)) (at ?b) (decrease (fuel) (far ?a ?b))))"""
_TIMED = """(:durative-action drive :parameters (?a ?b - town) :duration (= ?duration (far ?a ?b))
 :condition (and (at start (at ?a)) (at start (>= (fuel) (far ?a ?b))) (over all (road ?a ?b)))
 :effect (and (at start (not (at ?a))) (at end (at ?b)) (at start (decrease (fuel) ?duration))))"""


_STEP = "(drive t{a} t{b})"
_FAILING = "(drive t{a} t{b}) "  # there is not enough fuel


def problem(actions):
    towns = [f"t{n}" for n in range(TOWNS)]
    roads = [(one, other) for one in towns for other in towns if one != other]
    facts = " ".join(f"(road {a} {b}) (= (far {a} {b}) 1.5)" for a, b in roads)
    init = f"(at t0) (= (fuel) {3 * STEPS - 1}) {facts}"
    objects = f"(:objects {' '.join(towns)} - town)"
    text = f"(define (problem p) (:domain tour) {objects} (:init {init}) (:goal (and)))"
    return read_problem(_DOMAIN.format(actions), text)


def plan(line, steps):
    towns = [0]
    for number in range(steps):
        towns.append((towns[-1] + 1 + number % 7) % TOWNS)
    return "\n".join(
        line.format(a=a, b=b, at=2 * n + 1) for n, (a, b) in enumerate(pairwise(towns))
    )


def prepared(actions, line, steps):
    loaded, text = problem(actions), plan(line, steps)
    return loaded, text, line is not _FAILING


def seconds(loaded, text, valid):
    start = time.process_time()
    verdict = validate(loaded, text)
    assert verdict.valid == valid
    return time.process_time() - start


if __name__ == "__main__":
    cases = {
        "classical": (_CLASSICAL, _STEP, STEPS),
        "numeric": (_NUMERIC, _STEP, STEPS),
        "failing": (_NUMERIC, _FAILING, 2 * STEPS),
        "timed": (_TIMED, "{at}: (drive t{a} t{b}) [1.5]", STEPS // 2),
    }
    ready = {name: prepared(*case) for name, case in cases.items()}
    best = dict.fromkeys(cases, 1e9)
    for _ in range(ROUNDS):  # interleaved, because machines are noisy
        for name, case in ready.items():
            best[name] = min(best[name], seconds(*case))
    for name, (_, _, steps) in cases.items():
        each = best[name] / steps
        print(
            f"{name:10} {1e3 * best[name]:7.2f} ms for {steps} actions, {1e6 * each:6.2f} us each"
        )
