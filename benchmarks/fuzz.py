"""Look for texts that make the readers raise what they must not raise, guided by coverage.

    python benchmarks/fuzz.py pddl|plans [--seconds N] [--into FOLDER]

Needs atheris (pip install atheris). Each finding, one for each place that raises, is written to the
folder with its traceback; the run goes on. libFuzzer itself stops at the first text that takes more
than 20 seconds or 2 GB, and writes it there, too. Exits with 1 where anything was found.

A text of the target ``pddl`` is a domain, then a problem; where both can be read, applicable
actions and a random walk are tried as well. A text of the target ``plans`` is read in every
notation, with a vocabulary and without.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["plangauge"]):
    import plangauge
    from plangauge import Plan, simulate
    from plangauge.core.errors import ParseError, ProblemError
    from plangauge.reading import NOTATIONS, Vocabulary, read_plan
    from plangauge.worlds.pddl import read_problem

DOMAINS = Path(plangauge.__file__).parent / "domains"
TOKEN = re.compile(r"[()]|[^\s()]+|\s+")
ADL = """
(define (domain adl) (:requirements :adl :derived-predicates :action-costs)
(:types a b - object c - (either a b)) (:constants k - c)
(:predicates (p ?x) (q ?x - a ?y - (either a b)) (r) (d ?x ?y))
(:functions (f ?x - a) (total-cost) - number)
(:derived (d ?x ?y) (or (q ?x ?y) (exists (?z) (and (q ?x ?z) (d ?z ?y)))))
(:action act :parameters (?x - a ?y)
:precondition (and (not (p ?x)) (imply (r) (forall (?z - b) (or (p ?z) (= ?z ?y)))))
:effect (and (r) (forall (?z - a) (when (d ?z ?y) (and (p ?z) (not (q ?z ?y)))))
(increase (total-cost) (f ?x)))))
(define (problem x) (:domain adl) (:objects m n - a o - b)
(:init (q m n) (q n k) (= (f m) 2) (= (f n) 0.5))
(:goal (and (r) (exists (?x) (p ?x)))) (:metric minimize (total-cost)))
"""
ANSWERS = (
    "1. (pick-up a)\n2. (stack a b)",
    '```json\n[{"action": "pick-up", "args": ["a"]}]\n```',
    '{"tool_calls": [{"function": {"name": "stack", "arguments": "{\\"x\\": \\"a\\"}"}}]}',
    "{pick-up(a), pick-up(b)}, stack(a, b)",
    "<think>pick up a</think> Plan:\n- pick up the a block\n- stack a on b\n[PLAN END]",
    "0.003: (pick-up a) [1]\n; cost = 1 (unit cost)",
    "The plan is \\boxed{stack(a, b)}. No actions are needed.",
)
WORDS = Vocabulary({"pick-up": 1, "stack": 2, "noop": -1}, frozenset({"a", "b", "l1-0"}))


def read_pddl(text: str) -> None:
    """Read a domain and a problem; a problem that can be read must also work."""
    at = text.find("(define (problem")
    domain, problem = (text[:at], text[at:]) if at >= 0 else (text, text)
    try:
        read = read_problem(domain, problem)
    except ProblemError:
        return
    world, state = read.world, read.initial
    if len(world.objects) > 8 or any(len(types) > 4 for types in world.schemas.values()):
        return
    done = []
    for _ in range(3):
        actions = list(islice(world.applicable(state), 20))
        if not actions:
            break
        done.append(actions[len(text) % len(actions)])
        state = world.successor(state, done[-1])
    run = simulate(read, Plan.of(*done))
    assert run.executable, "a walk of applicable actions fails"
    assert run.states[-1] == state, "a walk of applicable actions leads elsewhere"
    assert run.progress.reached == run.valid, "valid is not executable and reached"


def read_plans(text: str) -> None:
    """Read a text in every notation."""
    for notation in ("auto", *NOTATIONS):
        for vocabulary in (None, WORDS):
            try:
                read_plan(text, notation, vocabulary)
            except ParseError:
                assert notation not in ("auto", "prose"), f"{notation} raises"


def pddl_seeds() -> Iterator[str]:
    """Yield domains with a problem each."""
    yield ADL
    for domain in sorted(DOMAINS.glob("*/domain.pddl")):
        yield domain.read_text() + (domain.parent / "demo" / "problem.pddl").read_text()


def plan_seeds() -> Iterator[str]:
    """Yield answers."""
    yield from ANSWERS
    for path in sorted(DOMAINS.glob("*/demo/*.txt")):
        yield path.read_text()


def mutate(data: bytes, size: int, seed: int) -> bytes:
    """Change a few tokens, or now and then bytes."""
    rng = random.Random(seed)
    tokens = TOKEN.findall(data.decode("utf-8", "replace"))
    if not tokens or rng.random() < 0.2:
        return atheris.Mutate(data, size)
    for _ in range(rng.randint(1, 4)):
        at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        change = rng.randrange(5)
        if change == 0 and len(tokens) > 1:
            del tokens[at]
            continue
        if change == 1:
            tokens.insert(at, tokens[other])
        elif change == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif change == 3:
            tokens[at] = tokens[other]
        else:
            first, last = sorted((at, other))
            tokens[at:at] = tokens[first : min(last, first + 12)]
    return "".join(tokens).encode("utf-8", "replace")[:size]


class Target:
    """Calls a function, and keeps one text for each place that raises."""

    def __init__(self, function: Callable[[str], None], folder: Path, seconds: float) -> None:
        self.function, self.folder = function, folder
        self.end = time.monotonic() + seconds
        self.runs, self.found = 0, set[str]()

    def __call__(self, data: bytes) -> None:
        self.runs += 1
        text = data.decode("utf-8", "replace")
        try:
            self.function(text)
        except Exception as error:  # noqa: BLE001 - what it raises is what we look for
            place = traceback.extract_tb(error.__traceback__)[-1]
            name = f"{type(error).__name__}-{Path(place.filename).stem}-{place.lineno}"
            if name not in self.found:
                self.found.add(name)
                report = f"{text}\n\n{traceback.format_exc()}"
                (self.folder / f"{name}.txt").write_text(report, "utf-8", "surrogatepass")
                print(f"found: {name}", flush=True)
        if time.monotonic() > self.end:
            print(f"{self.runs:,} texts, {len(self.found)} findings in {self.folder}", flush=True)
            os._exit(bool(self.found))  # libFuzzer would take SystemExit for a crash


def main() -> None:
    """Run until the time is up."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", choices=["pddl", "plans"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--into", type=Path, default=Path("fuzz"), help="folder of the findings")
    options = parser.parse_args()
    function, seeds = {"pddl": (read_pddl, pddl_seeds), "plans": (read_plans, plan_seeds)}[
        options.target
    ]
    corpus = options.into / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds()):
        Path(corpus, f"seed-{number}").write_text(seed, encoding="utf-8")
    flags = ["-max_len=3000", "-timeout=20", "-rss_limit_mb=2048", "-verbosity=0"]
    atheris.Setup(
        [sys.argv[0], *flags, f"-artifact_prefix={options.into}/", str(corpus)],
        Target(function, options.into, options.seconds),
        custom_mutator=mutate,
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
