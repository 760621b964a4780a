"""What the words around terms say of them, and what labels tell apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plangauge.reading import Vocabulary, find_set

WORDS = Vocabulary({"lift": 1}, "vwxyz", predicates={"shut": 1})


def said(line, expected, heading=""):
    """Return a plus for each ``()`` in a line that is in the answer, and a minus for the others.

    These are facts of a state where what is expected tells what becomes true, stays so or is false.
    """
    stative = not {*"akf"}.isdisjoint(expected)
    kind, name = ("state", "shut") if stative else ("actions", "lift")
    terms = [f"({name} {thing})" for thing in "vwxyz"[: line.count("()")]]
    text = "".join(f"{a}{b}" for a, b in zip(line.split("()"), [*terms, ""], strict=True))
    found = find_set(f"{heading}\n{text}".strip(), WORDS, kind).terms
    return "".join("+" if term in found else "-" for term in terms)


def as_signs(expected):
    return re.sub("[fr]", "-", re.sub("[ak]", "+", expected))


SAID = {
    "(), ()": "++",
    "Applicable: (), (). All others are not applicable.": "++",
    "It cannot put anything down. The actions are () and ().": "++",
    "(), (); stacking isn't possible since nothing is held.": "++",
    "(), since there is nothing that cannot be lifted": "+",
    "(): block a cannot be lifted, so it is c.": "+",
    "Since the arm is not empty the applicable actions are () and ()": "++",
    "(), but not ()": "+f",
    "() but not () or (), and ()": "+ff+",
    "not (), ()": "f+",
    "all except (), ()": "--",
    "neither () nor ()": "--",
    "not only () but also ()": "++",
    "No actions except () are applicable": "+",
    "(): c is above... no. (): yes.": "-+",
    "Could () be done? No. ()? Yes. ()?": "-+-",
    "() fails: a has e on it": "-",
    "(): a is under b: no": "-",
    "| () | no | x |": "-",
    "| () | yes | not b |": "+",
    "() ✗ () ✓": "-+",
    "() is applicable, but () is not.": "+-",
    "(), (), and () is not applicable": "++-",
    "() and () are not applicable": "--",
    "(); () cannot be executed": "+-",
    "() and () are applicable, () is not": "++-",
    "() is not applicable and () is applicable": "-+",
    "(), not applicable: ()": "+-",
    "(). Not applicable: (), ()": "+--",
    "() or maybe (), ()": "+-+",
    "perhaps ()": "-",
    "I did not consider ()": "-",
    "such as (), ()": "rr",
    "Draft: ()": "r",
    "Actions considered: (), ()": "rr",
    "Let me know why e.g. () is not included!": "-",
    "() or rather ()": "-+",
    "False facts: (), ()": "ff",
    "() is not true any more": "f",
    "() isn’t true": "f",
    "() remains false": "f",
    "() is deleted": "f",
    "It is false that ()": "f",
    "It is not the case that () is true": "f",
    "It is not so that () becomes false": "-",
    "() becomes true": "a",
    "(): was false, becomes true": "a",
    "() was true": "+",
    "(), b is not on c, ()": "++",
    "Positive effects: ()": "a",
    "() remains true": "k",
    "(), () become false; () becomes true": "ffa",
}


@pytest.mark.parametrize("line", SAID)
def test_what_is_said_of_terms(line):
    assert said(line, SAID[line]) == as_signs(SAID[line])
    assert said(line.upper(), SAID[line]) == as_signs(SAID[line])


@pytest.mark.parametrize(
    ("heading", "line", "expected"),
    [
        ("Not applicable:", "(), ()", "--"),
        ("### False", "()", "f"),
        ("Not applicable:", "Hence: ()", "+"),
        ("Applicable:", "() is blocked", "-"),
    ],
)
def test_a_heading_speaks_for_lines_without_words_of_their_own(heading, line, expected):
    assert said(line, expected, heading) == as_signs(expected)


@given(st.lists(st.sampled_from([*re.findall(r"\w+|\W", " ".join(SAID)), "\n"]), max_size=30))
def test_nothing_is_read_that_is_not_there(pieces):
    line = "".join(pieces)
    if line.count("()") <= 5:
        for expected in "+a":
            assert len(said(line, expected)) == line.count("()")


@pytest.mark.parametrize(
    ("text", "positive", "negative"),
    [
        ("Positive: (shut v)\nNegative: (shut w)", "v", "w"),
        ("Deleted facts: (shut w)\nAdded facts: (shut v)", "v", "w"),
        ("### Positive effects\n(shut v)\n### Negative effects\n(shut w)", "v", "w"),
        ('{"add": [(shut v)], "del": [(shut w)]}', "v", "w"),
        ("become true are [(shut v)] and become false are [(shut w)]", "v", "w"),
        ("Adds (shut v), deletes (shut w).", "v", "w"),
        ("(shut v) becomes true and (shut w) becomes false.", "v", "w"),
        ("Positive: (shut v)\nNegative: (shut w)\nThe positive effects hold because: (shut x)",
         "v", "w"),
    ],
)  # fmt: skip
def test_labels_tell_two_parts_apart(text, positive, negative):
    found = find_set(text, WORDS, "effects").effects
    assert found.positive == tuple(f"(shut {thing})" for thing in positive)
    assert found.negative == tuple(f"(shut {thing})" for thing in negative)
