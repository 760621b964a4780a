"""Actions said with another preposition than the domain's, and objects said in phrases."""

from random import Random

import pytest

from plangauge.core.model import Action, Fault
from plangauge.domains.base import DOMAINS
from plangauge.domains.words import Words
from plangauge.reading import read_plan, vocabulary_of
from plangauge.scoring.verdict import validate

BLOCKS = DOMAINS["blocksworld"]
PROBLEM = BLOCKS.problem(
    "(define (problem p) (:domain blocksworld) (:objects a b c - block) (:init (on-table a)"
    " (on-table b) (on-table c) (clear a) (clear b) (clear c) (arm-empty)) (:goal (on a c)))"
)
COLOURS = Words(
    {"a": "red block", "b": "light blue block", "c": "block 12"},
    {
        "pick-up": "pick up the {0}",
        "put-down": "put down the {0}",
        "stack": "stack the {0} on top of the {1}",
        "unstack": "unstack the {0} from on top of the {1}",
    },
)
BOXES = Words(
    {"a": "red box", "b": "blue box", "c": "green box"},
    {**COLOURS.actions, "stack": "hide the {0} beneath the {1}"},
)
SAID = {"a": "the red block", "b": "the light blue block", "c": "block 12"}
SHAPES = ("1. {0}\n2. {1}", "[PLAN]\n{0}\n{1}\n[PLAN END]", "- {0}\n- {1}", "{0}.\n{1}.")


def steps(text, words=COLOURS):
    plan = read_plan(text, "prose", vocabulary_of(PROBLEM, words)).plan
    return None if plan is None else list(map(str, plan.actions))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("under", "stack-under"),
        ("underneath", "stack-underneath"),
        ("directly beneath", "stack-beneath"),
        ("next to", "stack-next"),
        ("beside", "stack-beside"),
        ("on the bottom of", "stack-bottom"),
        ("from", "stack-from"),
    ],
)
@pytest.mark.parametrize("below", "bc")
def test_another_preposition_tells_another_action(shape, place, name, below):
    text = shape.format("Pick up the red block", f"Stack the red block {place} {SAID[below]}")
    assert steps(text) == ["(pick-up a)", f"({name} a {below})"]


@pytest.mark.parametrize("words", [None, BLOCKS.words])
@pytest.mark.parametrize("text", ["stack a under c", "stack block a beside block c"])
def test_so_it_does_with_objects_by_name(words, text):
    name = "stack-under" if "under" in text else "stack-beside"
    assert steps(f"1. pick up a\n2. {text}", words) == ["(pick-up a)", f"({name} a c)"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("place", ["on top of", "on", "onto", "atop"])
def test_the_own_preposition_and_those_alike_tell_the_action(shape, place):
    text = shape.format("Pick up the red block", f"Stack the red block {place} block 12")
    assert steps(text) == ["(pick-up a)", "(stack a c)"]


def test_domains_whose_own_word_is_under():
    for place in ("beneath", "under", "underneath", "below"):
        text = f"1. Pick up the red box\n2. Hide the red box {place} the green box"
        assert steps(text, BOXES) == ["(pick-up a)", "(stack a c)"]
    assert steps("1. Pick up the red box\n2. Hide the red box beside the green box", BOXES) != [
        *("(pick-up a)", "(stack a c)")
    ]


def test_the_fault_names_what_does_not_exist():
    plan = read_plan(
        "1. Pick up the red block\n2. Stack the red block under block 12",
        "prose",
        vocabulary_of(PROBLEM, COLOURS),
    ).plan
    found = validate(PROBLEM, "\n".join(map(str, plan.actions))).first_fault
    assert (found.fault, found.step) == (Fault.HALLUCINATION, 1)
    assert found.message == "there is no action 'stack-under'; did you mean 'stack'?"
    one = validate(PROBLEM, "1. pick up a\n2. stack a on c")
    other = validate(PROBLEM, "1. pick up a\n2. stack a under c")
    assert (one.valid, other.valid) == (True, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("put down the red block under the light blue block", "(put-down a b)"),
        ("pick up the light blue block from under the red block", "(pick-up b a)"),
        ("unstack the red block from under the light blue one", "(unstack-under a b)"),
        ("stack the red block by the light blue block", "(stack-by a b)"),
        ("**Unstack Red Block:** Unstack the red block from on top of block 12.", "(unstack a c)"),
    ],
)
def test_what_else_is_said_of_objects_in_phrases(text, expected):
    assert steps(f"1. Pick up the red block\n2. {text}") == ["(pick-up a)", expected]


def test_objects_that_are_joined_are_as_many_actions():
    text = "1. Pick up the red block\n2. stack the red and light blue blocks on top of block 12"
    assert steps(text) == ["(pick-up a)", "(stack a c)", "(stack b c)"]


@pytest.mark.parametrize(
    ("name", "place", "other"),
    [
        ("logistics", "load {0} into {1} at {2}", "load {0} behind {1} at {2}"),
        ("logistics", "load {0} onto {1} at {2}", "load {0} under {1} at {2}"),
    ],
)
def test_other_domains(name, place, other):
    domain = DOMAINS[name]
    problem = domain.problem(domain.generate(Random(3)))
    types = problem.world.schemas[place.split()[0]]
    objects = problem.world.objects
    args = [next(o for o in sorted(objects) if problem.world.is_a(o, kind)) for kind in types]
    vocabulary = vocabulary_of(problem, domain.words)
    read = [
        read_plan(f"1. {text.format(*args)}", "prose", vocabulary).plan.actions
        for text in (place, other)
    ]
    verb = place.split()[0]
    assert [*read[0]] == [Action(verb, tuple(args))]
    assert [*read[1]] == [Action(f"{verb}-{other.split()[2]}", tuple(args))]
