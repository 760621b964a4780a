"""Answers that say that there is nothing, and those that say nothing."""

from __future__ import annotations

import pytest

from plangauge.core.model import Action
from plangauge.tasks import TASKS
from plangauge.worlds.pddl import read_problem

LAMPS = """(define (domain lamps) (:predicates (near ?l) (lit ?l))
  (:action press :parameters (?l) :precondition (near ?l) :effect (lit ?l)))"""
LAMP = "(define (problem p) (:domain lamps) (:objects x y) (:init (near x)) (:goal (lit x)))"
TASK = TASKS["negative-effects-v1"]
QUESTION = TASK.question(read_problem(LAMPS, LAMP), [Action("press", ("x",))])
SAID = [
    *("[]", "{}", "()", "[ ]", '""', "[none]", "['none']", '[""]', "None", "**none.**", "(none)"),
    *("nothing", "N/A", "null", "empty", "∅", r"$\emptyset$", r"\{\}", "set()", "The empty set."),
    *("No facts.", "No changes", "no negative effects", "There are none.", "none of them"),
    *("None become false.", "None of the facts become false.", "Nothing becomes false."),
    *("No fact becomes false by this action.", "No new facts become false", "no facts are deleted"),
    *("There are no facts that become false.", "No such facts exist.", "The set is empty."),
    *(
        "The action deletes nothing.",
        "The action does not make any fact false.",
        "none (only adds)",
    ),
    "The set of facts that become false is empty.",
    "There are no facts that become false, since (lit x) is only added.",
    "So the answer is: nothing.",
]


@pytest.mark.parametrize("opening", ["", "Final answer: ", "Let me see. Lamps are lit.\n\n"])
@pytest.mark.parametrize("text", SAID)
def test_that_there_is_nothing_is_an_answer(opening, text):
    judgement = TASK.judge(QUESTION, opening + text)
    assert (judgement.status.value, judgement.scores["exact"]) == ("explicitly empty", 1)


@pytest.mark.parametrize(
    "text",
    [
        "Final answer: []\n\nNote: (near x) stays.",
        "Final answer: None. (lit x) is only added.",
        "Final answer: [] (nothing becomes false)",
        "No facts become false; (lit x) becomes true.",
        "Positive effects: [(lit x)]\nNegative effects: none",
        "Positive effects: [(lit x)]\nNegative effects: []",
        '{"add": ["(lit x)"], "del": []}',
        "(lit x) becomes true. (near x) stays true. Nothing becomes false.",
    ],
)
def test_that_there_is_nothing_may_be_explained(text):
    assert TASK.judge(QUESTION, text).scores["exact"] == 1


@pytest.mark.parametrize(
    "text",
    [
        *("", "?", "no", "I see no facts", "I have no fact sheet.", "No actions needed."),
        "Let me think. There are no facts about the arm here... I need to",
        "I wonder whether no facts change. Hmm, hold on,",
        "No facts change. Hmm, hold on,",
        "I'm sorry. There are no facts.",
        "There are no facts that I can give.",
        "None of the rules above help here.",
        "Nothing becomes true.",
        "There are no effects such as (lit y).",
        "(I would write [] here if nothing changed.)",
        "(near x) is kept.",
        "It is not so that (lit x) becomes false.",
        "Positive effects: [(lit x)]\nNegative effects:",
    ],
)
def test_silence_is_no_answer(text):
    judgement = TASK.judge(QUESTION, text)
    assert (judgement.status.value, judgement.scores["iou"]) == ("no answer", 0)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("none " * 100, "no answer"),
        ("word " * 10_000 + ". No facts change.", "explicitly empty"),
        ("No facts change" + " and so on" * 10_000, "no answer"),
    ],
)
def test_what_is_true_of_long_texts(text, status):
    assert TASK.judge(QUESTION, text).status.value == status
