# ruff: noqa: E501 - texts in PDDL are easier to read on few lines
"""Random plans with numbers and time: our judgement against the definitions, naively evaluated.

A long run, with so many plans of each kind: ``PLANGAUGE_RANDOM_PLANS=100000 pytest -m long`` and
this file.
"""

import os
from fractions import Fraction
from random import Random

import naive_timed
from sizes import sized

from plangauge import validate
from plangauge.core.model import Action
from plangauge.worlds.pddl import read_problem
from plangauge.worlds.schedule import Schedule, TimedAction

PLANS = int(os.environ.get("PLANGAUGE_RANDOM_PLANS", "2000"))

NUMERIC = """(define (domain jugs) (:constants a) (:predicates (open ?x) (tagged ?x)) (:functions (in ?x) (cap ?x) (n))
(:action fill :parameters (?x) :precondition (and (open ?x) (< (in ?x) (cap ?x))) :effect (assign (in ?x) (cap ?x)))
(:action pour :parameters (?x ?y) :precondition (and (open ?x) (> (in ?x) 0) (<= (+ (in ?x) (in ?y)) (cap ?y)))
 :effect (and (increase (in ?y) (in ?x)) (assign (in ?x) 0) (increase (n) 1)))
(:action halve :parameters (?x) :precondition (or (tagged ?x) (>= (in ?x) 1)) :effect (and (scale-down (in ?x) 2) (tagged ?x)))
(:action mix :parameters (?x ?y) :precondition (not (= (in ?x) (in ?y)))
 :effect (and (assign (in ?x) (/ (+ (in ?x) (in ?y)) 2)) (assign (in ?y) (- (in ?x) 1))))
(:action toggle :parameters (?x) :effect (and (when (open ?x) (not (open ?x))) (when (not (open ?x)) (open ?x)) (increase (n) 0.1)))
(:action share :effect (forall (?x) (when (and (open ?x) (> (in ?x) 0)) (and (decrease (in ?x) 0.5) (increase (n) (in ?x))))))
(:action check :parameters () :precondition (forall (?x) (or (not (tagged ?x)) (>= (cap ?x) (in ?x)))) :effect (tagged a)))"""
NUMERIC_PROBLEM = """(define (problem p) (:domain jugs) (:objects a b c)
(:init (open a) (open b) (= (in a) 1) (= (in b) 0) (= (cap a) 3) (= (cap b) 2.5) (= (cap c) 1) (= (n) 0) {})
(:goal (or (tagged b) (and (open c) (> (n) 0)))))"""

TIMED = """(define (domain shop) (:predicates (on ?x) (done ?x) (free)) (:functions (len ?x) (left) (made))
(:durative-action work :parameters (?x) :duration (= ?duration (len ?x))
 :condition (and (at start (free)) (over all (on ?x)) (at end (on ?x)))
 :effect (and (at start (not (free))) (at end (free)) (at end (done ?x)) (at start (decrease (left) ?duration))))
(:durative-action light :parameters (?x) :duration (= ?duration 3) :condition (and (at start (> (left) 0)))
 :effect (and (at start (on ?x)) (at end (not (on ?x))) (at end (increase (made) 1))))
(:durative-action wait :parameters (?x) :duration (= ?duration (/ (len ?x) 2)) :condition (over all (>= (left) 1))
 :effect (at end (increase (made) (left))))
(:action push :parameters (?x) :precondition (<= (made) 4) :effect (and (increase (left) 1) (when (on ?x) (done ?x))))
(:action switch :parameters (?x) :precondition (not (on ?x)) :effect (on ?x)))"""
TIMED_PROBLEM = """(define (problem p) (:domain shop) (:objects a b)
(:init (free) (on b) (= (len a) 2) (= (len b) 1) (= (left) 3) (= (made) 0) (at 4 (on a)) (at {} (not (on b))) (at 2 (= (made) 1)))
(:goal (or (done a) (done b) (> (made) 2))))"""


def agree(domain, problem, plan, timed):
    want, values = naive_timed.judge(naive_timed.Task(domain, problem), plan)
    actions = (TimedAction.at(at, Action(name, args), length) for at, name, args, length in plan)
    read = read_problem(domain, problem)
    verdict = validate(
        read, Schedule.of_actions(actions) if timed else [Action(p[1], p[2]) for p in plan]
    )
    assert verdict.valid == want, (problem, plan, str(verdict))
    if verdict.executable:
        shown = {str(fact) for fact in read.world.facts(verdict.trajectory.states[-1])}
        for key, number in values.items():
            assert str(naive_text(key, number)) in shown
    return want


def naive_text(key, number):
    from plangauge.pddl.quantities import simple, text_of_number

    return f"(= ({' '.join(key)}) {text_of_number(simple(number))})"


def numeric_plan(rng):
    schemas = [
        ("fill", 1),
        ("pour", 2),
        ("halve", 1),
        ("mix", 2),
        ("toggle", 1),
        ("share", 0),
        ("check", 0),
    ]
    plan = []
    for step in range(1, rng.randint(1, 7)):
        name, size = rng.choice(schemas)
        plan.append((step, name, tuple(rng.choice("aabbc") for _ in range(size)), None))
    return plan


def timed_plan(rng):
    lengths = {
        "work": {"a": 2, "b": 1},
        "light": {"a": 3, "b": 3},
        "wait": {"a": 1, "b": Fraction(1, 2)},
    }
    plan = []
    for _ in range(rng.randint(1, 5)):
        name, thing = rng.choice([*lengths, *lengths, "push", "switch"]), rng.choice("ab")
        time = Fraction(rng.randint(0, 12), 2) + rng.choice((0, 0, Fraction(1, 2000)))
        length = lengths[name][thing] + rng.choice((0,) * 9 + (1,)) if name in lengths else None
        plan.append((time, name, (thing,), length))
    return sorted(plan, key=lambda each: each[0])


@sized("number", 100, PLANS)
def test_random_numeric_plans(number):
    rng = Random(0)
    valid = 0
    for _ in range(number):
        problem = NUMERIC_PROBLEM.format(rng.choice(("(= (in c) 0.5)", "")))
        valid += agree(NUMERIC, problem, numeric_plan(rng), timed=rng.random() < 0.5)
    assert 0 < valid < number


@sized("number", 50, 1_000)
def test_exact_and_floating_arithmetic_agree_away_from_ties(number, monkeypatch):
    monkeypatch.setattr(naive_timed, "Fraction", float)
    rng, found = Random(1), {True: 0, False: 0}
    for _ in range(number):
        a, b = (rng.choice(("0.3", "1.7", "2.45")) for _ in range(2))
        text = NUMERIC_PROBLEM.format("(= (in c) 0.7)")
        text = text.replace("(in a) 1)", f"(in a) {a})").replace("(in b) 0)", f"(in b) {b})")
        plan = numeric_plan(rng)
        naive_timed.GAPS.clear()
        valid, values = naive_timed.judge(naive_timed.Task(NUMERIC, text), plan)
        if min(naive_timed.GAPS, default=1) < 1e-9:
            continue  # a tie, which floating arithmetic decides either way
        problem = read_problem(NUMERIC, text)
        verdict = validate(problem, [Action(name, args) for _, name, args, _ in plan])
        assert verdict.valid == valid, (text, plan)
        found[valid] += 1
        if verdict.executable:
            numbers = problem.world.numbers
            last = verdict.trajectory.states[-1][1]
            for key, near in values.items():
                if key in numbers.slots:
                    exact = numbers.value(last, numbers.slots[key])
                    assert abs(exact - near) < 1e-9
    assert min(found.values()) > 5


@sized("number", 100, PLANS)
def test_random_timed_plans(number):
    rng = Random(0)
    valid = 0
    for _ in range(number):
        problem = TIMED_PROBLEM.format(rng.choice(("3", "5.5", "7")))
        valid += agree(TIMED, problem, timed_plan(rng), timed=True)
    assert 0 < valid < number
